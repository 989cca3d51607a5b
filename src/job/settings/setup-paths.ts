import path from "node:path";
import { isShippedOverlay, ownPath, pathsFrom } from "../contract-files.ts";

interface SetupPlaces {
  /** Base folder of relative names. */
  readonly folder: string;
  /** The path of each stored version, by `copyName`. */
  readonly copies?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns a function that finds a file of the setup by its name in the settings or the mapping. If the file has changed
 * since the run, the function returns the path of the version that the run stored.
 */
export function setupPaths({ folder, copies }: SetupPlaces): (name: string) => string {
  const resolve = pathsFrom(folder);
  return (name) => copies?.[copyName(folder, name)] ?? ownPath(resolve(name));
}

/** Returns the name of a file in `JobSettings.copies`. */
export function copyName(folder: string, name: string): string {
  return isShippedOverlay(name) ? name : path.resolve(folder, name);
}
