import { interruptible } from "../model/interruptible.ts";
import { type NamingPlace, withNamingPlace } from "./settings/naming-place.ts";
import path from "node:path";
import type { Contract } from "../contract/contract.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { compileMapping } from "../map/compile-mapping.ts";
import { type MappingDocument, readMapping } from "../map/document/mapping-document.ts";
import type { Measure } from "../map/document/measures.ts";
import type { Mapping } from "../map/mapping.ts";
import { passThrough } from "../map/pass-through.ts";
import { ONLY_SOURCE, planSources } from "../map/document/source-tree.ts";
import { definedMembers } from "../json/defined-members.ts";
import { Failure } from "../model/failure.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import type { JOB } from "../options/job-options.ts";
import type { RecordedValues } from "../options/option-row.ts";
import { type Input, type KnownFile, openInput, type ReadOptions } from "../read/input/open-input.ts";
import type { CorrectionResult } from "../read/corrections/apply-corrections.ts";
import { readLookup } from "../read/lists/lookup-table.ts";
import { readTextFile } from "../read/text/text-file.ts";
import type { RuleContext } from "../rules/engine/rule-context.ts";
import { pathsFrom, readContractWithFindings, usableOperation } from "./contract-files.ts";
import type { ReturnedRejects } from "../corrections/check-corrections.ts";
import type { Dependencies } from "./dependencies.ts";
import { functionFiles, loadFunctions } from "./functions/load-functions.ts";
import {
  noticeForeignOverlays,
  noticeOtherOperation,
  noticeSkippedRules,
  noticeUnmappedFields,
} from "./job-notices.ts";
import { type Prerequisite, prerequisiteOf } from "./prerequisite.ts";
import type { RejectsSettings } from "./rejects/rejects-input.ts";
import { loadRuleContext } from "./settings/rule-configuration.ts";
import { setupPaths } from "./settings/setup-paths.ts";

/** The settings that determine the records of a run. Plain data: stored with the run, without secrets. */
export interface JobSettings extends RecordedValues<typeof JOB> {
  /** Base folder of relative paths. */
  readonly folder: string;
  /** The configuration file, if it was named; its values are already part of the other settings. */
  readonly config?: string | undefined;
  /** The file with a copy of standard input; in `sources`, it replaces `-`. */
  readonly standardInput?: string | undefined;
  /** The configuration file that was read. */
  readonly configFile?: string | undefined;
  /** The sources are the rejects of an earlier report. */
  readonly rejects?: RejectsSettings | undefined;
  /**
   * The path of each stored version of a file that has changed since the run, by `copyName`. Absent from the settings
   * in a ledger.
   */
  readonly copies?: Readonly<Record<string, string>> | undefined;
}

/** A job that is ready to run: contract and mapping are compiled and files found, but nothing has been read. */
export interface Job {
  readonly settings: JobSettings;
  readonly contract: Contract;
  readonly operation: Operation;
  readonly mapping: Mapping;
  readonly after?: Prerequisite;
  /** Data for rules in addition to the payload; absent if the contract has no rules over several fields. */
  readonly ruleContext?: RuleContext | undefined;
  /** The current time for rules, in milliseconds since 1970. */
  readonly now: number;
  /** The files that the mapping names, except its sources. */
  readonly mappingFiles: readonly MappingFile[];
  /** The amounts that `migrate proof` adds up. */
  readonly measures: readonly Measure[];
  readonly plan: SourceSpec;
  readonly input: JobInput;
}

/** The input of a job. Its rows have been corrected, except in `rowsByFile`. */
interface JobInput extends Input {
  /** The result of each correction for the rows read so far. Absent without a corrections file. */
  readonly corrections?: () => readonly CorrectionResult[];
}

interface MappingFile {
  readonly kind: "lookup" | "functions";
  readonly path: string;
}

/** The parts of a job that another thread needs to convert rows to records. */
export type CompiledJob = Omit<Job, "plan" | "input">;

export type JobDependencies = Pick<Dependencies, "temporaryFolder" | "notice" | "contractCache" | "clock"> &
  Partial<Pick<Dependencies, "onProgress" | "drain">>;

interface OpenJobOptions {
  readonly showValues?: boolean;
  /** The input files as an earlier run has read them, by path. */
  readonly recordedInputs?: ReadonlyMap<string, KnownFile> | undefined;
  /** Receives the changes to the rejects of the job. */
  readonly onReturned?: ((returned: ReturnedRejects) => void) | undefined;
}

/**
 * Compiles the files that the settings name and finds the input files.
 * @throws Failure with exit code 2 for a file that is unreadable or invalid
 */
