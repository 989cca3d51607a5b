import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import { errorCode } from "../files/error-code.ts";

interface Trust {
  /** PEM certificates trusted beside the authorities. */
  readonly ca?: string | undefined;
  /** PEM certificates; default: those that Node.js brings. */
  readonly authorities?: readonly string[];
  /** Of the connection and the TLS handshake, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Opens connections with TLS 1.2 or newer to servers whose certificates the authorities have signed, or `ca`. To read all
 * authorities beside another one takes Node.js some 30 ms: a server is held against `ca` alone first, and where that has
 * not signed its certificate it is connected to once more, and held against all of them, as every later connection is.
 * Nothing of a request is sent before a certificate was verified.
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
      whole ??= connectorTo(wholeContext(trust), trust);
      whole(target, callback);
    });
  };
}

/** For connections that are held against all of them at once. */
export function wholeContext({ ca, authorities = rootCertificates }: Omit<Trust, "timeoutMs">): SecureContext {
  return contextTrusting(ca === undefined ? undefined : [...authorities, ca]);
}

function contextTrusting(ca: string[] | undefined): SecureContext {
  return createSecureContext({ minVersion: "TLSv1.2", ...(ca !== undefined && { ca }) });
}

function connectorTo(secureContext: SecureContext, { timeoutMs }: Trust): buildConnector.connector {
  return buildConnector({ timeout: timeoutMs, rejectUnauthorized: true, secureContext });
}

/** OpenSSL's names for a chain that leads to no certificate that is trusted. */
const OTHER_ISSUER: ReadonlySet<string> = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "CERT_SIGNATURE_FAILURE",
]);
