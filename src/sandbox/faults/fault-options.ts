import type { JsonValue } from "../../json/json-value.ts";
import { isJsonArray, isJsonObject } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";

/** When a fault happens. Requests are the data-import requests received since the faults were last set, counted from 1. */
export interface Trigger {
  /** Every nth request. */
  readonly every?: number;
  /** This share of the requests (0 to 1), by seeded random numbers. */
  readonly share?: number;
  /** Exactly these requests. */
  readonly at?: readonly number[];
}

/** The faults of the sandbox. Those of tokens and logins concern these; all others concern data-import requests only. */
export interface FaultOptions {
  /** Seed of the random numbers for shares and latencies; the same seed gives the same faults. */
  readonly seed?: number;
  /** Milliseconds before a request is looked at: fixed, or anywhere between two values. */
  readonly latencyMs?: number | readonly [number, number];
  /** HTTP 429 before processing. */
  readonly throttle?: Trigger;
  /** `Retry-After` of every 429 and 503: seconds, or a text that is sent unchanged; "none" leaves the header out. Default 1. */
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
  /** Sets the request's import supplier to Paused when this request arrives. */
  readonly pauseAt?: number;
  /** Revokes every token when this request arrives. */
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

/**
 * Reads faults as they are posted to the admin end-point: an object with the names of `FaultOptions`. A trigger may
 * also be written as at the command line: `every:10`, `5%`, `at:3,7`.
 *
 * @throws Failure `usage` that names the member.
 */
export function readFaults(value: unknown): FaultOptions {
  if (!isJsonObject(value)) throw wrong("faults", "an object");
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
      if (read === undefined) throw wrong(name, `one of ${Object.keys(READERS).join(", ")}`);
      return [name, read(member, name)];
    }),
  );
}

type Reader = (value: JsonValue, name: string) => unknown;

const READERS: Readonly<Record<keyof FaultOptions, Reader>> & Readonly<Record<string, Reader>> = {
  seed: wholeNumber,
  latencyMs: readLatency,
  throttle: readTrigger,
  retryAfter: (value, name) => (typeof value === "string" ? value : amount(value, name)),
  errorBefore: readTrigger,
  errorAfter: readTrigger,
  errorStatus: (value, name) => {
    const status = [500, 502, 503, 504].find((one) => one === value);
    if (status === undefined) throw wrong(name, "500, 502, 503 or 504");
    return status;
  },
  resetBefore: readTrigger,
  resetAfter: readTrigger,
  hangBefore: readTrigger,
  hangAfter: readTrigger,
  cutAfter: readTrigger,
  pauseAt: wholeNumber,
  rotateTokensAt: wholeNumber,
  maxInFlight: wholeNumber,
  maxPerSecond: amount,
  maxProcessing: wholeNumber,
  taskMs: amount,
  taskErrors: readTrigger,
  dropFields: (value, name) => {
    const names = isJsonArray(value) ? value : [value];
    if (!names.every((one) => typeof one === "string")) throw wrong(name, "names of fields");
    return names;
  },
  tokenLifetimeSeconds: amount,
  refreshLifetimeSeconds: amount,
  maxLogins: wholeNumber,
  forgetful: (value, name) => {
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
  const [least, most, ...others] = [value].flat().map((bound) => amount(bound, name));
  if (least === undefined || others.length > 0) throw wrong(name, "milliseconds, or [least, most]");
  if (most === undefined) return least;
  if (most < least) throw wrong(name, "the smaller value first");
  return [least, most];
}

/** Every nth request, from 1. */
function wholeNumber(value: JsonValue, name: string): number {
  const found = amount(value, name);
  if (!Number.isSafeInteger(found) || found < 1) throw wrong(name, "a whole number from 1");
  return found;
}

function portion(value: JsonValue, name: string): number {
  const found = amount(value, name);
  if (found > 1) throw wrong(name, "a share from 0 to 1");
  return found;
}

function amount(value: JsonValue, name: string): number {
  if (typeof value !== "number" || value < 0) throw wrong(name, "a number from 0");
  return value;
}

function wrong(name: string, expected: string): Failure {
  const more = { hint: `expected is ${expected}` };
  return new Failure("usage", `the sandbox's fault setting "${name}" is not understood`, more);
}
