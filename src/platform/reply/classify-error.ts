import { Failure } from "../../model/failure.ts";
import type { TransportError } from "../../transport/http.ts";
import { proxyFailure } from "../../transport/proxy-tunnel.ts";
import { tlsFailure } from "../../transport/tls.ts";
import { ambiguous, type Classification } from "./reply-class.ts";

/**
 * Classifies a request without a reply. The phase determines whether the platform may have processed the request. The
 * code determines the reason, whether the server appears to be the API, and whether later requests are sent more
 * slowly. After a TLS failure, or if a proxy blocks the request, the platform has processed nothing, regardless of the
 * phase, and further requests are pointless.
 */
export function classifyError(error: TransportError, origin: string): Classification {
  const failure = tlsFailure(error, origin) ?? proxyFailure(error, origin);
  if (failure !== undefined) return { replyClass: { kind: "stop", failure } };
  if (error.phase === "unsent") {
    if (error.code === "ABORTED") return { replyClass: { kind: "cancelled", reason: "not sent" } };
    return { replyClass: { kind: "unsent", code: error.code, reason: unsentReason(error.code, origin) } };
  }
  const reason = REASONS[error.message] ?? REASONS[error.code] ?? `no trustworthy reply: ${error.code}`;
  const replyClass = ambiguous(reason, NOT_HTTP_CODES.has(error.code));
  return TIMEOUT_CODES.has(error.code) ? { replyClass, pushBack: { reason: "timeout" } } : { replyClass };
}

export function unreachableFailure(error: TransportError, origin: string, hint: string = UNREACHABLE_HINT): Failure {
  const { replyClass } = classifyError(error, origin);
  if (replyClass.kind === "stop") return replyClass.failure;
  const reason = "reason" in replyClass ? replyClass.reason : error.code;
  return unknownHost(error.code, reason) ?? new Failure("platform_unreachable", reason, { hint, cause: error });
}

export const UNREACHABLE_HINT = "check the network and the base URL, then run the same command again";

export function unknownHost(code: string, reason: string): Failure | undefined {
  if (code !== "ENOTFOUND") return undefined;
  return new Failure("usage", reason, { hint: "check the host name in the base URL" });
}

function unsentReason(code: string, origin: string): string {
  const [, ofProxy] = /^PROXY_(\w+)$/.exec(code) ?? [];
  if (ofProxy === undefined) return `cannot reach ${origin}: ${causeOf(code)}`;
  return /^\d+$/.test(ofProxy)
    ? `cannot reach ${origin}: the proxy replies with HTTP ${ofProxy}`
    : `cannot reach the proxy: ${causeOf(ofProxy)}`;
}

function causeOf(code: string): string {
  const words = CAUSES[code];
  return words === undefined ? code : `${words} (${code})`;
}

const CAUSES: Readonly<Record<string, string>> = {
  EAI_AGAIN: "its name cannot be resolved at the moment",
  ECONNREFUSED: "it refuses the connection",
  ECONNRESET: "it closes the connection",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ENOTFOUND: "its name is unknown",
  HPE_INVALID_CONSTANT: "its reply is not HTTP",
  TIMEOUT: "it does not answer",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
};

const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "REQUEST_TIMEOUT",
]);
const NOT_HTTP_CODES: ReadonlySet<string> = new Set(["HTTPParserError", "UND_ERR_HEADERS_OVERFLOW"]);
/** By the error's message or code. */
const REASONS: Readonly<Record<string, string>> = {
  // undici's message
  "bad response": "unrequested HTTP 100 before the reply",
  UND_ERR_HEADERS_TIMEOUT: "timeout waiting for the reply",
  REQUEST_TIMEOUT: "timeout for the whole request",
  UND_ERR_SOCKET: "connection closed before the reply",
  ECONNRESET: "connection reset before the reply",
  EPIPE: "connection closed before the reply",
  HTTPParserError: "the reply is not HTTP",
  UND_ERR_HEADERS_OVERFLOW: "the reply's header is too long",
  ABORTED: "stopped while waiting for the reply",
};
