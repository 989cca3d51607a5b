import { expect, it } from "vitest";
import { rejectRows, rowsToExport } from "../../../src/report/rejects/rejected-rows.ts";
import { csvRow, csvTable, jsonRow, missing, outcomeOf, recordsOf } from "../inputs.ts";
import { need } from "./reject-scene.ts";

it("a problem at /m/10/x is assigned to the row /m/10, not to /m/1", () => {
  const joined = ["/m/1", "/m/10"].map((pointer) => jsonRow("a.json", 1, pointer, {}));
  const [record] = recordsOf([{ ...jsonRow("a.json", 1, "/0", {}), children: new Map([["m", joined]]) }]);
  const problem = { ...missing("x", need(joined[1])), place: { file: "a.json", line: 1, pointer: "/m/10/x" } };
  const rows = rejectRows(need(record), outcomeOf(need(record), [problem]));
  expect(rows.map(({ problems }) => problems.length)).toEqual([0, 0, 1]);
});

it("a problem with several cells is listed in the row of each cell", () => {
  const child = csvRow(csvTable("customers.csv", ["LAST"]), 9, [""]);
  const children = new Map([["customers", [child]]]);
  const [record] = recordsOf([csvRow(csvTable("accounts.csv", ["FIRST", "MIDDLE"]), 2, ["", ""], children)]);
  const cells = [
    { file: "accounts.csv", line: 2, column: "FIRST" },
    { file: "accounts.csv", line: 2, column: "MIDDLE" },
    { file: "customers.csv", line: 9, column: "LAST" },
  ];
  const problem = { ...missing("name", need(record).row, "FIRST"), place: { ...need(cells[0]), cells } };
  const rows = rejectRows(need(record), outcomeOf(need(record), [problem]));
  const columns = rows.map(({ problems }) => problems.map(({ place }) => place?.column));
  expect(columns).toEqual([["FIRST", "MIDDLE"], ["LAST"]]);
});

it("the rows that pick omitted are exported if the column that determines the selection has an error", () => {
  const table = csvTable("readings.csv", ["READ_ON", "VALUE"]);
  const [omitted, selected] = [csvRow(table, 2, ["2024-01-01", "1"]), csvRow(table, 3, ["2024-99-01", "x"])];
  const candidates = new Map([["readings", { rows: [omitted, selected], columns: ["READ_ON"] }]]);
  const account = csvRow(csvTable("accounts.csv", ["REF"]), 2, ["1"], new Map([["readings", [selected]]]));
  const [record] = recordsOf([{ ...account, candidates }]);
  const exported = (column: string, severity: "error" | "warning" = "error"): readonly number[] =>
    rowsToExport(need(record), [{ ...missing("x", selected, column), severity }]).map(({ row }) => row.line);
  expect(exported("READ_ON")).toEqual([2, 2, 3]);
  expect(exported("READ_ON", "warning")).toEqual([2, 3]);
  expect(exported("VALUE")).toEqual([2, 3]);
});

it("a problem in a file that two sources read is assigned to the row of each source (one of them used to lack it)", () => {
  const [inCustomers, inLead] = [1, 2].map(() => csvRow(csvTable("customers.csv", ["LAST"]), 9, [""]));
  const children = new Map([
    ["customers", [need(inCustomers)]],
    ["lead", [need(inLead)]],
  ]);
  const [record] = recordsOf([csvRow(csvTable("accounts.csv", ["REF"]), 2, ["1"], children)]);
  const problem = missing("billing_name", need(inLead), "LAST");
  const rows = rejectRows(need(record), outcomeOf(need(record), [problem]));
  expect(rows.map(({ child, problems }) => [child, problems.length])).toEqual([
    [undefined, 0],
    ["customers", 1],
    ["lead", 1],
  ]);
});
