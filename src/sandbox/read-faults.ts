import { Failure } from "../model/failure.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";
import type { FaultOptions, Trigger } from "./fault-options.ts";

/**
 * Reads faults as they are typed at the command line or posted to the admin end-point: an object with the names of
 * `FaultOptions`. Numbers may be texts; a trigger may be a text: `every:10`, `share:0.05`, `at:7` or `at:7,9`;
 * a latency range too: `50-200`. Members that are undefined are left out.
 *
 * @throws Failure `usage` that names the member.
 */
export function readFaults(value: unknown): FaultOptions {
  if (!isJsonObject(value)) throw wrong("faults", "an object");
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([name, member]) => {
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
  retryAfter: (value, name) => (typeof value === "string" && !isNumeric(value) ? value : amount(value, name)),
  errorBefore: readTrigger,
  errorAfter: readTrigger,
  errorStatus: (value, name) => {
    const status = [500, 502, 503, 504].find((one) => one === Number(value));
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
  tokenLifetimeSeconds: amount,
  forgetful: (value, name) => {
    if (typeof value !== "boolean") throw wrong(name, "true or false");
    return value;
  },
};

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

const TRIGGER = "every:<n>, share:<0 to 1> or at:<n,n...>";

function triggerFromText(text: string, name: string): Trigger {
  const [, kind, rest = ""] = /^(every|share|at):(.+)$/.exec(text.trim()) ?? [];
  switch (kind) {
    case "every":
      return { every: wholeNumber(rest, name) };
    case "share":
      return { share: portion(rest, name) };
    case "at":
      return { at: rest.split(",").map((one) => wholeNumber(one, name)) };
    default:
      throw wrong(name, TRIGGER);
  }
}

function readLatency(value: JsonValue, name: string): number | readonly [number, number] {
  const bounds = typeof value === "string" ? value.split("-") : [value].flat();
  const [least, most, ...others] = bounds.map((bound) => amount(bound, name));
  if (least === undefined || others.length > 0) throw wrong(name, "milliseconds, or two values as <least>-<most>");
  if (most === undefined) return least;
  if (most < least) throw wrong(name, "the smaller value first");
  return [least, most];
}

function wholeNumber(value: JsonValue, name: string): number {
  const found = amount(value, name);
  if (!Number.isSafeInteger(found)) throw wrong(name, "a whole number");
  return found;
}

function portion(value: JsonValue, name: string): number {
  const found = amount(value, name);
  if (found > 1) throw wrong(name, "a share from 0 to 1");
  return found;
}

function amount(value: JsonValue, name: string): number {
  if (typeof value !== "number" && !(typeof value === "string" && isNumeric(value))) throw wrong(name, "a number");
  return Number(value);
}

function isNumeric(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text);
}

function wrong(name: string, expected: string): Failure {
  return new Failure("usage", `The sandbox's fault setting "${name}" does not fit.`, {
    hint: `Expected is ${expected}.`,
  });
}
