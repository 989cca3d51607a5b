import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectFile, runCli } from "./cli.ts";
import { JOB_FLAGS, JOINED_MAPPING, linesOf, validate, workFolder } from "./validate-scene.ts";

const HEADER = "REF,NAME,NOTE,MOBILE\n";

describe("validate", () => {
  test("ignores a byte order mark before the header", async () => {
    const text = `${HEADER}A1,Ada,,07700900123\nA2,,,\n`;
    const [plain, marked] = await Promise.all(
      [text, `\uFEFF${text}`].map((content) => validate(workFolder({ "a.csv": content }), ["a.csv"])),
    );
    expect(plain?.code).toBe(1);
    expect(linesOf(plain?.stdout ?? "").map(({ key, status }) => [key, status])).toEqual([
      ["A1", "valid"],
      ["A2", "invalid"],
    ]);
    expect(marked).toEqual(plain);
  });

  test("keeps leading zeros and long ids unchanged", async () => {
    const ids = ["00123", "12345678901234567890", "0", "1e3"];
    const folder = workFolder({ "a.csv": HEADER + ids.map((id) => `${id},Ada,${id},\n`).join("") });
    const { code, stdout } = await validate(folder, ["a.csv"]);
    expect(code).toBe(0);
    expect(linesOf(stdout).map(({ key }) => key)).toEqual(ids);
    expect((await payloads(folder, ["a.csv"])).map(({ number, note }) => [number, note])).toEqual(
      ids.map((id) => [id, id]),
    );
  });

  test("exits with 2 for bytes that are not UTF-8, and reports the byte, the line and a remedy", async () => {
    const folder = workFolder({ "a.csv": Buffer.from(`${HEADER}A1,Ada,,\nA2,O\x92Brien,,\n`, "latin1") });
    const { code, stdout, stderr } = await validate(folder, ["a.csv"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("a.csv:3");
    expect(stderr).toContain("byte 0x92");
    expect(stderr).toContain("--encoding windows-1252");
  });

  test("decodes all 256 bytes of a file declared as windows-1252", async () => {
    const rows = Array.from({ length: 256 }, (_, byte) => [
      Buffer.from(`B${byte},Ada,"x`),
      Buffer.from(byte === 0x22 ? [0x22, 0x22] : [byte]),
      Buffer.from('y",\n'),
    ]).flat();
    const folder = workFolder({ "a.csv": Buffer.concat([Buffer.from(HEADER), ...rows]) });
    const read = await payloads(folder, ["a.csv", "--encoding", "windows-1252", "--limit", "256"]);
    expect(read).toHaveLength(256);
    expect(read.map(({ note }) => note)).toEqual(WINDOWS_1252.map((character) => `x${character}y`));
  });

  test("reads a quoted newline as part of one record, and counts the lines after it correctly", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,Ada,"one\ntwo\r\nthree",\nA2,Bea,,12\n` });
    const { code, stdout } = await validate(folder, ["a.csv"]);
    expect(code).toBe(1);
    expect(linesOf(stdout)).toMatchObject([
      { record: 1, key: "A1", source: { line: 2 }, status: "valid" },
      {
        record: 2,
        key: "A2",
        source: { line: 5 },
        errors: [{ attr: "mobile", source: { line: 5, column: "MOBILE" } }],
      },
    ]);
  });

  test("reports an unclosed quote at line 3 of 1,000,000, using constant memory", async () => {
    const folder = workFolder({});
    writeUnclosedQuote(path.join(folder, "a.csv"), 1_000_000);
    const peakFile = path.join(folder, "peak");
    const { code, stdout, stderr } = await validate(folder, ["a.csv"], {
      nodeFlags: ["--import", projectFile("test/e2e/validate-peak-memory.mjs")],
      env: { PEAK_MEMORY_FILE: peakFile },
    });
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^migrate: a\.csv:3\b.*quot/m);
    expect(Number(readFileSync(peakFile, "utf8")) / 1024).toBeLessThan(180);
  });

  test("reports ragged rows at their lines, and validates the other rows", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,Ada,,\nA2,Bea\nA3,Cid,,,more\nA4,Dov,,\n` });
    const { code, stdout } = await validate(folder, ["a.csv"]);
    expect(code).toBe(1);
    const [, short, long] = linesOf(stdout);
    expect(linesOf(stdout).map(({ status }) => status)).toEqual(["valid", "invalid", "invalid", "valid"]);
    expect(short?.errors).toMatchObject([{ code: "source_ragged_row", source: { file: "a.csv", line: 3 } }]);
    expect(short?.errors?.[0]).toHaveProperty("detail", expect.stringMatching(/2 cells.*4/));
    expect(long?.errors).toMatchObject([{ code: "source_ragged_row", source: { file: "a.csv", line: 4 } }]);
    expect(long?.errors?.[0]).toHaveProperty("detail", expect.stringMatching(/5 cells.*4/));
  });

  test.each([
    ["a header that occurs twice", "REF,NAME,NOTE,NAME\nA1,Ada,,\n", /columns 2 and 4.*NAME/],
    ["a header without a name", "REF,,NOTE,MOBILE\nA1,Ada,,\n", /column 2/],
    ["two headers without a name", "REF,,NOTE,\nA1,Ada,,\n", /columns 2 and 4/],
  ])("exits with 2 for %s, and names the columns", async (_, content, message) => {
    const { code, stdout, stderr } = await validate(workFolder({ "a.csv": content }), ["a.csv"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
  });

  test("omits an optional field with an empty cell, and reports a required field with an empty cell", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,Ada,,\nA2, ,,\n` });
    const { code, stdout } = await validate(folder, ["a.csv"]);
    expect(code).toBe(1);
    expect(linesOf(stdout)).toMatchObject([
      { status: "valid" },
      { errors: [{ attr: "name", code: "required", source: { line: 3, column: "NAME", columnNumber: 2 } }] },
    ]);
    expect(await payloads(folder, ["a.csv"])).toEqual([{ number: "A1", name: "Ada" }, { number: "A2" }]);
  });

  test.each([
    [";", '";"'],
    ["\t", "tab"],
    ["|", '"|"'],
  ])("detects the delimiter %j and reports it on stderr", async (delimiter, said) => {
    const rows = [
      ["REF", "NAME", "NOTE", "MOBILE"],
      ["A1", "Ada", "one, two, three", ""],
      ["A2", "Bea", "", "12"],
    ];
    const folder = workFolder({ "a.csv": rows.map((cells) => `${cells.join(delimiter)}\n`).join("") });
    const { code, stdout, stderr } = await validate(folder, ["a.csv"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`a\\.csv: the delimiter is .*${said.replace("|", "\\|")}`));
    expect(linesOf(stdout)).toMatchObject([
      { key: "A1", status: "valid" },
      { key: "A2", errors: [{ attr: "mobile", source: { column: "MOBILE", columnNumber: 4 } }] },
    ]);
  });

  test.each([
    ["an empty file", "", []],
    ["a file of blank lines, even with --allow-empty", "\n\n", ["--allow-empty"]],
  ])("exits with 2 for %s, because there is no header", async (_, content, flags) => {
    const { code, stdout, stderr } = await validate(workFolder({ "a.csv": content }), ["a.csv", ...flags]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("no header");
  });

  test.each([1, 2])("reports a header that is repeated between the rows, with %i threads", async (threads) => {
    const rows = Array.from({ length: 3000 }, (_, at) => `A${at},Ada,,\n`);
    const text = `${HEADER}${rows.join("")}${HEADER}B1,Bea,,\n\uFEFF${HEADER}B2,Bea,,\n`;
    const { code, stdout } = await validate(workFolder({ "a.csv": text }), ["a.csv", "--threads", String(threads)]);
    expect(code).toBe(1);
    const refused = linesOf(stdout).filter(({ status }) => status !== "valid");
    const found = { errors: expect.arrayContaining([expect.objectContaining({ code: "source_repeated_header" })]) };
    expect(refused).toMatchObject([
      { source: { line: 3002 }, ...found },
      { source: { line: 3004 }, ...found },
    ]);
  });

  test("shows a notice for a path that no row of a JSON source has, because its field would be lost", async () => {
    const mapping = "operation: import-account\nkey: number\npayload: { number: REF, name: NAME, note: NOTES }\n";
    const rows = '{"REF":"A1","NAME":"Ada"}\n{"REF":"A2","NAME":"Bea","NOTE":"x"}\n';
    const folder = workFolder({ "mapping.yaml": mapping, "a.ndjson": rows });
    const { code, stderr } = await validate(folder, ["a.ndjson"]);
    expect(code).toBe(0);
    expect(stderr).toContain('a.ndjson: no row has "NOTES" (did you mean "NOTE"?), which mapping.yaml reads\n');
  });

  test("refuses a file with only a header unless --allow-empty is given", async () => {
    const folder = workFolder({ "a.csv": HEADER });
    const refused = await validate(folder, ["a.csv"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("0 records in a.csv");
    const allowed = await validate(folder, ["a.csv", "--allow-empty"]);
    expect(allowed).toMatchObject({ code: 0, stdout: "" });
  });
});

/** Returns the payloads that a push would send. */
async function payloads(folder: string, args: readonly string[]): Promise<readonly Payload[]> {
  const flags = ["--limit", "100", ...JOB_FLAGS, "--format", "json", "--show-values"];
  const { stdout } = await runCli(["preview", ...flags, ...args], { cwd: folder });
  const lines: readonly { readonly payload: Payload }[] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines.map(({ payload }) => payload);
}

interface Payload {
  readonly number?: string;
  readonly note?: string;
}

/** https://encoding.spec.whatwg.org/index-windows-1252.txt */
const WINDOWS_1252: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCodePoint(code)),
  ..."€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8DŽ\x8F\x90‘’“”•–—˜™š›œ\x9DžŸ".split(""),
  ...Array.from({ length: 96 }, (_, code) => String.fromCodePoint(0xa0 + code)),
];

function writeUnclosedQuote(file: string, lines: number): void {
  const each = `A3,Ada Somebody,some words that make a row as long as rows of real extracts are,07700900123\n`;
  const handle = openSync(file, "w");
  writeSync(handle, `${HEADER}A1,Ada,,\nA2,Bea,"never closed,\n`);
  const block = each.repeat(1000);
  for (let written = 3; written < lines; written += 1000) writeSync(handle, block);
  closeSync(handle);
}

const ROLE_PARTS = ["OWNER", "TENANT"].map((role) => {
  return `    - { each: customers, when: { column: ROLE, in: [${role}] }, item: { family_name: LAST } }\n`;
});
const ROLE_MAPPING = JOINED_MAPPING.replace(/ {4}each: customers\n {4}item: .*\n/, ROLE_PARTS.join(""));

const ROLE_LISTS = `  customers:
    each: customers
    when: { column: ROLE, in: [OWNER] }
    item: { family_name: LAST }
  tenants:
    each: customers
    when: { column: ROLE, in: [TENANT] }
    item: { family_name: LAST }
`;
const LISTS_MAPPING = JOINED_MAPPING.replace(/ {2}customers:\n {4}each: customers\n {4}item: .*\n/, ROLE_LISTS);

test.each([
  ["no part of its list", ROLE_MAPPING],
  ["no list", LISTS_MAPPING],
])("validate warns about a child row that %s selects, with one thread and with two", async (_, mapping) => {
  const accounts = Array.from({ length: 400 }, (_each, index) => `A${index}`);
  const customers = accounts.flatMap((key) => [`${key},1,Abbott,OWNER`, `${key},2,Begum,TENANT`]);
  const wrong = customers.map((row) => row.replace(/^(A7,2.*)TENANT$/, "$1TENNANT"));
  const folder = workFolder({
    "mapping.yaml": mapping,
    "accounts.csv": ["REF,NAME", ...accounts.map((key) => `${key},Ann`)].join("\n"),
    "customers.csv": ["REF,SEQ,LAST,ROLE", ...wrong].join("\n"),
  });
  for (const threads of ["1", "2"]) {
    const { code, stdout } = await validate(folder, ["--supplier", "S", "--threads", threads]);
    const warned = linesOf(stdout).filter(({ errors = [] }) => errors.length > 0);
    const source = { file: "customers.csv", line: 17, column: "ROLE" };
    const warning = { attr: "customers", code: "source_unselected_row", severity: "warning", source };
    expect(warned).toMatchObject([{ key: "A7", status: "valid", errors: [warning] }]);
    expect(code).toBe(0);
  }
});

test("the cell of a row that no part selects may be corrected in rejects (this change used to be refused)", async () => {
  const folder = workFolder({
    "mapping.yaml": ROLE_MAPPING,
    "accounts.csv": `REF,NAME\nA1,${"x".repeat(41)}\n`,
    "customers.csv": "REF,SEQ,LAST,ROLE\nA1,1,Abbott,TENNANT\n",
  });
  expect((await validate(folder, ["--supplier", "S", "--out", "report"])).code).toBe(1);
  for (const [name, wrong, right] of [
    ["rejects.csv", "x".repeat(41), "Ann"],
    ["rejects.customers.csv", "Abbott,TENNANT", "Abbott,TENANT"],
  ] as const) {
    const file = path.join(folder, "report", name);
    writeFileSync(file, readFileSync(file, "utf8").replace(wrong, right));
  }
  const { code, stdout, stderr } = await validate(folder, ["--supplier", "S", "--rejects", "report"]);
  expect([code, linesOf(stdout)]).toMatchObject([0, [{ key: "A1", status: "valid" }]]);
  expect(stderr).toContain("2 cells corrected in 2 rows");
});
