import { isDeepStrictEqual } from "node:util";
import type { NewRun, Run } from "../../ledger/records/run.ts";
import { JOB } from "../../options/job-options.ts";
import { KEYS, REJECTS, RUN } from "../../options/run-options.ts";
import { kindOf, type OptionRow, type OptionTable } from "../../options/option-row.ts";
import { flagOf } from "../../options/option-values.ts";
import { instanceOf } from "../endpoint.ts";
import { FILE_KINDS, type FileKind } from "./recorded-files.ts";
import { type RunSettings, settingsIfKnown } from "./recorded-settings.ts";

/**
 * Returns the settings of a push that differ from those of another run, if they affect which records are sent, or
 * where. Also returns each limit that the push sets and that has a different value in the other run. Without such
 * differences, the push can send the records that the other run has planned. Compares the contents of files, but not
 * their paths.
 */
export function differencesOf(own: NewRun, other: NewRun): readonly string[] {
  const [one, two] = [settingsIfKnown(own), settingsIfKnown(other)];
  if (one === undefined || two === undefined) return ["the recorded settings"];
  const isOtherTarget = instanceOf(one.target.baseUrl) !== instanceOf(two.target.baseUrl);
  return [
    ...(isOtherTarget ? ["the target"] : []),
    ...(!isOtherTarget && own.endpoint !== other.endpoint ? ["the operation"] : []),
    ...(own.supplier === other.supplier ? [] : ["the import supplier"]),
    ...FILE_KINDS.flatMap((kind) =>
      kind === "configuration" || isSame(fingerprintsOf(one, kind), fingerprintsOf(two, kind)) ? [] : [NAMES[kind]],
    ),
    ...namesOfDifferent(optionsOf(one), optionsOf(two)),
    ...unmetLimits(limitsOf(one), limitsOf(two)),
  ];
}

/** The kinds of files that determine the payload of a row. */
const SETUP_KINDS = ["contract", "overlay", "mapping", "lookup", "functions", "references"] as const;

/**
 * Returns the differences between two runs that affect how corrected rejects are read, or where they are sent. Without
 * such differences, the rejects of both runs can be re-imported together.
 */
export function settingDifferences(own: Run, other: Run): readonly string[] {
  const [one, two] = [settingsIfKnown(own), settingsIfKnown(other)];
  if (one === undefined || two === undefined) return ["the recorded settings"];
  return [
    ...(isSame(addressOf(one), addressOf(two)) ? [] : ["the target"]),
    ...(own.operation === other.operation ? [] : ["the operation"]),
    ...(own.supplier === other.supplier ? [] : ["the import supplier"]),
    ...SETUP_KINDS.flatMap((kind) =>
      isSame(fingerprintsOf(one, kind), fingerprintsOf(two, kind)) ? [] : [NAMES[kind]],
    ),
    ...namesOfDifferent(reimportedOptions(one), reimportedOptions(two)),
  ];
}

function addressOf({ target }: RunSettings): unknown {
  const { flags: _flags, ...address } = target;
  return address;
}

function reimportedOptions({ job, ...settings }: RunSettings): NamedValues {
  return [
    ...selecting(JOB, job).filter(([name]) => REIMPORTED.has(name)),
    ...selecting(RUN, settings).filter(([name]) => REIMPORTED.has(name)),
    ["the rule settings", job.rules],
    ["the reference lists", Object.keys(job.references ?? {}).toSorted()],
    ["the document folders", [job.documentRoots, job.documentRoot]],
  ];
}

const REIMPORTED: ReadonlySet<string> = new Set(
  Object.entries<OptionRow>({ ...JOB, ...RUN }).flatMap(([name, { reimport }]) => (reimport ? [flagOf(name)] : [])),
);

/** Names for the kinds of files. Excludes configuration files, because their values are compared as settings. */
const NAMES: Readonly<Record<Exclude<FileKind, "configuration">, string>> = {
  contract: "the contract",
  overlay: "the overlays",
  mapping: "the mapping",
  lookup: "the lookup lists",
  functions: "the function files",
  references: "the reference lists",
  corrections: "the corrections",
  rejects: "the rejects",
  input: "the input",
};

function fingerprintsOf({ files }: RunSettings, wanted: FileKind): readonly string[] {
  return files.flatMap(({ kind, sha256 }) => (kind === wanted ? [sha256] : []));
}

function namesOfDifferent(values: NamedValues, others: NamedValues): readonly string[] {
  const differ = values.filter(([, value], index) => !isSame(value, others[index]?.[1]));
  return [...new Set(differ.map(([name]) => name))];
}

type NamedValues = readonly (readonly [name: string, value: unknown])[];

/** Returns the settings that select records, by the names that users know. */
function optionsOf({ job, ...settings }: RunSettings): NamedValues {
  return [
    ...selecting(JOB, job),
    ["--source", Object.keys(job.namedSources).toSorted()],
    ...selecting({ ...REJECTS, ...KEYS }, job.rejects ?? {}),
    ...selecting(RUN, settings),
    ["the rule settings", job.rules],
    ["the document folders", [job.documentRoots, job.documentRoot]],
  ];
}

/** Returns the names of the limits that a push sets and that have different values in another run. */
function unmetLimits(own: NamedValues, others: NamedValues): readonly string[] {
  const wanted = own.map(([name, value], index) => [name, value ?? others[index]?.[1]] as const);
  return namesOfDifferent(wanted, others);
}

/** Returns the settings that limit how a push sends records, by the names that users know. */
function limitsOf({ pace, canary, maxErrors }: RunSettings): NamedValues {
  return [
    ["--canary", canary],
    ["--max-errors", maxErrors],
    ["--concurrency", pace.concurrency === "auto" ? undefined : pace.concurrency],
    ["--rps", pace.rps],
  ];
}

function selecting(table: OptionTable, settings: object): readonly (readonly [string, unknown])[] {
  const values = new Map<string, unknown>(Object.entries(settings));
  const rows = Object.entries(table).filter(([, { selects }]) => selects);
  return rows.map(([name, row]) => [flagOf(name), values.get(name) ?? (kindOf(row) === "switch" ? false : undefined)]);
}

/** Whether two values are equal as JSON, the format in which the ledger stores them. */
function isSame(one: unknown, two: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(two));
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
