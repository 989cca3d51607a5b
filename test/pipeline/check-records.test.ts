import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/json/json-value.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { MappedRecord } from "../../src/model/record.ts";
import { checkedRecords } from "../../src/migrate.ts";
import { checkRecords, isValid } from "../../src/pipeline/plan/check-records.ts";
import { createShownValues } from "../../src/report/shown-values.ts";
import { all, openThings, problemsOf, thingsFolder } from "../job/sample-job.ts";

const { signal } = new AbortController();

describe("checked records", () => {
  it("have the mapping's problem at an attr, instead of the validator's problem", async () => {
    const job = await openThings(thingsFolder(["A,Ann,31/02/2024,"]));
    const records = await all(checkedRecords(job, { signal }));
    expect(problemsOf(records)).toEqual(["1 born invalid"]);
    expect(records[0]?.problems[0]?.place).toEqual({
      file: expect.stringContaining("things.csv"),
      line: 2,
      column: "BORN",
      columnNumber: 3,
    });
  });

  it("have an error from the contract in addition to a warning from the source at the same attr", async () => {
    const job = await openThings(thingsFolder(["A,toolong,,"]));
    const [record] = await all(checkedRecords(job, { signal }));
    if (record === undefined) throw new Error("no record");
    const warning = {
      attr: "name",
      code: "source_control_character",
      character: "U+0007",
      severity: "warning",
      by: "local",
    } as const;
    const warned: MappedRecord = { ...record, problems: [warning] };
    async function* records(): AsyncGenerator<readonly MappedRecord[]> {
      yield [warned];
    }
    const checked = await all(checkRecords(records(), job, undefined));
    expect(problemsOf(checked)).toEqual(["1 name source_control_character", "1 name max_length"]);
    expect(checked.map(isValid)).toEqual([false]);
  });

  it("list only 100 of 500 problems, count the rest, and are not checked further", async () => {
    const job = await openThings(thingsFolder(["A,Ann,,"]));
    const [record] = await all(checkedRecords(job, { signal }));
    if (record === undefined) throw new Error("no record");
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, 1]));
    const many: MappedRecord = { ...record, payload: { ...record.payload, ...unknown } };
    async function* records(): AsyncGenerator<readonly MappedRecord[]> {
      yield [many];
    }
    const [checked] = await all(checkRecords(records(), job, undefined));
    expect(checked?.problems).toHaveLength(100);
    expect(checked?.problems.at(-1)).toMatchObject({ code: "unknown_field", unlisted: 400 });
    async function* again(): AsyncGenerator<readonly MappedRecord[]> {
      if (checked !== undefined) yield [checked];
    }
    expect(await all(checkRecords(again(), job, undefined))).toEqual([checked]);
  });

  it("need a business key, even if the contract does not require it", async () => {
    const job = await openThings(thingsFolder([",Ann,,"]));
    const records = await all(checkedRecords(job, { signal }));
    expect(problemsOf(records)).toEqual(["1 ref required"]);
    expect(records[0]?.problems[0]?.place).toMatchObject({ line: 2, column: "REF" });
  });

  it("have one error at the cell of a business key with an invisible character", async () => {
    const folder = thingsFolder(["A\u200bB,Ann,,"]);
    const records = await all(checkedRecords(await openThings(folder), { signal }));
    expect(problemsOf(records)).toEqual(["1 ref source_control_character"]);
    expect(records[0]?.problems[0]).toMatchObject({ character: "U+200B", place: { line: 2, column: "REF" } });
    const file = path.join(folder, "mapping.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("things.csv }", "things.csv, key: REF }"));
    const declared = await all(checkedRecords(await openThings(folder), { signal }));
    expect(problemsOf(declared)).toEqual(["1 non_field_errors source_control_character"]);
  });

  it("have an error at a business key with an invisible character in a payload without a mapping", async () => {
    const folder = thingsFolder([]);
    writeFileSync(path.join(folder, "payloads.json"), JSON.stringify([{ ref: "A\u00a0B", name: "Ann" }]));
    const settings = { mapping: undefined, sources: ["payloads.json"] };
    const records = await all(checkedRecords(await openThings(folder, settings), { signal }));
    expect(problemsOf(records)).toEqual(["1 ref source_control_character"]);
    expect(records[0]?.problems[0]?.place).toMatchObject({ pointer: "/0/ref" });
  });

  it("are not checked further if they could not be read completely", async () => {
    const job = await openThings(thingsFolder(["A,far too long", "B,Bob,,"]));
    const records = await all(checkedRecords(job, { signal }));
    expect(problemsOf(records)).toEqual(["1 non_field_errors source_ragged_row"]);
    expect(records.map(isValid)).toEqual([false, true]);
  });

  it("are refused if a document path repeats the supplier's root", async () => {
    const job = await openThings(thingsFolder(["A,Ann,,docs/x/a.pdf"]), { documentRoot: "docs/x" });
    expect(problemsOf(await all(checkedRecords(job, { signal })))).toEqual(["1 file unsafe_document_path"]);
  });

  it("keep their record numbers from the whole input with --only and --limit", async () => {
    const rows = Array.from({ length: 1200 }, (_, index) => `K${index + 1},Ann,,`);
    const folder = thingsFolder(rows);
    const numbers = async (only?: readonly string[], limit?: number): Promise<readonly number[]> => {
      const job = await openThings(folder, { only, limit });
      return (await all(checkedRecords(job, { signal }))).map(({ number }) => number);
    };
    expect(await numbers(["K2", "K1199", "K7000"])).toEqual([2, 1199]);
    expect(await numbers(["K2", "K1199"], 1)).toEqual([2]);
    expect((await numbers(undefined, 501)).length).toBe(501);
    expect(await numbers([])).toEqual([]);
  });

  it("are no longer returned after the run is stopped, and no error is thrown", async () => {
    const job = await openThings(thingsFolder(["A,Ann,,"]));
    expect(await all(checkedRecords(job, { signal: AbortSignal.abort() }))).toEqual([]);
  });

  it("contain problem values only if the user asks for them", async () => {
    const job = await openThings(thingsFolder(["A,toolong,31/02/2024,"]));
    const shownValues = createShownValues();
    const [record] = await all(checkedRecords(job, { signal, shownValues }));
    const { number, row, problems = [] } = record ?? {};
    const source = { file: row?.table.file ?? "", line: 2 };
    const stored = problems.map(({ value: _value, ...problem }) => problem);
    const outcome: Outcome = { record: number ?? 0, source, status: "invalid", problems: stored };
    const shown = [outcome].map((each) => shownValues.fill(each));
    expect(shown[0]?.problems.map(({ attr, value }) => [attr, value])).toEqual([
      ["born", "31/02/2024"],
      ["name", "toolong"],
    ]);
  });

  it.each([
    ["name: NAME, born: { from: NAME, upper: true }", { name: "toolong", born: "TOOLONG" }],
    ["name: { value: constant }, file: { value: ../b }", { name: "constant", file: "../b" }],
  ])("contain the value of each attr that has the same place: %s", async (fields, expected) => {
    const folder = thingsFolder(["A,toolong,,"]);
    const mapping = `sources: { things: { files: things.csv } }\npayload: { ref: REF, ${fields} }\n`;
    writeFileSync(path.join(folder, "mapping.yaml"), mapping);
    const shownValues = createShownValues();
    const records = await all(checkedRecords(await openThings(folder), { signal, shownValues }));
    const outcomes = records.map(({ number, row, problems }): Outcome => {
      const source = { file: row.table.file, line: row.line };
      const stored = problems.map(({ value: _value, ...problem }) => problem);
      return { record: number, source, status: "invalid", problems: stored };
    });
    const shown = outcomes.flatMap((each) => shownValues.fill(each).problems);
    expect(Object.fromEntries(shown.map(({ attr, value }) => [attr, value]))).toEqual(expected);
  });

  it("are checked by rules with the values to which the platform converts them", async () => {
    const rules = [
      { code: "when_seen", kind: "required-when", when: "active", fields: ["name"] },
      { code: "forbids_name", kind: "forbidden-when", when: 'ref = "X"', fields: ["name"] },
    ];
    const folder = thingsFolder(["A,Ann,,"]);
    const contract = path.join(folder, "contract.yaml");
    const withRules = readFileSync(contract, "utf8").replace(
      "properties:",
      `x-rules: ${JSON.stringify(rules)}\n              properties:\n                active: { type: boolean }`,
    );
    writeFileSync(contract, withRules.replace("required: [name]", "required: []"));
    const job = await openThings(folder);
    const [record] = await all(checkedRecords(job, { signal }));
    if (record === undefined) throw new Error("no record");
    const problems = async (payload: JsonObject): Promise<readonly string[]> => {
      const changed: MappedRecord = { ...record, payload, problems: [] };
      async function* records(): AsyncGenerator<readonly MappedRecord[]> {
        yield [changed];
      }
      const [checked] = await all(checkRecords(records(), job, undefined));
      return (checked?.problems ?? []).map(({ attr, code, shape }) => `${attr} ${code} ${shape ?? ""}`.trim());
    };
    expect(await problems({ ref: "A", active: "no" })).toEqual(["active coerced aa"]);
    expect(await problems({ ref: "A", active: "yes" })).toEqual(["active coerced aaa", "non_field_errors when_seen"]);
    expect(await problems({ ref: "X ", name: " Ann" })).toEqual([
      "ref coerced A",
      "name coerced  Aaa",
      "non_field_errors forbids_name  Aaa",
    ]);
  });
});
