import type { Option } from "commander";
import { definedMembers } from "../../json/defined-members.ts";
import type { FaultOptions } from "../../sandbox/faults/fault-options.ts";
import type { Flags } from "./options.ts";
import { type FlagsOf, optionsOf } from "./option-table.ts";

const SANDBOX = {
  port: { arg: "<n>", kind: "number", range: [0, 65_535], default: 0, help: "listening port (0: any free port)" },
  suppliers: {
    arg: "<codes>",
    kind: "suppliers",
    help: "import suppliers, each with an optional status, such as SPRING,WINTER=Paused (default: from the contract)",
  },
  maxBody: { arg: "<bytes>", kind: "count", help: "maximum size of a request body (default: 16777216)" },
  data: { arg: "<file>", help: "file that stores the state across restarts" },
  readyFile: { arg: "<path>", help: "file to write the address and API key to once the sandbox is listening" },
} as const;

export const sandboxOptions: readonly Option[] = optionsOf(SANDBOX);

export type SandboxFlags = Flags & FlagsOf<typeof SANDBOX> & FaultFlags;

const FAULTS = {
  latency: { arg: "<ms|ms-ms>", kind: "latency", help: "delay of each data-import request" },
  throttle: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "refuse these requests with 429" },
  retryAfter: {
    arg: "<seconds>",
    kind: "retryAfter",
    help: "Retry-After of 503 and most 429 replies (default: 1; none: omit it)",
  },
  errorBefore: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "refuse these requests with an error" },
  errorAfter: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "process these requests, but return errors" },
  errorStatus: { arg: "<status>", kind: "errorStatus", help: "status of --error-* replies (default: 500)" },
  resetBefore: {
    arg: "<every:n|n%|at:n,n>",
    kind: "trigger",
    help: "reset before processing these requests",
  },
  resetAfter: {
    arg: "<every:n|n%|at:n,n>",
    kind: "trigger",
    help: "process these requests, then reset the connection",
  },
  hangBefore: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "neither process nor answer these requests" },
  hangAfter: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "process these requests, but never reply" },
  cutAfter: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "truncate the replies to these requests" },
  pauseAt: { arg: "<k>", kind: "count", help: "pause the import supplier of request k" },
  rotateTokensAt: { arg: "<k>", kind: "count", help: "revoke all tokens at request k" },
  maxInFlight: { arg: "<n>", kind: "count", help: "return 429 above this number of concurrent requests" },
  maxPerSecond: { arg: "<n>", kind: "count", help: "return 429 above this number of requests per second" },
  maxProcessing: {
    arg: "<n>",
    kind: "count",
    help: "return 429 above this number of concurrent requests that process staged accounts",
  },
  taskMs: {
    arg: "<ms>",
    kind: "number",
    range: [0, 1_000_000],
    help: "time from scheduling an account to its creation (default: 100)",
  },
  taskErrors: { arg: "<every:n|n%|at:n,n>", kind: "trigger", help: "make these scheduled imports fail" },
  dropFields: { arg: "<names...>", help: "fields to omit from the reply of the validation endpoint" },
  tokenLifetime: { arg: "<seconds>", kind: "count", help: "token lifetime (default: 3600)" },
  refreshLifetime: { arg: "<seconds>", kind: "count", help: "refresh token lifetime (default: 604800)" },
  maxLogins: {
    arg: "<n>",
    kind: "count",
    help: "maximum logins per minute; further logins are refused (KT-CT-1199)",
  },
  forgetful: { help: "create another account for a repeated key" },
  seed: { arg: "<n>", kind: "number", range: [0, 2_147_483_648], help: "seed for random faults and latencies" },
} as const;

export const faultOptions: readonly Option[] = optionsOf(FAULTS, "Faults:");

export type FaultFlags = FlagsOf<typeof FAULTS>;

/**
 * Converts flags to sandbox options. The names are the same, except that three sandbox options add the unit
 * (`latencyMs`, ...).
 */
export function faultsOf({ latency, tokenLifetime, refreshLifetime, ...flags }: FaultFlags): FaultOptions {
  return {
    ...Object.fromEntries(Object.entries(flags).filter(([name]) => Object.hasOwn(FAULTS, name))),
    ...definedMembers({ latencyMs: latency, tokenLifetimeSeconds: tokenLifetime }),
    ...definedMembers({ refreshLifetimeSeconds: refreshLifetime }),
  };
}
