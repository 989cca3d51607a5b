import type { Command, Option } from "commander";
import type { Format } from "../../report/formats/output-format.ts";
import { CHECK, KEYS, LEDGER, REJECTS, REPORT, type RUN, SENDING, THREADS } from "../../options/run-options.ts";
import { CONTRACT, INPUT, type JOB } from "../../options/job-options.ts";
import { PACE, PLATFORMS, STORE, TARGET } from "../../options/target-options.ts";
import { type FlagsOf, type FlagTable, optionOf, optionsOf } from "./option-table.ts";
import {
  type CHANGES,
  type COMPARE,
  CORRECTIONS,
  type DOCTOR,
  DOCUMENTS,
  type EXCLUDE,
  type FIELDS,
  GENERAL,
  INIT,
  MESSAGES,
  METRICS,
  type OPEN,
  PROOF,
  PUSH,
  type RECONCILE,
  type REPORT_AGAIN,
  type RESUME,
  type STATUS,
  type WEB,
} from "./run-option-tables.ts";

type Options = typeof GENERAL &
  typeof JOB &
  typeof RUN &
  typeof REJECTS &
  typeof LEDGER &
  typeof PLATFORMS &
  typeof PACE &
  typeof PUSH &
  typeof METRICS &
  typeof MESSAGES;

/** The options as parsed from the command line and the environment. `settings.ts` converts them to settings. */
export type Flags = Partial<FlagsOf<Options> & FlagsOf<typeof TARGET>>;

export interface RunFlags extends Flags {
  readonly format: Format;
}

export type ReportFlags = RunFlags & FlagsOf<typeof REPORT_AGAIN>;

export type ResumeFlags = RunFlags & Partial<FlagsOf<typeof RESUME>>;

export type ReconcileFlags = RunFlags & FlagsOf<typeof RECONCILE>;

export type InitFlags = InspectFlags & FlagsOf<typeof INIT>;

export type FieldFlags = InspectFlags & FlagsOf<typeof FIELDS>;

export type DoctorFlags = Flags & FlagsOf<typeof DOCTOR> & { readonly format: "text" | "json" };

export type ProofFlags = InspectFlags & Partial<FlagsOf<typeof PROOF>>;

export type CompareFlags = Flags & FlagsOf<typeof COMPARE>;

export type ExcludeFlags = InspectFlags & Partial<FlagsOf<typeof EXCLUDE>>;
export type ChangesFlags = Flags & FlagsOf<typeof CHANGES>;

export type OpenFlags = Flags & FlagsOf<typeof OPEN>;

export interface DemoFlags extends Flags {
  /** Whether to use several workers that share a ledger in PostgreSQL. */
  readonly cluster?: boolean;
}

export type CorrectionFlags = InspectFlags & Partial<FlagsOf<typeof CORRECTIONS>> & { readonly column?: string };

export type WebFlags = Flags & FlagsOf<typeof WEB>;

export type StoreFlags = Flags & FlagsOf<typeof STORE> & FlagsOf<(typeof STORE)["store"]["members"]>;

export type DocumentFlags = RunFlags & StoreFlags & FlagsOf<typeof DOCUMENTS>;

export type RunFilesFlags = InspectFlags & { readonly out: string };

/** Options of all other commands that show data. */
export interface InspectFlags extends Flags {
  readonly format: "text" | "json" | "markdown";
  /** The id of the run to inspect. */
  readonly run?: string;
}

export interface RepairFlags extends InspectFlags {
  /** Whether the user confirms that the restored database contains every request that other machines have sent. */
  readonly nothingLost?: boolean;
  /** Whether the user says that requests are missing from the ledger and from its journals. */
  readonly someLost?: boolean;
}

export type StatusFlags = InspectFlags & FlagsOf<typeof STATUS>;

const GROUPS: Readonly<Record<string, FlagTable>> = {
  "Options:": { ...GENERAL, ...LEDGER },
  "Contract:": CONTRACT,
  "Input:": INPUT,
  "Report:": REPORT,
  "Platform:": { ...PLATFORMS, ...TARGET },
};

const groupedOptions: readonly Option[] = Object.entries(GROUPS).flatMap(([group, table]) => optionsOf(table, group));

export function options(...names: readonly (keyof Flags)[]): readonly Option[] {
  const wanted = new Set<string>(names);
  return groupedOptions.filter((option) => wanted.has(option.attributeName()));
}

