import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectFile } from "../e2e/cli.ts";

test("--help loads only commander and fewer than 45 files before the command is known", () => {
  const { files, packages } = loaded("start-program.ts", "run-program.ts");
  expect(packages).toEqual(["commander"]);
  expect(files).toBeLessThan(45);
});

test("--version loads neither commander nor the rest of the program", () => {
  expect(loaded("main.ts")).toEqual({ files: 4, packages: [] });
});

test("showing a contract loads no packages other than chalk and fastest-levenshtein", () => {
  const { packages } = loaded(
    "actions/inspect-actions.ts",
    "../commands/contract/contract-show.ts",
    "views/contract/contract-view.ts",
  );
  expect(packages).toEqual(["chalk", "fastest-levenshtein"]);
});

test("importing the library does not load the packages of the local platform", () => {
  const { packages } = loaded("../index.ts");
  expect(packages).toEqual([
    "chalk",
    "csv-parse/sync",
    "csv-stringify/sync",
    "fastest-levenshtein",
    "undici",
    "yaml",
    "zod",
  ]);
});

function loaded(...entries: readonly string[]): { readonly files: number; readonly packages: readonly string[] } {
  const files = new Set<string>();
  const packages = new Set<string>();
  for (const entry of entries) load(projectFile(path.join("src/cli", entry)), files, packages);
  return { files: files.size, packages: [...packages].toSorted() };
}

/** Follows the static imports of values. Ignores type imports and dynamic imports. */
function load(file: string, files: Set<string>, packages: Set<string>): void {
  if (files.has(file)) return;
  files.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, from = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";$/gm)) {
    if (from.startsWith(".")) load(path.resolve(path.dirname(file), from), files, packages);
    else if (!from.startsWith("node:")) packages.add(from);
  }
}
