import type { JOB } from "../../options/job-options.ts";
import type { RecordedValues } from "../../options/option-row.ts";
import type { RejectsSettings } from "../rejects/rejects-input.ts";

/** The settings that determine the records of a run. Plain data: stored with the run, without secrets. */
export interface JobSettings extends RecordedValues<typeof JOB> {
  /** Base folder of relative paths. */
  readonly folder: string;
  /** The configuration file, if the user named one. Its values are already part of the other settings. */
  readonly config?: string | undefined;
  /** The file with a copy of standard input. It replaces `-` in `sources`. */
  readonly standardInput?: string | undefined;
  /** The configuration file that was read. */
  readonly configFile?: string | undefined;
  /** Set if the sources are the rejects of an earlier report. */
  readonly rejects?: RejectsSettings | undefined;
  /**
   * The path of each stored version of a file that has changed since the run, by `copyName`. Absent from the settings
   * in a ledger.
   */
  readonly copies?: Readonly<Record<string, string>> | undefined;
}

/** The files that the command line names. */
export type NamedSources = Pick<JobSettings, "sources" | "namedSources">;

/** Replaces each file that the command line names. */
export function mapSources({ sources, namedSources }: NamedSources, replace: (file: string) => string): NamedSources {
  const named = Object.entries(namedSources).map(([name, files]) => [name, files.map(replace)]);
  return { sources: sources.map(replace), namedSources: Object.fromEntries(named) };
}
