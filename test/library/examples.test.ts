import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectFile } from "../e2e/cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { examplesIn, runExamples } from "./examples.mjs";

test("every example in docs/library.md runs as a user program and prints the documented output", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "node_modules"));
  symlinkSync(projectFile(), path.join(folder, "node_modules/energy-migrate"), "junction");
  const ran = await runExamples(folder);
  const ends = ran.map(({ title, exitCode, stdout, stderr }) => [
    title,
    exitCode,
    exitCode === 0 ? "" : stdout,
    stderr,
  ]);
  expect(ends).toEqual(ran.map(({ title }) => [title, 0, "", ""]));
  expect(ran.map(({ stdout, prints }) => prints === undefined || stdout)).toEqual(
    ran.map(({ prints }) => prints ?? true),
  );
});

test("docs/library.md has an example for every function of the library", () => {
  const page = readFileSync(projectFile("docs/library.md"), "utf8");
  const code = examplesIn(page).map((example) => example.code);
  for (const name of [
    "validate",
    "push",
    "resume",
    "status",
    "outcomes",
    "explain",
    "products",
    "rates",
    "readAccount",
  ]) {
    expect(code.filter((text) => text.includes(`${name}(`))).not.toEqual([]);
  }
});
