import { expect, test } from "vitest";
import type { InputRecord, Row } from "../../../src/model/record.ts";
import { recordPacker, recordUnpacker } from "../../../src/pipeline/threads/packed-records.ts";

const CSV = { kind: "csv", file: "a.csv", columns: ["REF"], columnIndex: new Map([["REF", 0]]) } as const;
const JSON_LINES = { kind: "json", file: "a.ndjson" } as const;

const csvRow = (cell: string, more: Partial<Row> = {}): Row => ({ ...more, table: CSV, line: 2, cells: [cell] });
const jsonRow = (name: string, more: Partial<Row> = {}): Row => ({
  ...more,
  table: JSON_LINES,
  line: 1,
  pointer: "",
  value: { name },
});

test("records that are passed to threads keep their joined rows and the rows before corrections", () => {
  const children = new Map([["customers", [jsonRow("joined", { uncorrected: jsonRow("old") }), csvRow("C")]]]);
  const rows = [
    csvRow("A", { children, uncorrected: csvRow("a") }),
    jsonRow("B", { children, uncorrected: jsonRow("b") }),
    jsonRow("last"),
  ];
  const records = rows.map((row, at): InputRecord => {
    return { number: at + 1, source: "accounts", orphan: false, row, problems: [] };
  });
  expect(recordUnpacker()(recordPacker()(records))).toEqual(records);
});
