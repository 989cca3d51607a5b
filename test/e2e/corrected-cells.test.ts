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
  const first = await validate(folder, [...Object.keys(files), "--out", "report"]);
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

const ONE_KEY = "payload: { number: REF, name: NAME }";
const placesIn = (lines: readonly Line[]) => lines.flatMap(({ errors = [] }) => errors.map(({ source }) => source));

test("a repeated key in an NDJSON file can be corrected at its pointer", async () => {
  const { code, stderr, lines } = await correct({
    mapping: ONE_KEY,
    files: { "a.ndjson": '{"REF":"6001","NAME":"a"}\n{"REF":"6001","NAME":"x"}\n' },
    change: ["rejects.ndjson", '"6001","NAME":"x"', '"6077","NAME":"x"'],
  });
  expect(placesIn(lines)).toEqual([1, 2].map((line) => ({ file: "a.ndjson", line, pointer: "/REF" })));
  expect(stderr).toContain("1 cell corrected in 1 row");
  expect(code).toBe(0);
});

test("a repeated key in the array of a later JSON file can be corrected at its pointer", async () => {
  const { code, lines } = await correct({
    mapping: "payload: { number: id.REF, name: NAME }",
    files: {
      "1.json": '[{"id":{"REF":"1"},"NAME":"a"},{"id":{"REF":"2"},"NAME":"b"}]',
      "2.json": '[{"id":{"REF":"3"},"NAME":"c"},\n{"id":{"REF":"4"},"NAME":"d"},{"id":{"REF":"4"},"NAME":"e"}]',
    },
    change: ["rejects.ndjson", '{"REF":"4"},"NAME":"e"', '{"REF":"5"},"NAME":"e"'],
  });
  const place = { file: "2.json", line: 2 };
  expect(placesIn(lines)).toEqual([1, 2].map((element) => ({ ...place, pointer: `/${element}/id/REF` })));
  expect(code).toBe(0);
});

test("a repeated key that may come from several columns can be corrected in each of them", async () => {
  for (const corrected of [",3,c,", "4,2,c,"]) {
    const { code, stderr, lines } = await correct({
      mapping: "payload: { number: { from: [NEW, OLD] }, name: NAME }",
      files: { "a.csv": "NEW,OLD,NAME\n1,,a\n,2,b\n,2,c\n" },
      change: ["rejects.csv", ",2,c,", corrected],
    });
    expect(placesIn(lines)).toEqual([3, 4].map((line) => ({ file: "a.csv", line })));
    expect(lines[1]?.errors).toMatchObject([{ detail: expect.stringContaining("a.csv:4, columns NEW, OLD") }]);
    expect(stderr).toContain("1 cell corrected in 1 row");
    expect(code).toBe(0);
  }
});
