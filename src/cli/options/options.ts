import type { Command, Option } from "commander";
import type { Format } from "../../report/formats/output-format.ts";
import { type FlagsOf, optionOf, optionsOf, type OptionTable } from "./option-table.ts";
import {
  GENERAL,
  CONTRACT,
  INPUT,
  CHECK,
  THREADS,
  REJECTS,
  REPORT,
  PLATFORM,
  SENDING,
  METRICS,
  MESSAGES,
  FIELDS,
  DOCTOR,
  STORE,
  INIT,
  RECONCILE,
  PROOF,
} from "./run-option-tables.ts";

type Options = typeof GENERAL &
  typeof CONTRACT &
  typeof INPUT &
  typeof CHECK &
  typeof THREADS &
  typeof REJECTS &
  typeof REPORT &
  typeof PLATFORM &
  typeof SENDING &
  typeof METRICS &
  typeof MESSAGES;

/** Those of the commands that work on a job or on a run. */
export const OPTIONS: Options = {
  ...GENERAL,
  ...CONTRACT,
  ...INPUT,
  ...CHECK,
  ...THREADS,
  ...REJECTS,
  ...REPORT,
  ...PLATFORM,
  ...SENDING,
  ...METRICS,
  ...MESSAGES,
};

/** The options as typed in; `settings.ts` turns them into what was meant. */
export type Flags = Partial<FlagsOf<Options>>;

/** Those that the configuration file can set too. */
export type ConfigurableFlags = Pick<Flags, Configurable<Options>>;
type Configurable<Table> = { [Name in keyof Table]: Table[Name] extends { config: true } ? Name : never }[keyof Table];

/** Of the commands that report a run. */
export interface RunFlags extends Flags {
  readonly format: Format;
  /** What platform and local validation disagree about, in place of the report. */
  readonly drift?: boolean;
}

/** Of `reconcile`. */
export type ReconcileFlags = RunFlags & FlagsOf<typeof RECONCILE>;

/** Of `init`. */
export type InitFlags = Omit<InspectFlags, "out"> & FlagsOf<typeof INIT>;

/** Of `contract show`. */
export type FieldFlags = InspectFlags & FlagsOf<typeof FIELDS>;

/** Of `doctor`. */
export type DoctorFlags = Flags & FlagsOf<typeof DOCTOR> & { readonly format: "text" | "json" };

/** Of `proof`. */
export type ProofFlags = InspectFlags & Partial<FlagsOf<typeof PROOF>>;

/** Of `demo`. */
export interface DemoFlags extends Flags {
  /** Several workers, and a ledger on PostgreSQL. */
  readonly cluster?: boolean;
}

/** Of `documents check`. */
export type DocumentFlags = Omit<RunFlags, "concurrency"> & FlagsOf<typeof STORE>;

/** Of the commands that show something else. */
export interface InspectFlags extends Flags {
  readonly format: "text" | "json" | "markdown";
  /** The run to look into. */
  readonly run?: string;
  /** No request of another machine is missing in a restored database. */
  readonly nothingLost?: boolean;
  /** Show it anew while a run is at work. */
  readonly watch?: boolean;
}

const GROUPS: Readonly<Record<string, OptionTable>> = {
  "Options:": GENERAL,
  "Contract:": CONTRACT,
  "Input:": INPUT,
  "Report:": REPORT,
  "Platform:": PLATFORM,
};

/** The options of these names. */
export function options(...names: readonly (keyof Flags)[]): readonly Option[] {
  const wanted = new Set<string>(names);
  const all = Object.entries(GROUPS).flatMap(([group, table]) => optionsOf(table, group));
  return all.filter((option) => wanted.has(option.attributeName()));
}

export function formatOption(...more: readonly string[]): Option {
  const choices = ["text", "json", ...more];
  return optionOf("format", { arg: "<format>", choices, default: "text", help: "format of stdout" }, "Options:");
}

/** What makes a job: a contract, a mapping, an input. */
export const jobOptions: readonly Option[] = [
  ...options("config"),
  ...optionsOf(CONTRACT, "Contract:"),
  ...optionsOf(INPUT, "Input:"),
];

/** Of the commands that check the whole input. */
export const checkOptions: readonly Option[] = optionsOf(CHECK, "Input:");

/** The same with all that the machine has. */
export const threadOptions: readonly Option[] = optionsOf(THREADS, "Input:");

/** Of the commands that take rejects back. */
export const rejectsOptions: readonly Option[] = optionsOf(REJECTS, "Rejects:");

/** Of the commands that report a run. */
export const reportOptions: readonly Option[] = [
  optionOf(
    "format",
    { arg: "<format>", choices: "format", default: "text", env: true, help: "format of stdout" },
    "Report:",
  ),
  ...options("out", "testLocations"),
];

export const targetOptions: readonly Option[] = optionsOf(PLATFORM, "Platform:");

export const sendOptions: readonly Option[] = optionsOf(SENDING, "Sending:");

/** Of the commands that take long. */
export const metricsOptions: readonly Option[] = optionsOf(METRICS, "Metrics:");

export const storeOptions: readonly Option[] = [
  ...optionsOf(STORE, "Store:"),
  ...options("target", "ca", "auth", "proxy", "allowInsecureLoopback"),
];

export const initOptions: readonly Option[] = [
  ...options("config", "contract", "cache", "operation", "mapping", "source", "supplier", "encoding", "delimiter"),
  ...optionsOf(INIT, "Output:"),
  optionOf(
    "format",
    { arg: "<format>", choices: ["text", "json"], default: "text", help: "format of stdout" },
    "Output:",
  ),
];

/** What settings can be given with. */
export const settingOptions: readonly Option[] = [
  ...jobOptions,
  ...checkOptions,
  ...threadOptions,
  ...options("out", "ledger"),
  ...targetOptions,
  ...sendOptions,
  ...optionsOf(STORE, "Store:").filter((option) => option.attributeName() !== "concurrency"),
];

export const fieldOptions: readonly Option[] = optionsOf(FIELDS);

export const doctorOptions: readonly Option[] = optionsOf(DOCTOR);

export const reconcileOptions: readonly Option[] = optionsOf(RECONCILE);

export const proofOptions: readonly Option[] = [
  optionOf("out", { short: "o", arg: "<dir>", help: "folder for the proof" }, "Options:"),
  ...optionsOf(PROOF),
];

/** The command with these options, and with what every command takes. */
export function withOptions(command: Command, more: readonly Option[]): Command {
  for (const option of [...more, ...optionsOf(MESSAGES, "Messages:")]) {
    command.addOption(option);
    if (option.attributeName() === "format" && option.argChoices?.includes("json") === true) addJson(command, option);
  }
  return command;
}

/** Of several, the one that is typed last counts. */
function addJson(command: Command, format: Option): void {
  command.addOption(optionOf("json", { help: "short for --format json" }, format.helpGroupHeading));
  command.on("option:json", () => command.setOptionValueWithSource("format", "json", "cli"));
}
