import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import { errorCode } from "../files/error-code.ts";

interface Trust {
  /** PEM certificates to trust in addition to the authorities. */
  readonly ca?: string | undefined;
  /** PEM certificates. Default: the certificates that are bundled with Node.js. */
  readonly authorities?: readonly string[];
  /** Timeout of the connection and the TLS handshake, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Returns a connector for TLS 1.2 or later to servers whose certificates are signed by the authorities or by `ca`.
 * Loading all authorities in addition to `ca` takes Node.js about 30 ms. The server is therefore verified against `ca`
 * alone first. If `ca` has not signed the server's certificate, another connection is opened. That connection and all
 * later connections are verified against all authorities. No part of a request is sent before the certificate has been
 * verified.
 */
export function trustingConnector(trust: Trust): buildConnector.connector {
  const { ca } = trust;
  if (ca === undefined) return connectorTo(contextTrusting(undefined), trust);
  const own = connectorTo(contextTrusting([ca]), trust);
  let whole: buildConnector.connector | undefined;
  return (target, callback) => {
    if (whole !== undefined) {
      whole(target, callback);
      return;
    }
    own(target, (...opened) => {
      const [error] = opened;
      if (error === null || !OTHER_ISSUER.has(errorCode(error) ?? "")) {
        callback(...opened);
        return;
      }
      whole ??= connectorTo(wholeContext(ca, trust.authorities), trust);
      whole(target, callback);
    });
  };
}

/** Returns a context that trusts the authorities and `ca`. */
export function wholeContext(ca: string | undefined, authorities: readonly string[] = rootCertificates): SecureContext {
  return contextTrusting(ca === undefined ? undefined : [...authorities, ca]);
}

function contextTrusting(ca: string[] | undefined): SecureContext {
  return createSecureContext({ minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) });
}

function connectorTo(secureContext: SecureContext, { timeoutMs }: Trust): buildConnector.connector {
  return buildConnector({ timeout: timeoutMs, rejectUnauthorized: true, secureContext });
}

/** OpenSSL's codes for a chain that does not lead to a trusted certificate. */
const OTHER_ISSUER: ReadonlySet<string> = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
]);
