import path from "node:path";
import { isShippedOverlay } from "./shipped-overlay.ts";

/** Makes a path of the settings usable from the current folder, unchanged when it already is. */
export function pathsFrom(folder: string): (file: string) => string {
  const isHere = folder === process.cwd();
  return (file) =>
    isHere || path.isAbsolute(file) || file === "-" || isShippedOverlay(file) ? file : path.join(folder, file);
}
