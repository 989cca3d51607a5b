import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faultOptions } from "../../src/cli/options/sandbox-options.ts";
import { projectFile, runCli } from "./cli.ts";

const page = readFileSync(projectFile("docs/sandbox.md"), "utf8");

test("docs/sandbox.md lists exactly the fault flags", () => {
  const rows = page.match(/^\| `--.+\| `[a-zA-Z]+`.*\|.*\|$/gm) ?? [];
  const named = rows.flatMap((row) => row.split("|")[1]?.match(/--[a-z-]+/g) ?? []);
  expect(named.toSorted()).toEqual(faultOptions.map(({ long }) => long ?? "").toSorted());
});

test("every option of the sandbox in docs/sandbox.md exists", async () => {
  const { stdout } = await runCli(["sandbox", "--help"]);
  const options = page.match(/(?<=migrate sandbox .*|^\| `)--[a-z-]+/gm) ?? [];
  expect(options.length).toBeGreaterThan(10);
  for (const option of options) expect(stdout).toContain(option);
});
