import path from "node:path";
import { spoolStdin } from "../read/spool.ts";
import type { JobSettings } from "../run/job.ts";

/**
 * Where `-` is a source, standard input is written to a private file, because a run reads its input more than once.
 * A push keeps it beside its ledger until it is done, so that it can be resumed.
 */
export async function withStandardInput(job: JobSettings, folder: string): Promise<JobSettings> {
  const named = Object.values(job.namedSources).flat();
  if (![...job.sources, ...named].includes("-")) return job;
  const standardInput = path.resolve(await spoolStdin(process.stdin, folder));
  const instead = (file: string): string => (file === "-" ? standardInput : file);
  return {
    ...job,
    standardInput,
    sources: job.sources.map(instead),
    namedSources: Object.fromEntries(
      Object.entries(job.namedSources).map(([name, files]) => [name, files.map(instead)]),
    ),
  };
}