export function formatOption(more: readonly string[] = [], group = "Options:"): Option {
  const choices = ["text", "json", ...more];
  return optionOf("format", { arg: "<format>", choices, default: "text", help: "format of stdout" }, group);
}

/** The arguments that several commands share, with their help. */
export const ARGUMENTS = {
  sources: ["[sources...]", "files, globs, or - for standard input"],
  run: ["[run]", "id of the run, or its first characters (default: the latest)"],
  contract: ["<files...>", "OpenAPI document, then overlays in order"],
} as const;

/** The options that define a job: contract, mapping and input. */
export const jobOptions: readonly Option[] = [
  ...options("config"),
  ...optionsOf(CONTRACT, "Contract:"),
  ...optionsOf(INPUT, "Input:"),
];

export const checkOptions: readonly Option[] = optionsOf(CHECK, "Input:");

export const threadOptions: readonly Option[] = optionsOf(THREADS, "Input:");

const { allowOlder, ...SENDING_ONLY } = SENDING;

/** Options of `validate` and `push`. `validate` has no ledger to compare with, so it ignores `allowOlder`. */
export const rejectsOptions: readonly Option[] = optionsOf({ ...REJECTS, ...KEYS, allowOlder }, "Rejects:");

export const reportOptions: readonly Option[] = [
  optionOf(
    "format",
    { arg: "<format>", choices: "format", default: "text", env: true, help: "format of stdout" },
    "Report:",
  ),
  ...options("out", "testLocations"),
];

export const targetOptions: readonly Option[] = optionsOf({ ...PLATFORMS, ...TARGET }, "Platform:");

export const sendOptions: readonly Option[] = optionsOf({ ...SENDING_ONLY, ...PACE, ...PUSH }, "Sending:");

/** Options of `validate`, `push` and `resume`. */
export const metricsOptions: readonly Option[] = optionsOf(METRICS, "Metrics:");

const storeFlags = optionsOf({ ...STORE, ...STORE.store.members }, "Store:");

export const storeOptions: readonly Option[] = [
  ...storeFlags,
  ...optionsOf(DOCUMENTS, "Store:"),
  ...options("target", "ca", "auth", "proxy", "allowInsecureLoopback"),
];

export const initOptions: readonly Option[] = [
  ...options("config", "contract", "cache", "operation", "mapping", "source", "supplier", "encoding", "delimiter"),
  ...optionsOf(INIT, "Output:"),
  formatOption([], "Output:"),
];

/** All options that override a setting. */
export const settingOptions: readonly Option[] = [
  ...jobOptions,
  ...checkOptions,
  ...threadOptions,
  ...options("out", "ledger"),
  ...targetOptions,
  ...sendOptions,
  ...storeFlags,
];

/** Job options that do not apply to `corrections add`, which searches all rows and checks no rules. */
const OPTIONS_OF_RECORDS = ["limit", "only", "today"];

/**
 * Options of `corrections add`. `--corrections` does not conflict with `--rejects` here, because the command adds
 * corrections instead of applying them.
 */
export const correctionOptions: readonly Option[] = [
  ...jobOptions.filter((option) => !["corrections", ...OPTIONS_OF_RECORDS].includes(option.attributeName())),
  optionOf("corrections", { ...INPUT.corrections, conflicts: [] }, "Input:"),
  ...optionsOf(CORRECTIONS),
  ...rejectsOptions,
  ...options("ledger", "showValues"),
  formatOption(),
];

export const proofOptions: readonly Option[] = [
  optionOf("out", { short: "o", arg: "<dir>", help: "folder for the proof (required)" }, "Options:"),
  ...optionsOf(PROOF),
];

/** Heading for the options that every command has. */
export const MESSAGES_GROUP = "Messages:";

const messageOptions: readonly Option[] = optionsOf(MESSAGES, MESSAGES_GROUP);

/** Adds the given options and the options for messages to a command. Adds `--json` if `--format` accepts `json`. */
export function withOptions(command: Command, more: readonly Option[]): Command {
  for (const option of [...more, ...messageOptions]) {
    command.addOption(option);
    if (option.attributeName() === "format" && option.argChoices?.includes("json") === true) addJson(command, option);
  }
  return command;
}

/** Adds `--json`. If `--format` is also given, the last of the two on the command line applies. */
function addJson(command: Command, format: Option): void {
  command.addOption(optionOf("json", { help: "short for --format json" }, format.helpGroupHeading));
  command.on("option:json", () => command.setOptionValueWithSource("format", "json", "cli"));
}