export async function openJob(
  settings: JobSettings,
  dependencies: JobDependencies,
  { showValues = false, recordedInputs, onReturned }: OpenJobOptions = {},
): Promise<Job> {
  const files = settings.contract.map(pathsFrom(settings.folder));
  const contract = await readContractWithFindings(files, dependencies, settings.rules, setupPaths(settings));
  const document = await readJobMapping(settings);
  const now = dependencies.clock.now();
  const parts = { contract, document, now, signal: dependencies.drain };
  const job = await compileJob(settings, parts, dependencies.notice);
  const { mapping } = job;
  const { close = async () => undefined } = mapping;
  try {
    const { plan, input } = await openJobInput(document, settings, dependencies, {
      mapping,
      showValues,
      recordedInputs,
      onReturned,
    });
    return { ...job, plan, input: { ...input, close: () => input.close().finally(close) } };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The inputs from which a job is compiled, in addition to its settings. */
interface JobParts {
  readonly contract: Contract;
  readonly document: MappingDocument | undefined;
  readonly now: number;
  /** Stops the functions of the mapping. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A job without its input, which is not opened.
 * @throws the failures of `openJob`
 */
export async function compileJob(
  settings: JobSettings,
  { contract, document, now, signal }: JobParts,
  notice: Dependencies["notice"],
): Promise<CompiledJob> {
  const resolve = pathsFrom(settings.folder);
  const named = settings.operation ?? document?.operation;
  const declared = usableOperation(contract, named, settings.contract.map(resolve));
  noticeOtherOperation(document, declared, contract, { notice });
  const mapping = await mappingOf(document, declared, settings, signal);
  noticeUnmappedFields(mapping, settings.mapping, { notice });
  const operation = { ...declared, ...definedMembers({ key: mapping.keyAttr }) };
  const ruleContext = await loadRuleContext(contract, settings, { resolve, pathOf: setupPaths(settings), now });
  noticeSkippedRules(operation, ruleContext, { notice });
  noticeForeignOverlays(contract, { notice });
  const after = document && prerequisiteOf(document, operation, { contract, mapping });
  const measures = document?.measures ?? [];
  const mappingFiles = document === undefined ? [] : await filesOfMapping(document, settings);
  const compiled = { settings, contract, operation, mapping, mappingFiles, ruleContext, now, measures };
  return { ...compiled, ...definedMembers({ after }) };
}

/** The mapping document that the settings name; undefined if the sources are payloads already. */
export async function readJobMapping(settings: JobSettings): Promise<MappingDocument | undefined> {
  if (settings.mapping === undefined) return undefined;
  const file = pathsFrom(settings.folder)(settings.mapping);
  return readMapping(await readTextFile(file, setupPaths(settings)(file)));
}

function namingPlaceIn(document: MappingDocument | undefined, settings: JobSettings): NamingPlace {
  const resolve = resolverOf(settings);
  return (file) => document?.findText((text) => resolve(text) === file);
}

/** The mapping that the settings name, compiled for an operation. */
export async function mappingOf(
  document: MappingDocument | undefined,
  operation: Operation,
  settings: JobSettings,
  signal?: AbortSignal,
): Promise<Mapping> {
  if (document === undefined) return passThrough(operation);
  return withNamingPlace(namingPlaceIn(document, settings), () => compile(document, operation, settings, signal));
}

/**
 * Finds and opens the files that the settings and the mapping name. Reads only their headers, except for rejects,
 * which are read completely.
 */
export async function openJobInput(
  document: MappingDocument | undefined,
  settings: JobSettings,
  dependencies: InputDependencies,
  context?: InputContext,
): Promise<Pick<Job, "plan" | "input">> {
  const plan = planOf(document, settings, pathsFrom(settings.folder));
  const open = (): Promise<JobInput> => openSources(plan, settings, dependencies, context);
  const input = await withNamingPlace(namingPlaceIn(document, settings), open);
  return { plan, input };
}

type InputDependencies = Pick<Dependencies, "temporaryFolder" | "notice"> &
  Partial<Pick<Dependencies, "onProgress" | "drain">>;

interface InputContext extends Pick<OpenJobOptions, "recordedInputs" | "onReturned"> {
  /** For re-importing rejects. */
  readonly mapping: Mapping;
  /** For re-importing rejects. */
  readonly showValues: boolean;
}

async function openSources(
  plan: SourceSpec,
  settings: JobSettings,
  dependencies: InputDependencies,
  context: InputContext | undefined,
): Promise<JobInput> {
  const { standardInput, encoding, delimiter, rejects, corrections } = settings;
  const pathOf = setupPaths(settings);
  const knownFiles = new Map<string, KnownFile>(context?.recordedInputs);
  if (standardInput !== undefined) knownFiles.set(standardInput, { file: "-", modifiedMs: undefined });
  const options: ReadOptions = {
    tempFolder: dependencies.temporaryFolder,
    onNotice: ({ file, text }) => dependencies.notice(`${file}: ${text}`),
    onRead: (read) => dependencies.onProgress?.({ kind: "read", ...read }),
    signal: dependencies.drain,
    knownFiles,
  };
  if (rejects === undefined || context === undefined) {
    const reading = { ...options, ...definedMembers({ encoding, delimiter }) };
    return corrections === undefined || context === undefined
      ? openInput(plan, reading)
      : openCorrected(plan, reading, { file: corrections, from: pathOf(corrections), mapping: context.mapping });
  }
  const { openRejects } = await import("./rejects/rejects-input.ts");
  const folders = rejects.folders.map(pathsFrom(settings.folder));
  const opened = await openRejects({ ...context, plan, rejects: { ...rejects, folders }, encoding, dependencies });
  const input = await openInput(plan, { ...options, ...opened.reading });
  return { ...input, close: () => input.close().finally(opened.close) };
}

/** Opens an input whose cells are corrected while they are read. Reports the corrections after the first full read. */
async function openCorrected(
  plan: SourceSpec,
  options: ReadOptions,
  { file, from, mapping }: { readonly file: string; readonly from: string; readonly mapping: Mapping },
): Promise<JobInput> {
  const { correctionNotices, openCorrections } = await import("./correct-input.ts");
  const { amend, results } = await openCorrections(file, { plan, mapping, from });
  const input = await openInput(plan, { ...options, amend });
  let isReported = false;
  return {
    ...input,
    corrections: results,
    async *records(reading) {
      yield* input.records(reading);
      if (isReported || reading?.from !== undefined) return;
      isReported = true;
      for (const text of correctionNotices(results())) options.onNotice({ file, text });
    },
  };
}

/**
 * Checks that the records have a business key, which identifies them on the platform.
 * @throws Failure `config` if records have no business key
 */
export function requireKey(job: Pick<Job, "mapping">): void {
  if (job.mapping.keyAttr !== undefined) return;
  throw new Failure("config", "records have no business key, so they could not be recognised later", {
    hint: "set the attr of the key: `key:` in the mapping, or `x-migrate-key` in the contract",
  });
}

async function compile(
  document: MappingDocument,
  operation: Operation,
  settings: JobSettings,
  signal: AbortSignal | undefined,
): Promise<Mapping> {
  const resolve = resolverOf(settings);
  const pathOf = setupPaths(settings);
  const lookups = await Promise.all(
    document.lookupFiles.map(async (file) => [file, await readLookup(resolve(file), pathOf(resolve(file)))] as const),
  );
  const module = { timeoutSeconds: settings.functionTimeout, signal };
  const functions = await loadFunctions(document, (file) => pathOf(resolve(file)), module);
  const values = {
    ...(settings.supplier !== undefined && { supplier: settings.supplier }),
    lookups: new Map(lookups),
    functions,
    isReimport: settings.rejects !== undefined,
  };
  try {
    return interruptible(() => compileMapping(document, operation, values));
  } catch (error) {
    await functions.close();
    throw error;
  }
}

async function filesOfMapping(document: MappingDocument, settings: JobSettings): Promise<readonly MappingFile[]> {
  const resolve = resolverOf(settings);
  return [
    ...document.lookupFiles.map((file) => ({ kind: "lookup" as const, path: resolve(file) })),
    ...(await functionFiles(document, resolve, setupPaths(settings))).map((file) => ({
      kind: "functions" as const,
      path: file,
    })),
  ];
}

/** Paths inside a mapping are relative to the mapping's own folder. */
function resolverOf(settings: JobSettings): (file: string) => string {
  const folder = path.dirname(pathsFrom(settings.folder)(settings.mapping ?? "."));
  return (file) => (path.isAbsolute(file) || file === "-" ? file : path.join(folder, file));
}

function planOf(
  document: MappingDocument | undefined,
  settings: JobSettings,
  resolve: (file: string) => string,
): SourceSpec {
  const positional = settings.sources.map(resolve);
  if (document !== undefined) {
    const named = Object.entries(settings.namedSources).map(([name, files]) => [name, files.map(resolve)] as const);
    return planSources(document, { positional, named: new Map(named), resolve: resolverOf(settings) });
  }
  if (positional.length > 0) return { name: ONLY_SOURCE, files: positional, children: [] };
  throw new Failure("usage", "no source is given", { hint: "pass the files to read, or - for standard input" });
}
