/** How long each part of a request may take, in milliseconds. Nothing waits unbounded (FAULTS: P17). */
export interface Timeouts {
  /** TCP connection and TLS handshake. */
  readonly connectMs: number;
  /** From the request's last byte to the reply's header. */
  readonly headersMs: number;
  /** Between two pieces of the reply's body. */
  readonly bodyMs: number;
  /** The whole request, waiting for a connection included. */
  readonly totalMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 10_000,
  headersMs: 60_000,
  bodyMs: 30_000,
  totalMs: 120_000,
};

/** An idle connection is dropped after this long, before a typical server (5 s and more) drops it under our request. */
export const KEEP_ALIVE_MS = 4_000;

/** A reply's body is read up to here and no further. */
export const MAX_REPLY_BYTES: number = 1024 * 1024;

/** A reply's header may not be longer. */
export const MAX_HEADER_BYTES: number = 32 * 1024;
