import { Failure } from "../model/failure.ts";
import type { TransportError } from "../transport/http.ts";
import type { Judgement } from "./verdict.ts";

/**
 * What a request without a reply means. Only the phase tells whether the platform may have processed it; the code
 * only adds words, apart from the certificates that cannot be trusted.
 */
export function judgeError(error: TransportError, origin: string): Judgement {
  if (error.phase === "unsent") {
    if (isTlsRefusal(error.code)) return { verdict: { kind: "stop", failure: tlsFailure(error, origin) } };
    return { verdict: { kind: "unsent", code: error.code, reason: `cannot reach ${origin}: ${error.code}` } };
  }
  const reason = WORDS[error.code] ?? `no trustworthy answer: ${error.code}`;
  const verdict = { kind: "ambiguous", reason, foreign: FOREIGN.has(error.code) } as const;
  return TIMEOUTS.has(error.code) ? { verdict, pushBack: { reason: "timeout" } } : { verdict };
}

const TIMEOUTS: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "REQUEST_TIMEOUT"]);
const FOREIGN: ReadonlySet<string> = new Set(["HTTPParserError", "UND_ERR_HEADERS_OVERFLOW"]);
const WORDS: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_TIMEOUT: "timeout waiting for the reply",
  REQUEST_TIMEOUT: "timeout of the whole request",
  UND_ERR_SOCKET: "connection closed before the reply",
  ECONNRESET: "connection reset before the reply",
  EPIPE: "connection closed before the reply",
  HTTPParserError: "the answer is not HTTP",
  UND_ERR_HEADERS_OVERFLOW: "the reply's header is too long",
  ABORTED: "stopped while waiting for the reply",
};

/** OpenSSL's and Node's codes for certificates and protocol versions. */
const TLS_REFUSAL =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_(CA|PURPOSE)$)/;

function isTlsRefusal(code: string): boolean {
  return TLS_REFUSAL.test(code);
}

function tlsFailure(error: TransportError, origin: string): Failure {
  return new Failure("tls", `no secure connection to ${origin}: ${error.code}`, {
    hint: "check the address; add the certificate of a private authority with --ca <pem>",
    cause: error,
  });
}
