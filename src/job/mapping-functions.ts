import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { MappingFunction } from "../map/compile-context.ts";
import type { MappingDocument } from "../map/document/mapping-document.ts";
import { Failure } from "../model/failure.ts";

/**
 * The functions that the module of `functions:` in a mapping exports, by name; `resolve`: paths in it are relative to it.
 * @throws Failure `mapping_invalid` where it cannot be loaded, with the reason that Node gives
 */
export async function loadFunctions(
  document: MappingDocument,
  resolve: (file: string) => string,
): Promise<ReadonlyMap<string, MappingFunction>> {
  if (document.functions === undefined) return new Map();
  const named = document.functions;
  const file = path.resolve(resolve(named));
  const place = { file: document.file, line: document.lineOf(["functions"]) };
  const refused = (reason: string, more: { readonly hint: string; readonly cause?: unknown }): Failure =>
    new Failure("mapping_invalid", `${place.file}:${place.line}: functions: ${reason}`, { ...more, place });
  if (!existsSync(file)) {
    throw refused(`there is no file ${named}`, { hint: "paths are relative to the mapping's folder" });
  }
  const module: unknown = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    throw refused(`${named} cannot be loaded${reasonOf(cause)}`, { hint: hintOf(named, cause), cause });
  });
  return new Map(
    Object.entries(module ?? {}).filter(
      (entry: [string, unknown]): entry is [string, MappingFunction] => typeof entry[1] === "function",
    ),
  );
}

/** The files that define the functions of a mapping: the module and what it imports by relative paths, in any depth. */
export async function functionFiles(
  document: MappingDocument,
  resolve: (file: string) => string,
): Promise<readonly string[]> {
  const files = new Set(document.functions === undefined ? [] : [path.resolve(resolve(document.functions))]);
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    for (const [, imported = ""] of text.matchAll(RELATIVE_IMPORT)) {
      const found = importedFile(path.resolve(path.dirname(file), imported));
      if (found !== undefined) files.add(found);
    }
  }
  return [...files];
}

/** `import x from "./y.mjs"`, `export * from "../y.mjs"`, `import("./y.mjs")`, `require("./y")` */
const RELATIVE_IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"'\n]+)["']/g;

/** `require` may leave out the extension. */
function importedFile(file: string): string | undefined {
  return ["", ".js", ".cjs", ".json", "/index.js"]
    .map((end) => file + end)
    .find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
}

function reasonOf(cause: unknown): string {
  const [reason = ""] = cause instanceof Error ? cause.message.split("\n") : [];
  return reason === "" ? "" : `: ${reason}`;
}

/** Node reads `.js` as CommonJS where a package.json above it says so, or where it cannot tell. */
function hintOf(named: string, cause: unknown): string {
  const isModule = cause instanceof SyntaxError && /import|export/.test(cause.message);
  const { dir, name, ext } = path.parse(named);
  return isModule && ext !== ".mjs"
    ? `name it ${path.join(dir, name)}.mjs: Node takes ${ext} for CommonJS here`
    : "it has to be an ES module (.mjs) that exports functions";
}
