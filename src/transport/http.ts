/**
 * The phase in which a request failed. `unsent`: no byte of the request was sent. `sent`: the reply had not begun.
 * `headers`: the reply had begun. Only the phase determines whether the request may have been processed, except after a
 * TLS failure (`tlsFailure`).
 */
export type Phase = "unsent" | "sent" | "headers";

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST";
  /** Absolute URL on the client's own origin. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or its UTF-8 bytes. */
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, at most `maxReplyBytes`. */
  readonly body: string;
  /**
   * False if the connection was lost, the request was aborted, or a time or length limit was reached before the end of
   * the body.
   */
  readonly complete: boolean;
  /** Whether the body was not valid UTF-8 and some characters of `body` were therefore replaced. */
  readonly isMisencoded?: boolean;
  /** Whether the reply started before the last byte of the request was sent. */
  readonly isEarly?: boolean;
  /** Milliseconds from the first byte sent to the last byte read. */
  readonly durationMs: number;
}

/**
 * Sends one request and returns the reply, whatever its status. Never follows a redirect.
 * @throws TransportError if there is no reply; Failure `redirect` for a URL on another origin
 */
export type Http = (request: HttpRequest) => Promise<HttpReply>;

/** Code of a request that was not sent because `HttpOptions.mayStart` returned false. */
export const HELD_BACK = "HELD_BACK";

/** Thrown if there is no reply. `phase` is `unsent` only if no byte of the request can have been sent. */
export class TransportError extends Error {
  readonly phase: Phase;
  /** The code of the error, such as `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT` or `DEPTH_ZERO_SELF_SIGNED_CERT`. */
  readonly code: string;
  /** Milliseconds since the first byte was sent or, for an unsent request, since the call. */
  readonly durationMs: number;

  constructor(
    phase: Phase,
    message: string,
    more: { readonly code: string; readonly durationMs: number; readonly cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.name = "TransportError";
    this.phase = phase;
    this.code = more.code;
    this.durationMs = more.durationMs;
  }
}
