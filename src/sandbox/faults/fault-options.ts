import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";

/**
 * Selects the data-import requests, or for `taskErrors` the scheduled imports, that have a fault. They are numbered
 * from 1. Setting the faults restarts the numbering.
 */
export interface Trigger {
  /** Every nth request. */
  readonly every?: number;
  /** This share of the requests (0 to 1), chosen with seeded random numbers. */
  readonly share?: number;
  /** The requests with these numbers. */
  readonly at?: readonly number[];
}

/** The faults of the sandbox. Apart from token and login faults, they affect data-import requests only. */
const FAULTS = {
  /** Seed of the random numbers for shares and latencies. The same seed produces the same faults. */
  seed: "count",
  /** Delay before a request is handled, in milliseconds: a fixed value, or a random value in a range. */
  latencyMs: "latency",
  /** Replies with HTTP 429 instead of processing the request. */
  throttle: "trigger",
  /**
   * `Retry-After` of every 503, and of every 429 except for `maxProcessing`: seconds, or a string sent unchanged.
   * "none" omits the header. Default: 1.
   */
  retryAfter: "retryAfter",
  /** Replies with `errorStatus` instead of processing the request. */
  errorBefore: "trigger",
  /** Processes the request, then replies with `errorStatus`. */
  errorAfter: "trigger",
  /** The status for `errorBefore` and `errorAfter`. Default: 500. */
  errorStatus: "errorStatus",
  /** Resets the connection instead of processing the request. */
  resetBefore: "trigger",
  /** Processes the request, then resets the connection without a reply. */
  resetAfter: "trigger",
  /** Leaves the connection open without processing the request or replying. */
  hangBefore: "trigger",
  /** Processes the request but never replies. */
  hangAfter: "trigger",
  /** Processes the request, sends the status and half of the body, then resets the connection. */
  cutAfter: "trigger",
  /** When the request with this number arrives, sets its import supplier to Paused. */
  pauseAt: "count",
  /** When the request with this number arrives, revokes every token. */
  rotateTokensAt: "count",
  /** Limits the number of requests in flight. Replies to further requests with HTTP 429. */
  maxInFlight: "count",
  /**
   * Limits the number of requests per second, but allows a burst of up to one second's requests. Replies to further
   * requests with HTTP 429.
   */
  maxPerSecond: "amount",
  /**
   * Limits the number of requests in flight that process staged accounts. Replies to further requests of this kind with
   * HTTP 429, without `Retry-After`.
   */
  maxProcessing: "count",
  /** Milliseconds from scheduling an account to its creation. Default: 100. */
  taskMs: "milliseconds",
  /** Selects the scheduled imports that end in an error. Imports are counted from 1. */
  taskErrors: "trigger",
  /** Fields that the reply to a validation omits at every level. */
  dropFields: "names",
  /** Lifetime of a token in seconds. Default: 3600. */
  tokenLifetimeSeconds: "amount",
  /** Lifetime of a refresh token in seconds. Default: 604,800 (a week). */
  refreshLifetimeSeconds: "amount",
  /** Maximum number of logins per minute. Further logins are refused with KT-CT-1199, even with a valid key. */
  maxLogins: "count",
  /**
   * Whether the platform fails to detect repeated requests. It then creates a second account for the same business key.
   */
  forgetful: "flag",
} as const;

export type FaultOptions = { readonly [Name in keyof typeof FAULTS]?: FaultValues[(typeof FAULTS)[Name]] };

export interface FaultValues {
  readonly trigger: Trigger;
  /** A positive integer. */
  readonly count: number;
  /** A number from 0 to `MAX_AMOUNT`. */
  readonly amount: number;
  /** A number from 0 to `MAX_WAIT_MS`. */
  readonly milliseconds: number;
  readonly latency: number | readonly [number, number];
  readonly retryAfter: number | string;
  readonly errorStatus: (typeof ERROR_STATUSES)[number];
  readonly names: readonly string[];
  readonly flag: boolean;
}

const ERROR_STATUSES = [500, 502, 503, 504] as const;

/**
 * Reads faults in the form that the admin endpoint accepts: an object with the names of `FaultOptions`. A trigger may
 * also have its command-line form: `every:10`, `5%`, `at:3,7`.
 * @throws Failure `usage` that names the invalid member
 */
