import { mkdirSync } from "node:fs";
import path from "node:path";
import { errorCode } from "./error-code.ts";

/**
 * Creates a folder and its missing parents with mode 0700. The recursive `mkdir` of Node.js never returns if no folder
 * can be created, for example below /proc or in a deleted working folder.
 */
export function makeFolder(folder: string): void {
  try {
    makeOne(folder);
  } catch (error) {
    const around = path.dirname(folder);
    if (errorCode(error) !== "ENOENT" || around === folder) throw error;
    makeFolder(around);
    makeOne(folder);
  }
}

function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
