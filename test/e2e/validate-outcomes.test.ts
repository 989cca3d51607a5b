import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { runCli } from "./cli.ts";
import { CONTRACT_FLAGS, JOB_FLAGS, JOINED_MAPPING, linesOf, validate, workFolder } from "./validate-scene.ts";

const HEADER = "REF,NAME,NOTE,MOBILE\n";

describe("outcome lines", () => {
  test("of valid and invalid records have JSON keys in a fixed order, and stdout contains nothing else", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,Ada,,\nA2,,x,12\n` });
    const { code, stdout } = await validate(folder, ["a.csv"]);
    expect(code).toBe(1);
    expect(stdout).toBe(
      ndjson(
        { record: 1, key: "A1", source: { file: "a.csv", line: 2 }, status: "valid" },
        {
          record: 2,
          key: "A2",
          source: { file: "a.csv", line: 3 },
          status: "invalid",
          errors: [
            {
              attr: "name",
              code: "required",
              detail: "A value is required here.",
              severity: "error",
              by: "local",
              source: { file: "a.csv", line: 3, column: "NAME", columnNumber: 2 },
            },
            {
              attr: "mobile",
              code: "invalid",
              detail: "Does not match the format that the contract requires: ^[0-9]{11}$",
              severity: "error",
              by: "local",
              source: { file: "a.csv", line: 3, column: "MOBILE", columnNumber: 4 },
            },
          ],
        },
      ),
    );
  });

  test("locate a problem of a child row through the join, with its own file, line and column", async () => {
    const folder = joinedFolder();
    const { code, stdout } = await validate(folder, ["--supplier", "ACME"]);
    expect(code).toBe(1);
    const [first, second, orphan] = linesOf(stdout);
    expect(first).toEqual({ record: 1, key: "A1", source: { file: "accounts.csv", line: 2 }, status: "valid" });
    expect(second).toEqual({
      record: 2,
      key: "A2",
      source: { file: "accounts.csv", line: 3 },
      status: "invalid",
      errors: [
        {
          attr: "customers.1.email",
          code: "invalid",
          detail: "Must be an e-mail address.",
          severity: "error",
          by: "local",
          source: { file: "customers.csv", line: 3, column: "MAIL", columnNumber: 4 },
        },
      ],
    });
    expect(orphan).toMatchObject({
      record: 3,
      source: { file: "customers.csv", line: 6 },
      status: "invalid",
      errors: [{ attr: "non_field_errors", code: "source_orphan_row", source: { column: "REF", columnNumber: 1 } }],
    });
  });

  test("of a JSON source have pointers, and warn about a value that would be converted", async () => {
    const accounts = [
      { number: "A1", name: "Ada", note: 7 },
      { number: "A2", customers: [{ family_name: "B", "e~m/ail": "x" }] },
    ];
    const folder = workFolder({ "a.json": JSON.stringify(accounts, undefined, 1) });
    const args = ["validate", "a.json", ...CONTRACT_FLAGS, "--format", "ndjson"];
    const { code, stdout } = await runCli(args, { cwd: folder });
    expect(code).toBe(1);
    expect(linesOf(stdout)).toEqual([
      {
        record: 1,
        key: "A1",
        source: { file: "a.json", line: 2 },
        status: "valid",
        errors: [
          {
            attr: "note",
            code: "coerced",
            detail: expect.stringContaining("number"),
            severity: "warning",
            by: "local",
            source: { file: "a.json", line: 2, pointer: "/0/note" },
          },
        ],
      },
      {
        record: 2,
        key: "A2",
        source: { file: "a.json", line: 7 },
        status: "invalid",
        errors: [
          expect.objectContaining({
            attr: "name",
            code: "required",
            source: { file: "a.json", line: 7, pointer: "/1/name" },
          }),
          expect.objectContaining({
            attr: "customers.0.e~m/ail",
            code: "unknown_field",
            source: { file: "a.json", line: 7, pointer: "/1/customers/0/e~0m~1ail" },
          }),
        ],
      },
    ]);
  });

  test("of records with the same key mark repeated content as duplicate, and different content as invalid", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,Ada,,\nA2,Bea,,\nA1,Ada,,\nA2,Other,,\n` });
    const { code, stdout } = await validate(folder, ["a.csv"]);
    expect(code).toBe(1);
    expect(linesOf(stdout).map(({ status, errors }) => [status, errors?.[0]?.code, errors?.[0]?.source])).toEqual([
      ["valid", undefined, undefined],
      ["invalid", "duplicate_key", { file: "a.csv", line: 3, column: "REF", columnNumber: 1 }],
      ["duplicate", "duplicate_key", { file: "a.csv", line: 4, column: "REF", columnNumber: 1 }],
      ["invalid", "duplicate_key", { file: "a.csv", line: 5, column: "REF", columnNumber: 1 }],
    ]);
  });
});

