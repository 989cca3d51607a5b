import { X509Certificate } from "node:crypto";
import { Failure } from "../model/failure.ts";
import type { TransportError } from "./http.ts";
import { NO_TLS } from "./plain-http-probe.ts";

/**
 * Checks that a PEM file contains valid certificates and no private key.
 * @param file the file name as the user entered it
 * @throws Failure `config`
 */
export function checkCaCertificates(pem: string, file: string): void {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    throw new Failure("config", `${file} contains a private key`, {
      hint: "use a file that contains only the certificate, and keep the key elsewhere",
    });
  }
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0) {
    throw new Failure("config", `${file} contains no certificate`, {
      hint: "use a certificate in PEM format; the file must contain the line -----BEGIN CERTIFICATE-----",
    });
  }
  for (const [index, certificate] of certificates.entries()) {
    try {
      void new X509Certificate(certificate);
    } catch (cause) {
      throw new Failure("config", `certificate ${index + 1} of ${file} cannot be read`, {
        hint: "get the file again from the operator of the certificate authority",
        cause,
      });
    }
  }
}

/**
 * Returns the failure for a request that could not establish a secure connection; undefined for other causes. With TLS
 * 1.3, the client may send its request before the server has checked the client certificate. An alert about the
 * certificate shows that the server has not read the request.
 */
export function tlsFailure(error: TransportError, origin: string): Failure | undefined {
  const code = error.code.replace(/^PROXY_/, "");
  const isRefused = error.phase === "unsent" ? TLS_REFUSAL.test(code) : error.phase === "sent" && NO_CLIENT.test(code);
  if (!isRefused) return undefined;
  const peer = code === error.code ? origin : "the proxy";
  if (NO_TLS_CODES.has(code)) {
    const scheme = peer === origin ? "the base URL" : "the proxy's address";
    return new Failure("tls", `${peer} does not speak TLS (${code})`, {
      hint: `check the host, port and scheme of ${scheme}: the server there does not use HTTPS`,
      cause: error,
    });
  }
  const known = REFUSALS.find(({ codes }) => codes.test(code));
  const problem = known === undefined ? code : `${known.problem} (${code})`;
  return new Failure("tls", `no secure connection to ${peer}: ${problem}`, {
    hint: known?.hint ?? "check the address; add the certificate of a private authority with --ca <pem>",
    cause: error,
  });
}

/** Alerts about the certificate of the client. */
const NO_CLIENT = /^ERR_SSL_\w+_ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE)$/;

/** Causes that `--ca` cannot remove. */
const REFUSALS: readonly { readonly codes: RegExp; readonly problem: string; readonly hint: string }[] = [
  {
    codes: NO_CLIENT,
    problem: "it requires a client certificate",
    hint: "use an address that requires none, because migrate does not support client certificates",
  },
  {
    codes: /^CERT_HAS_EXPIRED$/,
    problem: "its certificate has expired",
    hint: "ask the operator of the server to renew the certificate, and check the clock of this machine",
  },
  {
    codes: /^CERT_NOT_YET_VALID$/,
    problem: "its certificate is not valid yet",
    hint: "check the clock of this machine; if it is right, ask the operator of the server about the certificate",
  },
  {
    codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    problem: "its certificate is for other host names",
    hint: "check the host in the address; if it is right, ask the operator of the server about the certificate",
  },
  {
    codes: /PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/,
    problem: "it offers neither TLS 1.2 nor TLS 1.3",
    hint: "ask the operator of the server to enable TLS 1.2 or later",
  },
];

const NO_TLS_CODES: ReadonlySet<string> = new Set([
  NO_TLS,
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_HTTP_REQUEST",
  "ERR_SSL_UNKNOWN_PROTOCOL",
]);

/** Codes of OpenSSL and Node.js for certificates and protocol versions. */
const TLS_REFUSAL =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$)/;
