import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type CliEnd, runCli } from "./cli.ts";
import { JOB_FLAGS, type Line, linesOf, validate, workFolder } from "./validate-scene.ts";

interface Correction {
  readonly mapping: string;
  readonly files: Readonly<Record<string, string>>;
  /** The rejects file to change, the text to replace in it, and its replacement. */
  readonly change: readonly [file: string, from: string, to: string];
}

/** Validates the files, changes the rejects, and validates the rejects. */
async function correct({ mapping, files, change }: Correction): Promise<CliEnd & { readonly lines: readonly Line[] }> {
  const folder = workFolder({ "mapping.yaml": `operation: import-account\nkey: number\n${mapping}`, ...files });
  const [source] = Object.keys(files);
  const first = await validate(folder, [String(source), "--out", "report"]);
  const [name, from, to] = change;
  const file = path.join(folder, "report", name);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
  const end = await runCli(["validate", "--rejects", "report", ...JOB_FLAGS], { cwd: folder });
  return { ...end, lines: linesOf(first.stdout) };
}

test("any cell of a joined value with an error can be corrected", async () => {
  const name = "x".repeat(36);
  const { code, stderr, lines } = await correct({
    mapping: 'payload: { number: REF, name: { from: [FIRST, LAST], join: " " } }',
    files: { "names.csv": `REF,FIRST,LAST,CITY\n9001,Alma,${name},X\n` },
    change: ["rejects.csv", name, "Short"],
  });
  expect(lines[0]?.errors).toMatchObject([{ attr: "name", code: "max_length", source: { column: "FIRST" } }]);
  expect(stderr).toContain("1 cell corrected in 1 row");
  expect(code).toBe(0);
});
