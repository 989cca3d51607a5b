import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outcome } from "../../src/model/outcome.ts";
import type { InputRecord, Row } from "../../src/model/row.ts";
import { type ReportFilesOptions, writeReportFiles } from "../../src/report/report-files.ts";
import { batched, csvRow, csvTable, jsonRow, missing, orphan, outcomeOf, recordsOf } from "./inputs.ts";
import { reportOf } from "./reports.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "rejects-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("rejects of one source", () => {
  const table = csvTable("accounts.csv", ["REF", "NAME", "PHONE"]);
  const records = recordsOf([
    csvRow(table, 2, ["00123", " Ann ", "+44 7700"]),
    csvRow(table, 3, ["00124", "Bob", ""]),
    csvRow(table, 5, ['0"5', "two\nlines", "=1+1"]),
  ]);

  it("are the original rows, untouched, with what is wrong behind", async () => {
    const [first, second, third] = records;
    await write(records, [
      outcomeOf(need(first), [
        missing("name", need(first).row),
        { ...missing("phone", need(first).row), attr: "phone" },
      ]),
      outcomeOf(need(second)),
      outcomeOf(
        need(third),
        [{ attr: "x", code: "odd", detail: "=cmd", severity: "error", by: "platform" }],
        "rejected",
      ),
    ]);
    expect(await files()).toEqual(["rejects.csv"]);
    expect(await content("rejects.csv")).toBe(
      `REF,NAME,PHONE,migrate_key,migrate_attr,migrate_code,migrate_detail
00123," Ann ",+44 7700,K1,name | phone,required | required,A value is required here. | A value is required here.
"0""5","two
lines",=1+1,K3,x,odd,"'=cmd"
`,
    );
  });

  it("come back unchanged through a CSV parser, whatever is in the cells", async () => {
    const cells = fc.array(
      fc.oneof(fc.string(), fc.constantFrom("\r", "a\r", "\n", '"', " ", "'", "\u2028", "", "\t", "-1")),
      {
        minLength: 3,
        maxLength: 3,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 5 }), async (rows) => {
        const all = recordsOf(rows.map((row, at) => csvRow(table, at + 2, row)));
        await write(
          all,
          all.map((record) => outcomeOf(record, [missing("name", record.row)])),
        );
        const read = parseCsv(await content("rejects.csv"));
        expect(read.slice(1).map((row) => row.slice(0, 3))).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  });

  it("keep a ragged row as it was, so that it stays ragged until it is mended", async () => {
    const ragged = recordsOf([csvRow(table, 2, ["1", "Ann"]), csvRow(table, 3, ["2", "Bob", "07", "x"])]);
    await write(
      ragged,
      ragged.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    expect(parseCsv(await content("rejects.csv")).map((row) => row.length)).toEqual([7, 6, 8]);
    expect((await content("rejects.csv")).split("\n").slice(1, 3)).toEqual([
      "1,Ann,K1,name,required,A value is required here.",
      "2,Bob,07,x,K2,name,required,A value is required here.",
    ]);
  });

  it("are the same when they are fed back in unmended, ragged rows included", async () => {
    const first = recordsOf([
      csvRow(table, 2, ["1", "Ann", ""]),
      csvRow(table, 3, ["2"]),
      csvRow(table, 4, ["3", "a", "b", "c"]),
    ]);
    await write(
      first,
      first.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    const before = await content("rejects.csv");
    const [header = [], ...rows] = parseCsv(before);
    const again = csvTable("rejects.csv", header);
    const second = recordsOf(rows.map((row, at) => csvRow(again, at + 2, row)));
    await write(
      second,
      second.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    expect(await content("rejects.csv")).toBe(before);
  });

  it("put files with different headers under all their columns, in order of appearance", async () => {
    const other = csvTable("more.csv", ["PHONE", "EMAIL", "REF"]);
    const all = recordsOf([
      csvRow(table, 2, ["1", "Ann", "07"]),
      csvRow(other, 2, ["08", "b@example.com", "2"]),
      csvRow(other, 3, ["09", "too", "many", "cells"]),
      csvRow(table, 3, ["3", "Cy", "06"]),
    ]);
    await write(
      all,
      all.map((record) => outcomeOf(record, [missing("name", record.row)])),
      { sources: ["accounts"] },
    );
    const rows = parseCsv(await content("rejects.csv")).map((row) => row.slice(0, 5));
    expect(rows).toEqual([
      ["REF", "NAME", "PHONE", "EMAIL", "migrate_key"],
      ["1", "Ann", "07", "", "K1"],
      ["2", "", "08", "b@example.com", "K2"],
      ["09", "too", "many", "cells", ""],
      ["3", "Cy", "06", "", "K4"],
    ]);
  });

  it("use the delimiter and mark the encoding that the run declared, to be read by the same command", async () => {
    await write(
      records,
      records.map((record) => outcomeOf(record, [missing("name", record.row)])),
      {
        delimiter: ";",
        encoding: "windows-1252",
      },
    );
    expect(await content("rejects.csv")).toMatch(/^\uFEFFREF;NAME;PHONE;migrate_key;/);
  });

  it("are not written when nothing needs work, and those of an earlier report go", async () => {
    await write(
      records,
      records.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    expect(await files()).toEqual(["rejects.csv"]);
    await write(
      records,
      records.map((record) => outcomeOf(record)),
    );
    expect(await files()).toEqual([]);
  });

  it("are refused when the input is no longer what it was", async () => {
    const outcomes = records.map((record) => outcomeOf(record, [missing("name", record.row)]));
    const moved = recordsOf(records.map(({ row }) => ({ ...row, line: row.line + 1 })));
    await expect(write(moved, outcomes)).rejects.toMatchObject({ code: "source_changed" });
    await expect(write(records.slice(0, 2), outcomes)).rejects.toMatchObject({ code: "source_changed" });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("rejects of joined sources", () => {
  const accounts = csvTable("accounts.csv", ["REF"]);
  const customers = csvTable("customers.csv", ["REF", "NAME"]);
  const phones = csvTable("phones.csv", ["NAME", "PHONE"]);
  const phone = csvRow(phones, 2, ["Ann", "07"]);
  const ann = csvRow(customers, 2, ["1", "Ann"], new Map([["phones", [phone]]]));
  const bob = csvRow(customers, 3, ["1", "Bob"]);
  const cy = csvRow(customers, 4, ["2", "Cy"]);
  const lost = csvRow(customers, 5, ["9", "Lost"]);
  const records = [
    ...recordsOf([
      csvRow(accounts, 2, ["1"], new Map([["customers", [ann, bob]]])),
      csvRow(accounts, 3, ["2"], new Map([["customers", [cy]]])),
    ]),
    orphan(3, "customers", lost),
  ];
  const sources = ["accounts", "customers", "phones"];

  it("are one file a source, every row of a record in it, each problem beside its own row", async () => {
    const [one, two, three] = records;
    const homeless = { ...missing("billing", need(one).row), attr: "agreements" };
    const { place: _, ...placeless } = homeless;
    await write(
      records,
      [
        outcomeOf(need(one), [missing("customers.1.name", bob, "NAME"), placeless, missing("phones.0", phone)]),
        outcomeOf(need(two)),
        outcomeOf(need(three), [missing("non_field_errors", lost)]),
      ],
      { sources },
    );
    expect(await files()).toEqual(["rejects.csv", "rejects.customers.csv", "rejects.phones.csv"]);
    expect(await rowsOf("rejects.csv")).toEqual([
      ["REF", "migrate_attr"],
      ["1", "agreements"],
    ]);
    expect(await rowsOf("rejects.customers.csv")).toEqual([
      ["REF", "NAME", "migrate_attr"],
      ["1", "Ann", ""],
      ["1", "Bob", "customers.1.name"],
      ["9", "Lost", "non_field_errors"],
    ]);
    expect(await rowsOf("rejects.phones.csv")).toEqual([
      ["NAME", "PHONE", "migrate_attr"],
      ["Ann", "07", "phones.0"],
    ]);
  });

  it("have a file with a header alone for a source without rejected rows, so that they can be fed back together", async () => {
    const [one, two, three] = records;
    await write(records, [outcomeOf(need(one)), outcomeOf(need(two), [missing("x", cy)]), outcomeOf(need(three))], {
      sources,
    });
    expect(await rowsOf("rejects.customers.csv")).toEqual([
      ["REF", "NAME", "migrate_attr"],
      ["2", "Cy", "x"],
    ]);
    expect(await rowsOf("rejects.phones.csv")).toEqual([["NAME", "PHONE", "migrate_attr"]]);
  });

  it("stop reading the input when nothing more can come", async () => {
    let read = 0;
    const [one] = records;
    const endless = async function* (): AsyncGenerator<readonly InputRecord[]> {
      yield [need(one)];
      for (let number = 2; number < 1000; number += 1) {
        read += 1;
        yield [{ ...need(one), number }];
      }
    };
    const outcomes = Array.from({ length: 999 }, (_, at): Outcome => {
      const outcome = outcomeOf({ ...need(one), number: at + 1 });
      return at === 0 ? { ...outcome, status: "invalid", problems: [missing("x", need(one).row)] } : outcome;
    });
    await writeReportFiles(reportOf(outcomes), { folder, sources, records: endless });
    expect(read).toBeLessThan(3);
  });
});

describe("rejects of JSON sources", () => {
  it("are the original values, one a line, but for what could not be read faithfully", async () => {
    const records = recordsOf([
      jsonRow("a.json", 2, "/0", { ref: "1", list: [1, { a: null }] }),
      jsonRow("a.json", 2, "/1", { ref: "2" }),
      jsonRow("a.json", 2, "/10", { big: 12345678901234567000 }),
    ]);
    const [one, two, three] = records;
    const unsafe = { attr: "big", code: "source_unsafe_number", severity: "error", by: "local" } as const;
    const { rejects } = await write(records, [
      outcomeOf(need(one), [missing("x", need(one).row)]),
      outcomeOf(need(two)),
      outcomeOf(need(three), [{ ...unsafe, place: { file: "a.json", line: 2, pointer: "/10/big" } }]),
    ]);
    expect(await files()).toEqual(["rejects.ndjson"]);
    expect(await content("rejects.ndjson")).toBe('{"ref":"1","list":[1,{"a":null}]}\n');
    expect(rejects.leftOut).toBe(1);
  });

  it("leave out the rows joined to a value that is left out: alone they came back as orphans", async () => {
    const table = csvTable("customers.csv", ["ACC"]);
    const joined = (key: string, line: number): ReadonlyMap<string, readonly Row[]> =>
      new Map([["customers", [csvRow(table, line, [key])]]]);
    const records = recordsOf([
      { ...jsonRow("a.ndjson", 1, "", { ref: "1" }), children: joined("1", 2) },
      { ...jsonRow("a.ndjson", 2, "", {}), children: joined("2", 3) },
    ]);
    const [one, two] = records;
    const twice = { attr: "", code: "source_duplicate_name", name: "ref", severity: "error", by: "local" } as const;
    await write(
      records,
      [
        outcomeOf(need(one), [missing("x", need(one).row)]),
        outcomeOf(need(two), [{ ...twice, place: { file: "a.ndjson", line: 2, pointer: "/ref" } }]),
      ],
      { sources: ["accounts", "customers"] },
    );
    expect(await content("rejects.ndjson")).toBe('{"ref":"1"}\n');
    expect((await content("rejects.customers.csv")).split("\n")).toEqual([
      "ACC,migrate_key,migrate_attr,migrate_code,migrate_detail",
      "1,K1,,,",
      "",
    ]);
  });
});

function need<T>(item: T | undefined): T {
  if (item === undefined) throw new Error("the test has no such item");
  return item;
}

type Result = Awaited<ReturnType<typeof writeReportFiles>>;

function write(
  records: readonly InputRecord[],
  outcomes: readonly Outcome[],
  more: Partial<ReportFilesOptions> = {},
): Promise<Result> {
  return writeReportFiles(reportOf(outcomes), {
    folder,
    records: () => batched(records),
    sources: ["accounts"],
    ...more,
  });
}

async function files(): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith("rejects")).toSorted();
}

function content(name: string): Promise<string> {
  return readFile(path.join(folder, name), "utf8");
}

/** Every row with its original cells and the attrs of its problems. */
async function rowsOf(name: string): Promise<readonly (readonly string[])[]> {
  return parseCsv(await content(name)).map((row) => [...row.slice(0, -4), row.at(-3) ?? ""]);
}

function parseCsv(text: string): string[][] {
  return parse(text, { relax_column_count: true, record_delimiter: ["\r\n", "\n"] });
}
