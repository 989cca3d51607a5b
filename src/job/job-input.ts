import type { ReturnedRejects } from "../corrections/check-corrections.ts";
import { definedMembers } from "../json/defined-members.ts";
import type { MappingDocument } from "../map/document/mapping-document.ts";
import { ONLY_SOURCE, planSources } from "../map/document/source-tree.ts";
import type { Mapping } from "../map/mapping.ts";
import { Failure } from "../model/failure.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import type { CorrectionResult } from "../read/corrections/apply-corrections.ts";
import { type Input, type KnownFile, openInput, type ReadOptions } from "../read/input/open-input.ts";
import { pathsFrom } from "./contract-files.ts";
import type { FileEnvironment } from "./dependencies.ts";
import type { OpenedRejects } from "./rejects/rejects-input.ts";
import { namingPlaceIn, resolverOf } from "./job-mapping.ts";
import type { RunEvent } from "./run-event.ts";
import { type JobSettings, mapSources } from "./settings/job-settings.ts";
import { withNamingPlace } from "./settings/naming-place.ts";
import { setupPaths } from "./settings/setup-paths.ts";

/** The input of a job. Its rows have been corrected, except in `rowsByFile`. */
export interface JobInput extends Input {
  /** The result of each correction for the rows read so far. Absent without a corrections file. */
  readonly corrections?: () => Iterable<CorrectionResult>;
  /**
   * Whether the re-imported rejects contain the row that a run exported for a record without a key. Absent unless
   * rejects are read.
   */
  readonly hasReturned?: OpenedRejects["hasReturned"];
  readonly keyChanged?: OpenedRejects["keyChanged"];
  readonly exportedBy?: OpenedRejects["exportedBy"];
  /** Number of bytes of the corrections file that are applied. Absent without a corrections file. */
  readonly correctionsBytes?: number;
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
): Promise<{ readonly plan: SourceSpec; readonly input: JobInput }> {
  const plan = planOf(document, settings, pathsFrom(settings.folder));
  const open = (): Promise<JobInput> => openSources(plan, settings, dependencies, context);
  const input = await withNamingPlace(namingPlaceIn(document, settings), open);
  return { plan, input };
}

export interface InputDependencies extends FileEnvironment {
  readonly onProgress?: (event: RunEvent) => void;
  readonly drain?: AbortSignal;
}

export interface InputOptions {
  readonly showValues?: boolean;
  /** The input files as an earlier run read them, by path. */
  readonly recordedInputs?: ReadonlyMap<string, KnownFile> | undefined;
  /** Receives the changes to the rejects of the job. */
  readonly onReturned?: ((returned: ReturnedRejects) => void) | undefined;
}

interface InputContext extends InputOptions {
  /** The compiled mapping, which is needed to re-import rejects and to apply corrections. */
  readonly mapping: Mapping;
  /** Whether notices about re-imported rejects contain values. */
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
  const { hasReturned, keyChanged, exportedBy, close, ...reading } = opened;
  const { delimiter: written } = rejects;
  const input = await openInput(plan, { ...options, ...reading, delimiter: written, mayBeEmpty: true });
  return { ...input, hasReturned, keyChanged, exportedBy, close: () => input.close().finally(close) };
}

/** Opens an input whose cells are corrected while they are read. Reports the corrections after the first full read. */
async function openCorrected(
  plan: SourceSpec,
  options: ReadOptions,
  { file, from, mapping }: { readonly file: string; readonly from: string; readonly mapping: Mapping },
): Promise<JobInput> {
  const { correctionNotices, openCorrections } = await import("./correct-input.ts");
  const { amend, results, ...end } = await openCorrections(file, from, { plan, mapping });
  const input = await openInput(plan, { ...options, amend });
  let isReported = false;
  return {
    ...input,
    corrections: results,
    correctionsBytes: end.end,
    async *records(reading) {
      yield* input.records(reading);
      if (isReported || reading?.from !== undefined) return;
      isReported = true;
      for (const text of correctionNotices(results(), end)) options.onNotice({ file, text });
    },
  };
}

function planOf(
  document: MappingDocument | undefined,
  settings: JobSettings,
  resolve: (file: string) => string,
): SourceSpec {
  const { sources: positional, namedSources } = mapSources(settings, resolve);
  if (document !== undefined) {
    const named = new Map(Object.entries(namedSources));
    const isComplete = settings.rejects !== undefined;
    return planSources(document, { positional, named, isComplete, resolve: resolverOf(settings) });
  }
  const [named] = Object.keys(namedSources);
  if (named !== undefined) {
    throw new Failure("usage", `--source ${named}=...: sources have names only in a mapping`, {
      hint: "pass the files without --source",
    });
  }
  if (positional.length > 0) return { name: ONLY_SOURCE, files: positional, children: [] };
  throw new Failure("usage", "no source was given", { hint: "pass the files to read, or - for standard input" });
}
