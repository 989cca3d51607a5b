import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectFile } from "../e2e/cli.ts";

test("before a command is known only commander and fewer than 40 files are loaded, so that --help is fast", () => {
  const files = new Set<string>();
  const packages = new Set<string>();
  load(projectFile("src/cli/main.ts"), files, packages);
  load(projectFile("src/cli/run-program.ts"), files, packages);
  expect([...packages].toSorted()).toEqual(["commander"]);
  expect(files.size).toBeLessThan(40);
});

/** Follows the imports that Node.js resolves before a file runs: not those of types, and none that a function makes. */
function load(file: string, files: Set<string>, packages: Set<string>): void {
  if (files.has(file)) return;
  files.add(file);
  const text = readFileSync(file, "utf8");
  for (const [, from = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)";$/gm)) {
    if (from.startsWith(".")) load(path.resolve(path.dirname(file), from), files, packages);
    else if (!from.startsWith("node:")) packages.add(from);
  }
}
