import type { TransportError } from "../transport/http.ts";
import { proxyFailure } from "../transport/proxy-failure.ts";
import { tlsFailure } from "../transport/tls-failure.ts";
import type { Judgement } from "./verdict.ts";

/**
 * What a request without a reply means. Only the phase tells whether the platform may have processed it; the code
 * only adds words, apart from the certificates that cannot be trusted.
 */
export function judgeError(error: TransportError, origin: string): Judgement {
  if (error.phase === "unsent") {
    if (error.code === "ABORTED") return { verdict: { kind: "held", reason: "not sent" } };
    const failure = tlsFailure(error, origin) ?? proxyFailure(error, origin);
    if (failure !== undefined) return { verdict: { kind: "stop", failure } };
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
