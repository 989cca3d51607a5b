import { Failure } from "../model/failure.ts";
import type { TransportError } from "./http.ts";

/** What a request means that ended because no secure connection could be made; undefined where that was not why. */
export function tlsFailure(error: TransportError, origin: string): Failure | undefined {
  const code = error.code.replace(/^PROXY_/, "");
  if (error.phase !== "unsent" || !TLS_REFUSAL.test(code)) return undefined;
  const whom = code === error.code ? origin : "the proxy";
  return new Failure("tls", `no secure connection to ${whom}: ${code}`, {
    hint: "check the address; add the certificate of a private authority with --ca <pem>",
    cause: error,
  });
}

/** OpenSSL's and Node's codes for certificates and protocol versions. */
const TLS_REFUSAL =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$)/;
