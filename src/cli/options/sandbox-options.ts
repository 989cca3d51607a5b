import { InvalidArgumentError, Option } from "commander";
import type { FaultOptions, Trigger } from "../../sandbox/faults/fault-options.ts";
import { SUPPLIER_STATUSES, type SupplierStatus } from "../../sandbox/state/sandbox-state.ts";
import { wholeNumber } from "./option-values.ts";

const TRIGGER_SYNTAX = "<every:n|n%|at:n,n>";

function trigger(text: string): Trigger {
  const [, every, percent, list] = /^(?:every:(\d+)|(\d+(?:\.\d+)?)%|at:(\d+(?:,\d+)*))$/.exec(text) ?? [];
  if (every !== undefined && Number(every) > 0) return { every: Number(every) };
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
  if (list !== undefined) return { at: list.split(",").map(Number) };
  throw new InvalidArgumentError("every:10 (each tenth request), 5% (a share of them) or at:3,7 (these) is expected.");
}

function latency(text: string): number | readonly [number, number] {
  const [, from, to] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  if (from === undefined) throw new InvalidArgumentError("Milliseconds: 50, or a range 20-80.");
  return to === undefined ? Number(from) : [Number(from), Number(to)];
}

function errorStatus(text: string): 500 | 502 | 503 | 504 {
  const known = ([500, 502, 503, 504] as const).find((status) => String(status) === text);
  if (known !== undefined) return known;
  throw new InvalidArgumentError("500, 502, 503 or 504 is expected.");
}

function retryAfter(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function suppliers(text: string): Readonly<Record<string, SupplierStatus>> {
  const given = text.split(",").map((entry) => {
    const [code = "", status = "Ongoing", ...more] = entry.split("=");
    const known = SUPPLIER_STATUSES.find((one) => one === status);
    if (code.trim() === "" || known === undefined || more.length > 0) {
      throw new InvalidArgumentError(
        `Codes are expected, each with a status if need be: ${SUPPLIER_STATUSES.join(", ")}.`,
      );
    }
    return [code.trim(), known] as const;
  });
  return Object.fromEntries(given);
}

/** The import suppliers that the sandbox has. */
export const suppliersOption: Option = new Option(
  "--suppliers <codes>",
  "its import suppliers, separated by commas: SPRING,WINTER=Paused (default: those of the contract)",
).argParser(suppliers);

const count = wholeNumber(1, 1_000_000_000);

/** How the sandbox is told to misbehave. */
export const faultOptions: readonly Option[] = [
  new Option("--latency <ms|ms-ms>", "wait before each request is looked at").argParser(latency),
  new Option(`--throttle ${TRIGGER_SYNTAX}`, "answer 429 instead of processing").argParser(trigger),
  new Option("--retry-after <seconds>", "Retry-After of 429 and 503 (none: leave it out)").argParser(retryAfter),
  new Option(`--error-before ${TRIGGER_SYNTAX}`, "answer an error instead of processing").argParser(trigger),
  new Option(`--error-after ${TRIGGER_SYNTAX}`, "process, then answer an error").argParser(trigger),
  new Option("--error-status <status>", "which error (default: 500)").argParser(errorStatus),
  new Option(`--reset-before ${TRIGGER_SYNTAX}`, "reset the connection instead of processing").argParser(trigger),
  new Option(`--reset-after ${TRIGGER_SYNTAX}`, "process, then reset the connection").argParser(trigger),
  new Option(`--hang-before ${TRIGGER_SYNTAX}`, "never answer, and do not process").argParser(trigger),
  new Option(`--hang-after ${TRIGGER_SYNTAX}`, "process and never answer").argParser(trigger),
  new Option(`--cut-after ${TRIGGER_SYNTAX}`, "process, then send half a reply").argParser(trigger),
  new Option("--pause-at <k>", "turn the import supplier Paused at request k").argParser(count),
  new Option("--rotate-tokens-at <k>", "make every token worthless at request k").argParser(count),
  new Option("--max-in-flight <n>", "429 beyond this many requests at a time").argParser(count),
  new Option("--max-per-second <n>", "429 beyond this many requests a second").argParser(count),
  new Option("--max-processing <n>", "429 beyond this many processed at a time").argParser(count),
  new Option("--task-ms <ms>", "from scheduling an account to its creation (default: 100)").argParser(
    wholeNumber(0, 1_000_000),
  ),
  new Option(`--task-errors ${TRIGGER_SYNTAX}`, "scheduled accounts that end in an error").argParser(trigger),
  new Option("--drop-fields <names...>", "leave these fields out of what validation understood"),
  new Option("--token-lifetime <seconds>", "how long a token is good (default: 3600)").argParser(count),
  new Option("--refresh-lifetime <seconds>", "how long a refresh token is good (default: a week)").argParser(count),
  new Option("--max-logins <n>", "refuse logins beyond this many a minute (KT-CT-1199)").argParser(count),
  new Option("--forgetful", "do not notice repeats: a second account for the same key"),
  new Option("--seed <n>", "seed of the dice for shares and latencies").argParser(wholeNumber(0, 2 ** 31)),
].map((option) => option.helpGroup("Faults:"));

/** The fault flags as typed in: the sandbox's own options, but for three names that say their unit. */
export interface FaultFlags extends Omit<
  FaultOptions,
  "latencyMs" | "tokenLifetimeSeconds" | "refreshLifetimeSeconds"
> {
  readonly latency?: number | readonly [number, number];
  readonly tokenLifetime?: number;
  readonly refreshLifetime?: number;
}

const FAULT_NAMES = [
  "seed",
  "throttle",
  "retryAfter",
  "errorBefore",
  "errorAfter",
  "errorStatus",
  "resetBefore",
  "resetAfter",
  "hangBefore",
  "hangAfter",
  "cutAfter",
  "pauseAt",
  "rotateTokensAt",
  "maxInFlight",
  "maxPerSecond",
  "maxLogins",
  "maxProcessing",
  "taskMs",
  "taskErrors",
  "dropFields",
  "forgetful",
] as const satisfies readonly (keyof FaultFlags & keyof FaultOptions)[];

export function faultsOf(flags: FaultFlags): FaultOptions {
  const same = Object.fromEntries(
    FAULT_NAMES.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  );
  return {
    ...same,
    ...(flags.latency !== undefined && { latencyMs: flags.latency }),
    ...(flags.tokenLifetime !== undefined && { tokenLifetimeSeconds: flags.tokenLifetime }),
    ...(flags.refreshLifetime !== undefined && { refreshLifetimeSeconds: flags.refreshLifetime }),
  };
}
