import type { Option } from "commander";
import { definedMembers } from "../../json/defined-members.ts";
import type { FaultOptions } from "../../sandbox/faults/fault-options.ts";
import type { Flags } from "./options.ts";
import { type FlagsOf, optionsOf } from "./option-table.ts";

const SANDBOX = {
  port: { arg: "<n>", kind: "number", range: [0, 65_535], default: 0, help: "port (0: any free one)" },
  suppliers: {
    arg: "<codes>",
    kind: "suppliers",
    help: "its import suppliers, separated by commas: SPRING,WINTER=Paused (default: those of the contract)",
  },
  maxBody: { arg: "<bytes>", kind: "count", help: "largest request body (default: 16777216)" },
  data: { arg: "<file>", help: "keep its accounts in this file" },
  readyFile: { arg: "<path>", help: "write where it listens, and its key, to this file once it does" },
} as const;

export const sandboxOptions: readonly Option[] = optionsOf(SANDBOX);

export type SandboxFlags = Flags & FlagsOf<typeof SANDBOX> & FaultFlags;

const FAULTS = {
  latency: { arg: "<ms|ms-ms>", kind: "latency", help: "wait before each request is looked at" },
  throttle: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "answer 429 instead of processing" },
  retryAfter: { arg: "<seconds>", kind: "retryAfter", help: "Retry-After of 429 and 503 (none: leave it out)" },
  errorBefore: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "answer an error instead of processing" },
  errorAfter: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "process, then answer an error" },
  errorStatus: { arg: "<status>", kind: "errorStatus", help: "which error (default: 500)" },
  resetBefore: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "reset the connection instead of processing" },
  resetAfter: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "process, then reset the connection" },
  hangBefore: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "never answer, and do not process" },
  hangAfter: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "process and never answer" },
  cutAfter: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "process, then send half a reply" },
  pauseAt: { arg: "<k>", kind: "count", help: "turn the import supplier Paused at request k" },
  rotateTokensAt: { arg: "<k>", kind: "count", help: "make every token worthless at request k" },
  maxInFlight: { arg: "<n>", kind: "count", help: "429 beyond this many requests at a time" },
  maxPerSecond: { arg: "<n>", kind: "count", help: "429 beyond this many requests a second" },
  maxProcessing: { arg: "<n>", kind: "count", help: "429 beyond this many processed at a time" },
  taskMs: {
    arg: "<ms>",
    kind: "number",
    range: [0, 1_000_000],
    help: "from scheduling an account to its creation (default: 100)",
  },
  taskErrors: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "scheduled accounts that end in an error" },
  dropFields: { arg: "<names...>", help: "leave these fields out of what validation understood" },
  tokenLifetime: { arg: "<seconds>", kind: "count", help: "how long a token is good (default: 3600)" },
  refreshLifetime: { arg: "<seconds>", kind: "count", help: "how long a refresh token is good (default: a week)" },
  maxLogins: { arg: "<n>", kind: "count", help: "refuse logins beyond this many a minute (KT-CT-1199)" },
  forgetful: { help: "do not notice repeats: a second account for the same key" },
  seed: { arg: "<n>", kind: "number", range: [0, 2_147_483_648], help: "seed of the random shares and latencies" },
} as const;

/** How the sandbox is told to misbehave. */
export const faultOptions: readonly Option[] = optionsOf(FAULTS, "Faults:");

export type FaultFlags = FlagsOf<typeof FAULTS>;

/** The flags have the names of the sandbox's own options, where three names hold the unit. */
export function faultsOf(flags: FaultFlags): FaultOptions {
  const { latency, tokenLifetime, refreshLifetime } = flags;
  const names = Object.keys(FAULTS).filter((name) => !["latency", "tokenLifetime", "refreshLifetime"].includes(name));
  const given = new Map(Object.entries(flags));
  return {
    ...Object.fromEntries(names.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : []))),
    ...definedMembers({ latencyMs: latency, tokenLifetimeSeconds: tokenLifetime }),
    ...definedMembers({ refreshLifetimeSeconds: refreshLifetime }),
  };
}
