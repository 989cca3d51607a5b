import { Failure } from "../model/failure.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../model/json.ts";
import type { FaultOptions, Trigger } from "./fault-options.ts";

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

/** From 1: an every-nothing-th request cannot be. */
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
