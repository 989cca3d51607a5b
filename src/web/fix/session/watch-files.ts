import { statSync } from "node:fs";
import path from "node:path";
import { pathsFrom } from "../../../job/contract-files.ts";
import type { Job } from "../../../job/job.ts";
import { Failure } from "../../../model/failure.ts";

/** Detects changes to the files of a project since the project was checked. */
export interface WatchedFiles {
  /**
   * Returns the name of the first changed source file; undefined if none has changed.
   * @throws Failure `source_changed` if the contract, the mapping or the configuration has changed
   */
  readonly changed: (input: Job["input"]) => Promise<string | undefined>;
  /** Records the state of the configuration file after this program has changed it. */
  readonly noteConfiguration: () => void;
}

export function watchFiles(
  { contract, mapping, folder }: Pick<Job["settings"], "contract" | "mapping" | "folder">,
  configFile: string | undefined,
): WatchedFiles {
  const files = [configFile, mapping, ...contract].filter((file) => file !== undefined).map(pathsFrom(folder));
  const stamps = new Map(files.map((file) => [file, stampOf(file)]));
  return {
    changed: async (input) => {
      for (const [file, stamp] of stamps)
        if (stampOf(file) !== stamp)
          throw new Failure("source_changed", `${path.basename(file)} has changed since the check`, {
            hint: "check again: the rows are then checked with the current setup",
          });
      try {
        await input.refuseChanged();
        return undefined;
      } catch (error) {
        if (error instanceof Failure && error.code === "source_changed") return error.place?.file ?? error.message;
        throw error;
      }
    },
    noteConfiguration: () => {
      if (configFile === undefined) return;
      const file = pathsFrom(folder)(configFile);
      stamps.set(file, stampOf(file));
    },
  };
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`;
}
