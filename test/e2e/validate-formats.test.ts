import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { type CliEnd, projectFile, runCli } from "./cli.ts";
import { CONTRACT_FLAGS, JOB_FLAGS, linesOf, workFolder } from "./validate-scene.ts";

/**
 * An extract with a quoted newline in the first row, so that record numbers and line numbers differ. Lines 4 and 5 have
 * errors.
 */
const EXTRACT = `REF,NAME,NOTE,MOBILE
A1,Ada,"two
lines",07700900123
A2,,"50%, at: <once> & ""twice""",12
A3,Cid
`;

describe("the output of validate", () => {
  test("as text shows the causes, within 80 columns and without colour", async () => {
    const { code, stdout } = await inFormat("text");
    expect(code).toBe(1);
    expect(stdout).toBe(`3 errors, 3 causes

    1  required  name
       A value is required here.
       e.g. a.csv:4, column NAME

    1  invalid  mobile
       Does not match the format that the contract requires: ^[0-9]{11}$
       like 99, e.g. a.csv:4, column MOBILE

    1  source_ragged_row  non_field_errors
       The row has 2 cells, but the header has 4.
       e.g. a.csv:5

`);
  });

  test("as json is one document with summary and outcomes", async () => {
    const { code, stdout } = await inFormat("json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { records: 3, valid: 1, invalid: 2, exitCode: 1 },
      outcomes: [{ status: "valid" }, { errors: [{ code: "required" }, { code: "invalid" }] }, { record: 3 }],
    });
  });

  test("as ndjson has one outcome per line", async () => {
    const { code, stdout } = await inFormat("ndjson");
    expect(code).toBe(1);
    expect(linesOf(stdout).map(({ record, source, status }) => [record, source.line, status])).toEqual([
      [1, 2, "valid"],
      [2, 4, "invalid"],
      [3, 5, "invalid"],
    ]);
  });

  test("as csv has one row per error, with its line and column", async () => {
    const { code, stdout } = await inFormat("csv");
    expect(code).toBe(1);
    const rows: readonly Readonly<Record<string, string>>[] = parse(stdout, { columns: true });
    expect(rows.map(({ code: error, line, column, column_number }) => [error, line, column, column_number])).toEqual([
      ["required", "4", "NAME", "2"],
      ["invalid", "4", "MOBILE", "4"],
      ["source_ragged_row", "5", "", ""],
    ]);
  });

  test("as junit has one test case per record, in well-formed XML", async () => {
    const { code, stdout } = await inFormat("junit", EXTRACT, ["--test-locations"]);
    expect(code).toBe(1);
    const elements = elementsOf(stdout);
    expect(elements.map(({ name }) => name)).toEqual([
      "testsuites",
      "testsuite",
      "testcase",
      "testcase",
      "failure",
      "testcase",
      "failure",
    ]);
    expect(elements[1]?.attributes).toMatchObject({ tests: "3", failures: "2", errors: "0", skipped: "0" });
    const cases = elements.filter(({ name }) => name === "testcase").map(({ attributes }) => attributes);
    expect(cases.map(({ file, line }) => [file, line])).toEqual([
      ["a.csv", "2"],
      ["a.csv", "4"],
      ["a.csv", "5"],
    ]);
  });

  test("as github annotates the lines of the CSV file", async () => {
    const { code, stdout } = await inFormat("github");
    expect(code).toBe(1);
    expect(stdout).toBe(
      [
        "::error file=a.csv,line=4,title=required at name::A value is required here. (column NAME)",
        "::error file=a.csv,line=4,title=invalid at mobile::Does not match the format that the contract requires: ^[0-9]{11}$ (column MOBILE)",
        "::error file=a.csv,line=5,title=source_ragged_row at non_field_errors::The row has 2 cells, but the header has 4.",
        "",
      ].join("\n"),
    );
  });

  test("as json and junit is also well-formed for an extract without errors", async () => {
    const clean = "REF,NAME,NOTE,MOBILE\nA1,Ada,,\n";
    const [json, junit] = await Promise.all([inFormat("json", clean), inFormat("junit", clean)]);
    expect(JSON.parse(json.stdout)).toMatchObject({ summary: { records: 1, valid: 1, exitCode: 0 } });
    expect(elementsOf(junit.stdout)[1]?.attributes).toMatchObject({ tests: "1", failures: "0" });
    expect(elementsOf(junit.stdout)).toHaveLength(3);
  });
});

