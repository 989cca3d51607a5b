import { type Stats, statSync } from "node:fs";
import path from "node:path";
import { pathsFrom } from "../../../job/contract-files.ts";
import type { JobSettings } from "../../../job/settings/job-settings.ts";

/** Detects changes to the configuration, the mapping and the contract since the project was checked. */
export interface WatchedFiles {
  /** Returns the name of the first changed file; undefined if none has changed. */
  readonly changed: () => string | undefined;
  /** Remembers the state of the configuration file after this program has changed it. */
  readonly noteConfiguration: () => void;
}

export function watchFiles({ contract, mapping, folder }: JobSettings, configFile: string | undefined): WatchedFiles {
  const files = [configFile, mapping, ...contract].filter((file) => file !== undefined).map(pathsFrom(folder));
  const stamps = new Map(files.map((file) => [file, stateOf(file)]));
  return {
    changed: () => {
      for (const [file, stamp] of stamps) if (stateOf(file) !== stamp) return path.basename(file);
      return undefined;
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
