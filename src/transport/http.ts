/** How far a request got before it failed. Only this tells whether it may have been processed. */
export type Phase = "unsent" | "sent" | "headers";

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST";
  /** Absolute https URL on the client's own origin. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text, or its UTF-8 bytes, which are sent. */
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
}

export interface HttpReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, at most `maxReplyBytes`. */
  readonly body: string;
  /** False when the connection was lost, or the limit reached, before the body's end. */
  readonly complete: boolean;
  /** The body is not UTF-8: characters of `body` were replaced. */
  readonly isMisencoded?: boolean;
  /** The reply began before the last byte of the request had left the process. */
  readonly isEarly?: boolean;
  /** First byte sent to last byte read, milliseconds. */
  readonly durationMs: number;
}

/**
 * Sends one request and returns the platform's reply, whatever its status. Never follows a redirect.
 * @throws TransportError when there is no reply to speak of.
 */
export type Http = (request: HttpRequest) => Promise<HttpReply>;

/** Code of a request that was not sent because `HttpOptions.mayStart` said so. */
export const HELD_BACK = "HELD_BACK";

/** No reply. `phase` is `unsent` only when no byte of the request can have left. */
export class TransportError extends Error {
  readonly phase: Phase;
  /** `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`, `DEPTH_ZERO_SELF_SIGNED_CERT`... */
  readonly code: string;
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
