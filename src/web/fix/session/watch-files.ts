import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { pathsFrom } from "../../../job/contract-files.ts";
import type { Job } from "../../../job/job.ts";
import type { JobSettings } from "../../../job/settings/job-settings.ts";

/**
 * Detects changes to the configuration, the contract, the mapping and the files that they use since the project was
 * checked.
 */
export interface WatchedFiles {
  /** Returns the name of the first changed file; undefined if none has changed. */
  readonly changed: () => string | undefined;
  /** Also watches the lookup files and modules of the mapping, whose names are known once the job is open. */
  readonly addMappingFiles: (job: Pick<Job, "mappingFiles">) => void;
  /** Remembers the state of the configuration file after this program has changed it. */
  readonly noteConfiguration: () => void;
}

export function watchFiles(settings: JobSettings, configFile: string | undefined): WatchedFiles {
  const { contract, mapping, references = {}, folder } = settings;
  const named = [configFile, mapping, ...contract, ...Object.values(references)];
  const files = named.filter((file) => file !== undefined).map(pathsFrom(folder));
  const stamps = new Map(files.map((file) => [file, stateOf(file)]));
  return {
    changed: () => {
      for (const [file, stamp] of stamps) if (stateOf(file) !== stamp) return path.basename(file);
      return undefined;
    },
    addMappingFiles: ({ mappingFiles }) => {
      for (const { path: file } of mappingFiles) stamps.set(file, stateOf(file));
    },
    noteConfiguration: () => {
      if (configFile === undefined) return;
      const file = pathsFrom(folder)(configFile);
      stamps.set(file, stateOf(file));
    },
  };
}

function stateOf(file: string): string {
  return stampOf(statSync(file, { throwIfNoEntry: false }));
}

/** Returns text that changes when the file changes; empty for a missing file. */
export function stampOf(found: Stats | undefined): string {
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