describe("text on a terminal of 80 columns", () => {
  test("fits on the terminal, even with the deeply nested attrs of the demo's extracts", async () => {
    const { stdout, stderr } = await runCli(["validate"], { cwd: projectFile("fixtures/demo") });
    expect(stdout).toContain("supply_addresses.*.meter_points.*.meters.*.registers.*.readings");
    expect(tooWide(stdout)).toEqual([]);
    expect(tooWide(stderr)).toEqual([]);
  });

  test("breaks a line between the place and the column if the line does not fit", async () => {
    const file = `${"long-".repeat(11)}name.csv`;
    const folder = workFolder({ [file]: "REF,NAME,NOTE,MOBILE\nA1,Ada,,12\n" });
    const { stdout } = await runCli(["validate", file, ...JOB_FLAGS], { cwd: folder });
    expect(stdout).toContain(`\n       e.g. ${file}:2\n       column MOBILE\n`);
  });

  test("names the first file and counts the other files if there are many", async () => {
    const names = ["a.csv", "b.csv", "c.csv"];
    const folder = workFolder(Object.fromEntries(names.map((name) => [name, `REF,NAME,NOTE,MOBILE\n${name},Ada,,\n`])));
    const { stderr } = await runCli(["validate", "*.csv", ...JOB_FLAGS], { cwd: folder });
    expect(stderr).toContain("validate a.csv and 2 more files: 3 records\n");
  });
});

describe("personal values", () => {
  const canary = "07700CANARY";
  const extract = `REF,NAME,NOTE,MOBILE\nA1,Ada,,${canary}\nA2,${canary.repeat(5)},,\nA3,Cid,${canary},,\n`;

  test("appear only in the rejects, with the formats text, ndjson, junit and github", async () => {
    const folder = workFolder({ "a.csv": extract });
    for (const format of ["text", "ndjson", "junit", "github"]) {
      const flags = [...JOB_FLAGS, "--format", format, "--out", "out", "--verbose"];
      const { code, stdout, stderr } = await runCli(["validate", "a.csv", ...flags], { cwd: folder });
      expect(code).toBe(1);
      expect([format, stdout.includes("CANARY"), stderr.includes("CANARY")]).toEqual([format, false, false]);
    }
    const holding = readdirSync(path.join(folder, "out")).filter((name) =>
      readFileSync(path.join(folder, "out", name), "utf8").includes("CANARY"),
    );
    expect(holding).toEqual(["rejects.csv"]);
  });

  test.each(["text", "ndjson"])("are shown as %s with --show-values", async (format) => {
    const { stdout } = await inFormat(format, extract, ["--show-values"]);
    expect(stdout).toContain(canary);
  });

  test("of JSON sources are not shown without --show-values", async () => {
    const folder = workFolder({ "a.json": JSON.stringify([{ number: "1", name: ["CANARY"], mobile: "CANARY" }]) });
    const plain = await runCli(["validate", "a.json", ...CONTRACT_FLAGS, "--format", "ndjson"], { cwd: folder });
    expect(plain.code).toBe(1);
    expect(plain.stdout + plain.stderr).not.toContain("CANARY");
  });
});

function inFormat(format: string, extract: string = EXTRACT, flags: readonly string[] = []): Promise<CliEnd> {
  const folder = workFolder({ "a.csv": extract });
  return runCli(["validate", "a.csv", ...JOB_FLAGS, "--format", format, ...flags], { cwd: folder });
}

function tooWide(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.length > 80);
}

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Returns the elements in order. Throws if the XML is malformed in one of the ways that a bug in our reports could
 * cause.
 */
function elementsOf(xml: string): readonly Element[] {
  const elements: Element[] = [];
  const open: string[] = [];
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/, "");
  for (const [, closing, name = "", attributes = "", empty] of body.matchAll(TAG)) {
    if (closing === "/" && open.pop() !== name) throw new Error(`</${name}> has no start tag`);
    if (closing === "/") continue;
    const pairs = [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", value = ""]) => [key, value]);
    elements.push({ name, attributes: Object.fromEntries(pairs) });
    if (empty === "") open.push(name);
  }
  const rest = body.replaceAll(TAG, "");
  if (open.length > 0 || /<|&(?!\w+;|#\d+;)/.test(rest)) throw new Error(`not well-formed: ${open.join(" ")} ${rest}`);
  return elements;
}

const TAG = /<(\/?)(\w+)((?: \w+="[^"<]*")*)(\/?)>/g;