export function readFaults(value: unknown): FaultOptions {
  if (!isJsonObject(value)) throw wrong("faults", "an object");
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (!isFault(name)) throw wrong(name, `one of ${Object.keys(FAULTS).join(", ")}`);
      return [name, READERS[FAULTS[name]](member, name)];
    }),
  );
}

function isFault(name: string): name is keyof typeof FAULTS {
  return Object.hasOwn(FAULTS, name);
}

const READERS: { readonly [Kind in keyof FaultValues]: (value: JsonValue, name: string) => FaultValues[Kind] } = {
  trigger: readTrigger,
  count: wholeNumber,
  amount,
  milliseconds,
  latency: readLatency,
  retryAfter: (value, name) => (typeof value === "string" ? headerText(value, name) : amount(value, name)),
  errorStatus: (value, name) => {
    const status = ERROR_STATUSES.find((one) => one === value);
    if (status === undefined) throw wrong(name, "500, 502, 503 or 504");
    return status;
  },
  names: (value, name) => {
    const names = isJsonArray(value) ? value : [value];
    if (!names.every((one) => typeof one === "string")) throw wrong(name, "a field name, or a list of field names");
    return names;
  },
  flag: (value, name) => {
    if (typeof value !== "boolean") throw wrong(name, "true or false");
    return value;
  },
};

const TRIGGER = 'every:<n>, <n>%, at:<n,n...>, or an object with "every", "share" and "at"';

function readTrigger(value: JsonValue, name: string): Trigger {
  if (typeof value === "string") return triggerFromText(value, name);
  if (!isJsonObject(value)) throw wrong(name, TRIGGER);
  const { every, share, at, ...others } = value;
  if (Object.keys(others).length > 0) throw wrong(name, TRIGGER);
  return {
    ...(every === undefined ? {} : { every: wholeNumber(every, name) }),
    ...(share === undefined ? {} : { share: portion(share, name) }),
    ...(at === undefined ? {} : { at: [at].flat().map((one) => wholeNumber(one, name)) }),
  };
}

function triggerFromText(text: string, name: string): Trigger {
  const [, every, percent, list] = /^(?:every:(\d+)|(\d+(?:\.\d+)?)%|at:(\d+(?:,\d+)*))$/.exec(text.trim()) ?? [];
  if (every !== undefined) return { every: wholeNumber(Number(every), name) };
  if (percent !== undefined) return { share: portion(Number(percent) / 100, name) };
  if (list !== undefined) return { at: list.split(",").map(Number) };
  throw wrong(name, TRIGGER);
}

function readLatency(value: JsonValue, name: string): number | readonly [number, number] {
  const [least, most, ...others] = [value].flat().map((bound) => milliseconds(bound, name));
  if (least === undefined || others.length > 0) throw wrong(name, "milliseconds, or [least, most]");
  if (most === undefined) return least;
  if (most < least) throw wrong(name, "the smaller value first");
  return [least, most];
}

function wholeNumber(value: JsonValue, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1)
    throw wrong(name, "a whole number, 1 or more");
  return value;
}

function portion(value: JsonValue, name: string): number {
  const found = amount(value, name);
  if (found > 1) throw wrong(name, "a share from 0 to 1");
  return found;
}

/** Larger numbers of seconds would be written with an exponent or would overflow dates. */
const MAX_AMOUNT = 1e9;

function amount(value: JsonValue, name: string): number {
  if (typeof value !== "number" || !(value >= 0 && value <= MAX_AMOUNT))
    throw wrong(name, `a number from 0 to ${MAX_AMOUNT}`);
  return value;
}

/** One hour. Timers of Node.js overflow after 24 days. */
const MAX_WAIT_MS = 3_600_000;

function milliseconds(value: JsonValue, name: string): number {
  const found = amount(value, name);
  if (found > MAX_WAIT_MS) throw wrong(name, `at most ${MAX_WAIT_MS} milliseconds (an hour)`);
  return found;
}

/** Refuses text that could start another header (RFC 9110 5.5, without obsolete octets). */
function headerText(text: string, name: string): string {
  if (!/^[\t\x20-\x7e]{0,200}$/.test(text)) throw wrong(name, "seconds, or at most 200 printable ASCII characters");
  return text;
}

function wrong(name: string, expected: string): Failure {
  const more = { hint: `expected: ${expected}` };
  return new Failure("usage", `the sandbox's fault setting "${name}" is not valid`, more);
}
