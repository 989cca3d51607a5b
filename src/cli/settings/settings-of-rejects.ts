import path from "node:path";
import { isShippedOverlay } from "../../job/contract-files.ts";
import type { JobSettings } from "../../job/job.ts";
import { type RecordedRejects, recordedRejects } from "../../job/rejects/recorded-rejects.ts";
import type { RejectsSettings } from "../../job/rejects/rejects-settings.ts";
import { Failure } from "../../model/failure.ts";
import type { Flags } from "../options/options.ts";
import { readSettings, type Settings } from "./settings.ts";

/**
 * The settings of the run whose rejects are re-imported. Flags of this command override them. A setting that the run did
 * not record is read as usual.
 * @throws Failure `usage`, and the failures of reading the settings and the report
 */
export async function readRejectsSettings(
  sources: readonly string[],
  flags: Flags & { readonly rejects: string },
  folder: string,
): Promise<Settings> {
  const { rejects } = flags;
  if (sources.length > 0) {
    throw new Failure("usage", "--rejects already selects the sources", {
      hint: "omit the other sources; --source <name>=<path> reads one of them from another place",
    });
  }
  const { ledger } = await readSettings([], flags, folder);
  const recorded = await recordedRejects(rejects, ledger);
  const settings = await readSettings([], { ...flagsOf(recorded.job, folder), ...definedFlags(flags) }, folder);
  const { run } = recorded;
  const isElsewhere = flags.target !== undefined || flags.baseUrl !== undefined;
  return {
    ...settings,
    job: jobOf(settings.job, recorded, flags),
    out: isSameFolder(settings.out, rejects) && flags.out === undefined ? undefined : settings.out,
    ...(run !== undefined && {
      ...(!isElsewhere && { target: run.target }),
      revise: flags.revise ?? run.revise,
      until: flags.until ?? run.until,
      pace: {
        ...settings.pace,
        concurrency: flags.concurrency ?? run.pace.concurrency,
        rps: flags.rps ?? run.pace.rps,
        ...(isElsewhere ? {} : { maxConcurrency: run.pace.maxConcurrency }),
      },
    }),
  };
}

/** Converts recorded settings to flags, relative to the current folder. */
function flagsOf({ folder, contract, mapping, ...job }: JobSettings, now: string): Flags {
  const from = (file: string): string => (path.isAbsolute(file) ? file : path.join(path.relative(now, folder), file));
  const { operation, supplier, encoding, delimiter, today } = job;
  return definedFlags({
    ...(contract.length > 0 && { contract: contract.map((file) => (isShippedOverlay(file) ? file : from(file))) }),
    ...(mapping !== undefined && { mapping: from(mapping) }),
    ...(operation !== undefined && { operation }),
    ...(supplier !== undefined && { supplier }),
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    ...(today !== undefined && { today }),
  });
}

function definedFlags(flags: Flags): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

function jobOf(
  job: JobSettings,
  { job: before, files }: RecordedRejects,
  flags: Flags & { readonly rejects: string },
): JobSettings {
  const { rules, references, documentRoots, documentRoot } = before;
  const [only, second] = [...files.values()];
  const isOnly = only !== undefined && second === undefined;
  const all = Object.fromEntries([...files].map(([name, paths]) => [name, paths]));
  const given = job.namedSources;
  return {
    ...job,
    rules,
    references,
    documentRoots,
    documentRoot,
    ...(isOnly && Object.keys(given).length === 0 ? { sources: only } : { namedSources: { ...all, ...given } }),
    rejects: rejectsOf(flags),
  };
}

function rejectsOf(flags: Flags & { readonly rejects: string }): RejectsSettings {
  const { rejects, restoreKeys = false, acceptChanges = false, newKeys = false, encoding, delimiter } = flags;
  return { folder: rejects, restoreKeys, acceptChanges, newKeys, encoding, delimiter };
}

function isSameFolder(out: string | undefined, folder: string): boolean {
  return out !== undefined && path.resolve(out) === path.resolve(folder);
}
