import { isUtf8 } from "node:buffer";
import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { errorCode } from "../files/error-code.ts";
import { getOrAdd } from "../model/groups.ts";
import { HELD_BACK, type HttpReply, type Phase, TransportError } from "./http.ts";

interface ExchangeCallbacks {
  readonly resolve: (reply: HttpReply) => void;
  readonly reject: (error: Error) => void;
}

interface ExchangeLimits {
  readonly totalMs: number;
  readonly maxReplyBytes: number;
  readonly mayStart: (() => boolean) | undefined;
}

/**
 * One request and its reply. undici calls the `on...` methods in order. Only these calls show reliably whether the
 * request was sent, because the same error code occurs before and after sending. This is a class, because a set of
 * closures per request is measurably slower.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  #phase: Phase = "unsent";
  #over = false;
  #startedAt = performance.now();
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;
  #group: Set<Exchange> | undefined;
  #isWritten = true;
  #isEarly = false;
  readonly #timer: NodeJS.Timeout;
  readonly #ending: ExchangeCallbacks;
  readonly #limits: ExchangeLimits;

  constructor(ending: ExchangeCallbacks, limits: ExchangeLimits) {
    this.#ending = ending;
    this.#limits = limits;
    this.#timer = setTimeout(timeOut, limits.totalMs, this);
  }

  /** Sets the group of the exchange. The exchange removes itself from the group when it ends. */
  inGroup(group: Set<Exchange>): void {
    this.#group = group;
  }

  /** Called immediately before the first byte is written. From then on, the platform may have read the request. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    const again = this.#phase !== "unsent";
    this.#controller = controller;
    if (this.#over || again) {
      controller.abort(new Error(again ? "refused to send a request twice" : "no longer needed"));
      return;
    }
    if (this.#limits.mayStart?.() === false) return this.abort(HELD_BACK, "held back before it was sent");
    this.#phase = "sent";
    this.#startedAt = performance.now();
  }

  /**
   * Splits a long body into chunks. undici requests a chunk after the operating system has accepted the previous chunk.
   * Until undici requests the last chunk, the platform cannot have received the whole request.
   */
  async *piecesOf(body: Buffer): AsyncGenerator<Buffer> {
    this.#isWritten = false;
    for (let at = 0; at < body.length; at += PIECE_BYTES) {
      this.#isWritten = at + PIECE_BYTES >= body.length;
      yield body.subarray(at, at + PIECE_BYTES);
    }
  }

  /** Called when the first byte of the reply has arrived. */
  onResponseStarted(): void {
    this.#phase = "headers";
    this.#isEarly = !this.#isWritten;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    const room = this.#limits.maxReplyBytes - this.#bytes;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    this.#reply(false);
    controller.abort(new Error("the reply is too long"));
  }

  onResponseEnd(): void {
    this.#reply(true);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#status > 0) this.#reply(false);
    else this.#fail(error.message, codeOf(error), error);
  }

  /** Ends the exchange in any state. A reply that has started counts as truncated. */
  abort(code: string, message: string): void {
    if (this.#status > 0) this.#reply(false);
    else this.#fail(message, code);
    this.#controller?.abort(new Error(message));
  }

  /** Called when undici has rejected the request. */
  refused(cause: unknown): void {
    this.#fail(cause instanceof Error ? cause.message : String(cause), codeOf(cause), cause);
  }

  #reply(complete: boolean): void {
    if (!this.#finish()) return;
    const bytes = this.#body();
    const body = bytes.toString("utf8");
    const isMisencoded = body.includes(REPLACEMENT_CHARACTER) && !isUtf8(bytes);
    this.#ending.resolve({
      status: this.#status,
      headers: joinedHeaders(this.#headers),
      body,
      complete,
      ...(isMisencoded && { isMisencoded }),
      ...(this.#isEarly && { isEarly: true }),
      durationMs: this.#elapsed(),
    });
  }

  #fail(message: string, code: string, cause?: unknown): void {
    if (!this.#finish()) return;
    this.#ending.reject(new TransportError(this.#phase, message, { code, durationMs: this.#elapsed(), cause }));
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#group?.delete(this);
    return true;
  }

  #body(): Buffer {
    const [only] = this.#chunks;
    return only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
  }

  #elapsed(): number {
    return performance.now() - this.#startedAt;
  }
}

/** The decoder's replacement character for bytes that are not UTF-8. */
const REPLACEMENT_CHARACTER = "\uFFFD";

/** A body up to this size is passed as a whole. */
export const PIECE_BYTES: number = 64 * 1024;

function timeOut(exchange: Exchange): void {
  exchange.abort("REQUEST_TIMEOUT", "the request took too long");
}

function joinedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value === "string") result[name] = value;
    else if (value !== undefined) result[name] = value.join(", ");
  }
  return result;
}

/**
 * Returns the error's code or, because undici and Node nest errors, the code of the first cause that has one. If none
 * has a code, returns the name of the innermost error.
 */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "UNKNOWN";
  return errorCode(error) ?? (error.cause instanceof Error ? codeOf(error.cause) : error.name);
}

/**
 * Returns a function that aborts an exchange when a signal aborts. All exchanges with the same signal share one
 * listener, because adding and removing a listener for every request would cost more than all other bookkeeping of the
 * request. The function returns false if the signal has already aborted; the exchange has then ended.
 */
export function createAbortListeners(): (signal: AbortSignal, exchange: Exchange) => boolean {
  const followed = new WeakMap<AbortSignal, Set<Exchange>>();

  const follow = (signal: AbortSignal): Set<Exchange> => {
    const exchanges = new Set<Exchange>();
    // Disables the warning about more than ten listeners, because a command that reads back many runs opens a
    // connection for each run.
    setMaxListeners(0, signal);
    const abortAll = (): void => {
      for (const exchange of exchanges) exchange.abort("ABORTED", "stopped before the reply arrived");
    };
    signal.addEventListener("abort", abortAll, { once: true });
    return exchanges;
  };

  return (signal, exchange) => {
    if (signal.aborted) {
      exchange.abort("ABORTED", "stopped before it was sent");
      return false;
    }
    const exchanges = getOrAdd(followed, signal, () => follow(signal));
    exchanges.add(exchange);
    exchange.inGroup(exchanges);
    return true;
  };
}
