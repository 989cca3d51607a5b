import path from "node:path";
import { isShippedOverlay } from "../../job/contract-files.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { type RecordedRejects, recordedRejects, type SetupOptions } from "../../job/rejects/recorded-rejects.ts";
import type { FileKind } from "../../job/settings/recorded-files.ts";
import { ONLY_SOURCE } from "../../map/document/source-tree.ts";
import { Failure } from "../../model/failure.ts";
import { JOB } from "../../options/job-options.ts";
import { KEYS, REJECTS, RUN } from "../../options/run-options.ts";
import type { OptionTable } from "../../options/option-row.ts";
import { recordedValues, reimportedValues, resolvedPaths } from "../../options/option-values.ts";
import { PACE } from "../../options/target-options.ts";
import type { Flags } from "../options/options.ts";
import { readSettings, type Settings } from "./settings.ts";

/**
 * Returns the settings of the runs whose rejects are re-imported. Flags of this command override these settings. A
 * setting that the runs did not record is read as usual.
 * @throws Failure `usage`, and failures while reading the settings and the report
 */
export async function readRejectsSettings(
  sources: readonly string[],
  flags: Flags & GivenRejects,
  folder: string,
  dependencies: SetupOptions["dependencies"],
): Promise<Settings> {
  const { rejects } = flags;
  if (sources.length > 0) {
    throw new Failure("usage", "--rejects already selects the sources", {
      hint: "omit the other sources; --source <name>=<path> reads the rejects of one source from another file",
    });
  }
  if (rejects.length > 1 && flags.source !== undefined) {
    throw new Failure("usage", "--source cannot be combined with several --rejects", {
      hint: "copy the file into its report folder, or re-import the folders separately",
    });
  }
  const { ledger } = await readSettings([], flags, folder);
  const recorded = await recordedRejects(rejects, ledger, { replaced: new Set(replacedKinds(flags)), dependencies });
  const settings = await readSettings([], { ...flagsOf(recorded.job, folder), ...definedFlags(flags) }, folder);
  const { run } = recorded;
  const isElsewhere = flags.target !== undefined || flags.baseUrl !== undefined;
  return {
    ...settings,
    job: jobOf(settings.job, recorded, flags),
    out: flags.out === undefined && rejects.some((each) => isSameFolder(settings.out, each)) ? undefined : settings.out,
    ...(run !== undefined && {
      ...(!isElsewhere && { target: run.target }),
      ...kept(RUN, run, flags),
      pace: {
        ...settings.pace,
        ...kept(PACE, run.pace, flags),
        ...(isElsewhere ? {} : { maxConcurrency: run.pace.maxConcurrency }),
      },
    }),
  };
}

interface GivenRejects {
  /** The report folders, at least one. */
  readonly rejects: readonly string[];
}

/** Returns the kinds of the files that the user named with flags. These files replace the run's own files. */
function replacedKinds({ contract, mapping }: Flags): readonly FileKind[] {
  return [
    ...(contract === undefined ? [] : (["contract", "overlay"] as const)),
    ...(mapping === undefined ? [] : (["mapping", "lookup", "functions"] as const)),
  ];
}

/** Returns the values that the new run takes from the earlier run. A flag overrides the value with the same name. */
function kept<Values extends object>(table: OptionTable, before: Values, flags: Flags): Partial<Values> {
  return reimportedValues(table, { ...before, ...definedFlags(flags) });
}

/** Converts recorded settings to flags. Paths become relative to the current folder. */
function flagsOf({ folder, ...job }: JobSettings, now: string): Flags {
  const from = (file: string): string =>
    path.isAbsolute(file) || isShippedOverlay(file) ? file : path.join(path.relative(now, folder), file);
  return definedFlags(resolvedPaths(JOB, reimportedValues(JOB, job), from));
}

function definedFlags(flags: object): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function jobOf(
  job: JobSettings,
  { job: before, files }: RecordedRejects,
  { rejects, encoding, delimiter, ...flags }: Flags & GivenRejects,
): JobSettings {
  const { rules, references, documentRoots, documentRoot, copies } = before;
  const given = job.namedSources;
  const isUnnamed = Object.keys(given).length === 0 && [...files.keys()].every((name) => name === ONLY_SOURCE);
  return {
    ...job,
    rules,
    references,
    documentRoots,
    documentRoot,
    copies,
    ...(isUnnamed
      ? { sources: [...files.values()].flat() }
      : { namedSources: { ...Object.fromEntries(files), ...given } }),
    rejects: { folders: rejects, ...recordedValues({ ...REJECTS, ...KEYS }, flags), encoding, delimiter },
  };
}

function isSameFolder(out: string | undefined, folder: string): boolean {
  return out !== undefined && path.resolve(out) === path.resolve(folder);
}