describe("the report folder", () => {
  test("contains the same outcomes as stdout, every error, and counts that add up", async () => {
    const folder = joinedFolder();
    const { stdout } = await validate(folder, ["--supplier", "ACME", "--out", "report"]);
    const file = (name: string): string => readFileSync(path.join(folder, "report", name), "utf8");
    expect(readdirSync(path.join(folder, "report")).toSorted()).toEqual([
      "errors.csv",
      "outcomes.ndjson",
      "rejects.csv",
      "rejects.customers.csv",
      "rejects.fingerprints",
      "rejects.json",
      "report.html",
      "summary.json",
    ]);
    expect(file("outcomes.ndjson")).toBe(stdout);
    expect(rowsOf(file("errors.csv"))).toMatchObject([
      { record: "2", key: "A2", attr: "customers.1.email", file: "customers.csv", line: "3", column: "MAIL" },
      { record: "3", attr: "non_field_errors", code: "source_orphan_row", file: "customers.csv", line: "6" },
    ]);
    const { records, errors, exitCode, ...counts }: Summary = JSON.parse(file("summary.json"));
    expect(records).toBe(3);
    expect(Object.values(counts).reduce<number>((sum, count) => sum + Number(count), 0)).toBe(records);
    expect(counts).toMatchObject({ valid: 1, invalid: 2, accepted: 0, ambiguous: 0 });
    expect(errors).toEqual({ invalid: 1, source_orphan_row: 1 });
    expect(exitCode).toBe(1);
  });

  test("is readable only by its owner, even with umask 000", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,,,\n` });
    const umask = ["sh", "-c", 'umask 000; exec "$0" "$@"'];
    await validate(folder, ["a.csv", "--out", "new/report"], { under: umask });
    const out = path.join(folder, "new/report");
    expect(readdirSync(out)).toHaveLength(7);
    expect(readdirSync(out).map((name) => modeOf(path.join(out, name)))).toEqual(readdirSync(out).map(() => 0o600));
    expect(modeOf(out)).toBe(0o700);
  });

  test("makes an existing file private if others could read it", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,,,\n`, "out/summary.json": "old" });
    await validate(folder, ["a.csv", "--out", "out"]);
    expect(modeOf(path.join(folder, "out/summary.json"))).toBe(0o600);
    expect(readFileSync(path.join(folder, "out/summary.json"), "utf8")).toContain('"records":1');
  });

  test("names the next command, which reads the corrected rejects", async () => {
    const folder = joinedFolder();
    const { stderr } = await validate(folder, ["--supplier", "ACME", "--out", "report"]);
    const [, next = ""] = /^Next {4}migrate (.*)$/m.exec(stderr) ?? [];
    const rejects = path.join(folder, "report/rejects.customers.csv");
    expect(rowsOf(readFileSync(path.join(folder, "report/rejects.csv"), "utf8"))).toEqual([
      expect.objectContaining({ REF: "A2", NAME: "Bea", migrate_key: "A2", migrate_code: "" }),
    ]);
    const mended = readFileSync(rejects, "utf8").replace("not-an-address", "b@example.com").replace("A9,1", "A2,3");
    writeFileSync(rejects, mended);
    const again = await runCli([...next.split(" "), "--format", "ndjson"], { cwd: folder });
    expect(again.code).toBe(0);
    expect(linesOf(again.stdout).map(({ key, status }) => [key, status])).toEqual([["A2", "valid"]]);
  });

  test("contains an errors.csv with only a header if the input has no errors, and no next command is suggested", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,Ada,,\n` });
    const { code, stderr } = await validate(folder, ["a.csv", "--out", "out"]);
    expect(code).toBe(0);
    expect(stderr).not.toContain("Next");
    expect(rowsOf(readFileSync(path.join(folder, "out/errors.csv"), "utf8"))).toEqual([]);
  });

  test("is left unchanged if the input cannot be read", async () => {
    const folder = workFolder({ "a.csv": `${HEADER}A1,,,\n` });
    await validate(folder, ["a.csv", "--out", "out"]);
    const before = readFileSync(path.join(folder, "out/outcomes.ndjson"), "utf8");
    writeFileSync(path.join(folder, "a.csv"), `${HEADER}A1,"open\n`);
    expect((await validate(folder, ["a.csv", "--out", "out"])).code).toBe(2);
    expect(readFileSync(path.join(folder, "out/outcomes.ndjson"), "utf8")).toBe(before);
    expect(readdirSync(path.join(folder, "out")).toSorted()).toEqual([
      "errors.csv",
      "outcomes.ndjson",
      "rejects.csv",
      "rejects.fingerprints",
      "rejects.json",
      "report.html",
      "summary.json",
    ]);
  });

  test("is refused if it would overwrite the input", async () => {
    const folder = workFolder({ "rejects.csv": `${HEADER}A1,,,\n` });
    const { code, stderr } = await validate(folder, ["rejects.csv", "--out", "."]);
    expect(code).toBe(2);
    expect(stderr).toContain("rejects.csv");
    expect(readFileSync(path.join(folder, "rejects.csv"), "utf8")).toBe(`${HEADER}A1,,,\n`);
  });
});

test("the summary shows the counts on stderr", async () => {
  const folder = workFolder({ "a.csv": `${HEADER}A1,Ada,,\nA2,,,\nA3,,,\n` });
  const { stderr } = await runCli(["validate", "a.csv", ...JOB_FLAGS], { cwd: folder });
  expect(stderr).toMatch(/^validate a\.csv: 3 records\n +1 +valid .*\n +2 +invalid /);
});

interface Summary {
  readonly records: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly exitCode: number;
  readonly [status: string]: unknown;
}

/**
 * Writes a valid account, an account whose second customer has an invalid address, and a customer without an account.
 */
function joinedFolder(): string {
  return workFolder({
    "mapping.yaml": JOINED_MAPPING,
    "accounts.csv": "REF,NAME\nA1,Ada\nA2,Bea\n",
    "customers.csv": [
      "REF,SEQ,LAST,MAIL",
      "A1,1,Able,a@example.com",
      "A2,2,Baker,not-an-address",
      "A1,2,Amber,",
      "A2,1,Bird,b@example.com",
      "A9,1,Nobody,",
      "",
    ].join("\n"),
  });
}

function ndjson(...lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function rowsOf(csv: string): readonly Readonly<Record<string, string>>[] {
  return parse(csv, { columns: true });
}

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}
