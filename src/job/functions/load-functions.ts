import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { MappingDocument } from "../../map/document/mapping-document.ts";
import { type MappingFunctions, NO_FUNCTIONS } from "../../map/leaf/function-calls.ts";
import { Failure } from "../../model/failure.ts";
import { type FunctionSettings, startFunctions } from "./function-thread.ts";
import { NotLoaded } from "./thread-end.ts";

/**
 * Loads the functions that a module exports. `functions:` in a mapping names the module.
 * @param resolve resolves the path of the module, which is relative to the mapping
 * @throws Failure `mapping_invalid` if the module cannot be loaded, with the reason from Node.js; `incomplete` if the
 * user stops the command in the meantime
 */
export async function loadFunctions(
  document: MappingDocument,
  resolve: (file: string) => string,
  settings: FunctionSettings = {},
): Promise<MappingFunctions> {
  if (document.functions === undefined) return NO_FUNCTIONS;
  const named = document.functions;
  const file = path.resolve(resolve(named));
  const place = { file: document.file, line: document.lineOf(["functions"]) };
  const refused = (reason: string, more: { readonly hint: string; readonly cause?: unknown }): Failure =>
    new Failure("mapping_invalid", `${place.file}:${place.line}: functions: ${reason}`, { ...more, place });
  if (!existsSync(file)) {
    throw refused(`there is no file ${named}`, { hint: "paths are relative to the mapping's folder" });
  }
  try {
    return await startFunctions({ ...settings, file, place });
  } catch (cause) {
    if (!(cause instanceof NotLoaded)) throw cause;
    const reason = cause.message === "" ? "" : `: ${cause.message}`;
    throw refused(`${named} cannot be loaded${reason}`, { hint: hintOf(named, cause), cause });
  }
}

/**
 * Returns the files that define the functions of a mapping: the module and the files that it imports by relative path,
 * directly or indirectly.
 * @param pathOf returns the location of each file
 */
export async function functionFiles(
  document: MappingDocument,
  resolve: (file: string) => string,
  pathOf: (file: string) => string,
): Promise<readonly string[]> {
  const files = new Set(document.functions === undefined ? [] : [path.resolve(resolve(document.functions))]);
  for (const file of files) {
    const text = await readFile(pathOf(file), "utf8").catch(() => "");
    for (const [, imported = ""] of text.matchAll(RELATIVE_IMPORT)) {
      const found = importedFile(path.resolve(path.dirname(file), imported), pathOf);
      if (found !== undefined) files.add(found);
    }
  }
  return [...files];
}

/** `import x from "./y.mjs"`, `export * from "../y.mjs"`, `import("./y.mjs")`, `require("./y")` */
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** Returns the imported file; undefined if it does not exist. `require` allows a path without an extension. */
function importedFile(file: string, pathOf: (file: string) => string): string | undefined {
  return ["", ".js", ".cjs", ".json", "/index.js"]
    .map((end) => file + end)
    .find((each) => statSync(pathOf(each), { throwIfNoEntry: false })?.isFile());
}

/**
 * Returns a hint for a module that cannot be loaded. Node.js reads a `.js` file as CommonJS if the package.json above
 * the file says so, or if Node.js cannot detect the format.
 */
function hintOf(named: string, { isSyntax, message }: NotLoaded): string {
  const isModule = isSyntax && /import|export/.test(message);
  const { dir, name, ext } = path.parse(named);
  return isModule && ext !== ".mjs"
    ? `rename it to ${path.join(dir, name)}.mjs: Node.js reads this ${ext} file as CommonJS`
    : "it must be an ES module (.mjs) that exports functions";
}
