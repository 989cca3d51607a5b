/** When a fault strikes. Requests are the data-import requests received since the faults were last set, counted from 1. */
export interface Trigger {
  /** Every nth request. */
  readonly every?: number;
  /** This share of the requests (0 to 1), by the seeded dice. */
  readonly share?: number;
  /** Exactly these requests. */
  readonly at?: readonly number[];
}

/** How the sandbox misbehaves. What concerns tokens and logins strikes those; everything else, data-import requests only. */
export interface FaultOptions {
  /** Seed of the dice for shares and latencies; the same seed gives the same faults. */
  readonly seed?: number;
  /** Milliseconds before a request is looked at: fixed, or anywhere between two values. */
  readonly latencyMs?: number | readonly [number, number];
  /** HTTP 429 before processing. */
  readonly throttle?: Trigger;
  /** `Retry-After` of every 429 and 503: seconds, or a text sent as it is; "none" leaves the header out. Default 1. */
  readonly retryAfter?: number | string;
  /** `errorStatus` instead of processing. */
  readonly errorBefore?: Trigger;
  /** Processes, then answers `errorStatus`. */
  readonly errorAfter?: Trigger;
  /** Default 500. */
  readonly errorStatus?: 500 | 502 | 503 | 504;
  /** Resets the connection instead of processing. */
  readonly resetBefore?: Trigger;
  /** Processes, then resets the connection without a reply. */
  readonly resetAfter?: Trigger;
  /** Never answers, and does not process. */
  readonly hangBefore?: Trigger;
  /** Processes and never answers. */
  readonly hangAfter?: Trigger;
  /** Processes, sends the status and half of the body, then resets the connection. */
  readonly cutAfter?: Trigger;
  /** Turns the request's import supplier Paused when this request arrives. */
  readonly pauseAt?: number;
  /** Makes every token worthless when this request arrives. */
  readonly rotateTokensAt?: number;
  /** HTTP 429 for requests beyond this many at a time. */
  readonly maxInFlight?: number;
  /** HTTP 429 for requests beyond this many a second (a second's worth may come at once). */
  readonly maxPerSecond?: number;
  /** HTTP 429, without `Retry-After`, for requests beyond this many at a time that process what was staged. */
  readonly maxProcessing?: number;
  /** Milliseconds from scheduling an account to its creation, default 100. */
  readonly taskMs?: number;
  /** These scheduled accounts end in an error; counted from 1. */
  readonly taskErrors?: Trigger;
  /** Fields that validation leaves out of what it understood, wherever they stand. */
  readonly dropFields?: readonly string[];
  /** Default 3600. */
  readonly tokenLifetimeSeconds?: number;
  /** Default 604,800: a week. */
  readonly refreshLifetimeSeconds?: number;
  /** Logins beyond this many in a minute are refused with KT-CT-1199, whether their key is right or wrong. */
  readonly maxLogins?: number;
  /** True: the platform does not notice repeats, and makes a second account for the same business key. */
  readonly forgetful?: boolean;
}
