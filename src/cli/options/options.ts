import type { Command } from "commander";
import { Option } from "commander";
import type { AuthScheme } from "../../job/auth-settings.ts";
import type { MaxErrors } from "../../job/recorded-settings.ts";
import type { Format } from "../../report/formats/output-format.ts";
import { FORMATS } from "../../report/formats/output-format.ts";
import {
  authScheme,
  collect,
  concurrency,
  day,
  duration,
  rate,
  splitKeys,
  tolerance,
  wholeNumber,
} from "./option-values.ts";

/** Under which heading `--help` shows the options. */
function inGroup(heading: string, options: readonly Option[]): readonly Option[] {
  return options.map((option) => (option.helpGroupHeading === undefined ? option.helpGroup(heading) : option));
}

export const configOption: Option = new Option(
  "--config <file>",
  "configuration file (default: migrate.yaml, searched upwards)",
).env("MIGRATE_CONFIG");

/** What every command takes. */
export const messageOptions: readonly Option[] = inGroup("Messages:", [
  new Option("--quiet", "say nothing on stderr but failures"),
  new Option("--verbose", "say more on stderr"),
  new Option("--no-color", "no colours"),
  new Option("--log-format <format>", "how to talk on stderr")
    .choices(["text", "json"])
    .default("text")
    .env("MIGRATE_LOG_FORMAT"),
]);

export const contractOption: Option = new Option(
  "--contract <file>",
  "OpenAPI document, then overlays in order (repeatable)",
)
  .argParser(collect)
  .env("MIGRATE_CONTRACT")
  .helpGroup("Contract:");

export const cacheOption: Option = new Option(
  "--no-cache",
  "compile the contract anew, and keep nothing of it",
).helpGroup("Contract:");

export const operationOption: Option = new Option("--operation <id>", 'operation id, or "METHOD path"')
  .env("MIGRATE_OPERATION")
  .helpGroup("Contract:");

export const overlayOption: Option = new Option(
  "--overlay <file>",
  "overlay for both documents (repeatable)",
).argParser(collect);

export const mappingOption: Option = new Option(
  "--mapping <file>",
  "how rows become payloads (none: JSON sources are payloads already)",
).env("MIGRATE_MAPPING");

const inputOptions: readonly Option[] = inGroup("Input:", [
  mappingOption,
  new Option("--source <name=path>", "files of one source of the mapping (repeatable)").argParser(collect),
  new Option("--supplier <code>", "import supplier, ${supplier} in the mapping").env("MIGRATE_SUPPLIER"),
  new Option("--encoding <name>", "encoding of the sources (default: UTF-8, or by byte order mark)").env(
    "MIGRATE_ENCODING",
  ),
  new Option("--delimiter <char>", "delimiter of CSV sources (default: detected)").env("MIGRATE_DELIMITER"),
  new Option("--limit <n>", "only the first n records").argParser(wholeNumber(1)),
  new Option("--today <date>", "the day that rules take for today, YYYY-MM-DD").argParser(day).env("MIGRATE_TODAY"),
  new Option("--only <keys>", "only the records with these business keys, separated by commas").argParser(splitKeys),
]);

export const showValuesOption: Option = new Option(
  "--show-values",
  "show the values of cells (default: their shape)",
).helpGroup("Report:");

export const reportOptions: readonly Option[] = inGroup("Report:", [
  new Option("--format <format>", "what goes to stdout")
    .choices([...FORMATS])
    .default("text")
    .env("MIGRATE_FORMAT"),
  new Option("--out <dir>", "folder for outcomes, errors, rejects and summary").env("MIGRATE_OUT"),
]);

export const checkOptions: readonly Option[] = inGroup("Input:", [
  new Option("--max-errors <n|n%>", "stop when more records than this are invalid")
    .argParser(tolerance)
    .env("MIGRATE_MAX_ERRORS"),
  new Option("--allow-empty", "an input without records is fine"),
]);

export const ledgerOption: Option = new Option(
  "--ledger <path>",
  "where runs are remembered (default: .migrate/ledger.db)",
).env("MIGRATE_LEDGER");

const targetOption: Option = new Option("--target <name>", "target of the configuration file").env("MIGRATE_TARGET");

const tlsOptions: readonly Option[] = inGroup("Platform:", [
  new Option("--ca <pem>", "certificate authority to trust beside the usual ones").env("MIGRATE_CA"),
  new Option("--auth <form>", "what stands before the token: Token, JWT, Bearer, none; or basic: the key, no token")
    .argParser(authScheme)
    .env("MIGRATE_AUTH"),
  new Option("--proxy <url>", "proxy to go through; HTTPS_PROXY of the environment is not used").env("MIGRATE_PROXY"),
  new Option("--allow-insecure-loopback", "let http:// to this machine pass, for tests"),
]);

