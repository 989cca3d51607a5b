import { expect, it } from "vitest";
import { rejectRows } from "../../../src/report/rejects/rejected-rows.ts";
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
