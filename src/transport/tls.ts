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

/** Returns the failure for a request that could not establish a secure connection; undefined for other causes. */
export function tlsFailure(error: TransportError, origin: string): Failure | undefined {
  const code = error.code.replace(/^PROXY_/, "");
  if (error.phase !== "unsent" || !TLS_REFUSAL.test(code)) return undefined;
  const peer = code === error.code ? origin : "the proxy";
  if (NO_TLS_CODES.has(code)) {
    const scheme = peer === origin ? "the base URL" : "the proxy's address";
    return new Failure("tls", `${peer} does not speak TLS (${code})`, {
      hint: `check the host, port and scheme of ${scheme}: the server there does not use HTTPS`,
      cause: error,
    });
  }
  return new Failure("tls", `no secure connection to ${peer}: ${code}`, {
    hint: "check the address; add the certificate of a private authority with --ca <pem>",
    cause: error,
  });
}

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