export const targetOptions: readonly Option[] = inGroup("Platform:", [
  targetOption,
  new Option("--base-url <url>", "the platform's base address, ending in /v1/").env("MIGRATE_BASE_URL"),
  ...tlsOptions,
]);

export const storeOptions: readonly Option[] = inGroup("Store:", [
  new Option("--store <place>", "a folder, or s3://bucket (default: the supplier's bucket)").env("MIGRATE_STORE"),
  new Option("--endpoint <url>", "address of an S3-compatible store (default: AWS)").env("AWS_ENDPOINT_URL_S3"),
  new Option("--region <name>", "region of the store (default: us-east-1)").env("AWS_REGION"),
  new Option("--concurrency <n>", "questions to the store at once").argParser(wholeNumber(1, 256)).default(16),
  targetOption,
  ...tlsOptions,
]);

export const sendOptions: readonly Option[] = inGroup("Sending:", [
  new Option("--concurrency <auto|n>", "requests in flight").argParser(concurrency).env("MIGRATE_CONCURRENCY"),
  new Option("--rps <n>", "most requests a second").argParser(rate).env("MIGRATE_RPS"),
  new Option(
    "--wait-for-supplier [duration]",
    "wait while the import supplier is Paused or Complete (30m, 2h; default: as long as it takes)",
  ).argParser(duration),
  new Option("--yes", "send to a production target, or what is invalid, without asking"),
]);

export const planOptions: readonly Option[] = inGroup("Sending:", [
  new Option("--dry-run", "everything but the sending"),
  new Option("--revise", "send accepted records again whose content has changed"),
  new Option("--until <step>", "stop after this step of the workflow: validate or stage"),
  new Option("--remote-validate", "create nothing: only ask the platform's own validation").conflicts("until"),
  new Option("--refresh-references", "first write the reference list of products anew, from the platform"),
  new Option("--send-invalid", "send also what is invalid here, and let the platform judge (asks first; see --yes)"),
]);

export const reconcileOptions: readonly Option[] = [
  new Option("--accept <key...>", "these records have arrived: settled by you, without asking the platform"),
  new Option("--resend <key...>", "these records have not: `migrate resume` sends them again"),
  new Option(
    "--quiet-period <duration>",
    "time without a request before the platform is asked (90s, 5m; default: twice the longest request)",
  ).argParser(duration),
];

/** What makes a job: a contract, a mapping, an input. */
export const jobOptions: readonly Option[] = [
  configOption,
  contractOption,
  cacheOption,
  operationOption,
  ...inputOptions,
];

export function formatOption(...more: readonly string[]): Option {
  return new Option("--format <format>", "what goes to stdout").choices(["text", "json", ...more]).default("text");
}

/** These, and what every command takes. */
export function withOptions(command: Command, options: readonly Option[]): Command {
  for (const option of [...options, ...messageOptions]) command.addOption(option);
  return command;
}

/** The options as typed in; `settings.ts` turns them into what was meant. */
export interface Flags {
  readonly config?: string;
  readonly contract?: readonly string[];
  readonly operation?: string;
  readonly mapping?: string;
  readonly source?: readonly string[];
  readonly out?: string;
  readonly supplier?: string;
  readonly limit?: number;
  readonly today?: string;
  readonly only?: readonly string[];
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly maxErrors?: MaxErrors;
  readonly allowEmpty?: boolean;
  readonly showValues?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
  readonly logFormat?: "text" | "json";
  readonly target?: string;
  readonly baseUrl?: string;
  readonly ca?: string;
  readonly proxy?: string;
  readonly auth?: AuthScheme;
  readonly allowInsecureLoopback?: boolean;
  readonly concurrency?: "auto" | number;
  readonly rps?: number;
  /** True: as long as it takes; otherwise milliseconds. */
  readonly waitForSupplier?: true | number;
  readonly ledger?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly revise?: boolean;
  readonly until?: string;
  readonly remoteValidate?: boolean;
  readonly sendInvalid?: boolean;
  readonly refreshReferences?: boolean;
  readonly cache?: boolean;
}

/** Of the commands that report a run. */
export interface RunFlags extends Flags {
  readonly format: Format;
  /** What platform and local validation disagree about, in place of the report. */
  readonly drift?: boolean;
}

/** Of `reconcile`. */
export interface ReconcileFlags extends RunFlags {
  readonly accept?: readonly string[];
  readonly resend?: readonly string[];
  /** Milliseconds. */
  readonly quietPeriod?: number;
}

/** Of `documents check`. */
export interface DocumentFlags extends RunFlags {
  readonly store?: string;
  readonly endpoint?: string;
  readonly region?: string;
  /** Questions to the store at once. */
  readonly concurrency: number;
}

/** Of the commands that show something else. */
export interface InspectFlags extends Flags {
  readonly format: "text" | "json" | "markdown";
  /** The run to look into. */
  readonly run?: string;
  /** Applied to both contracts of a comparison. */
  readonly overlay?: readonly string[];
}
