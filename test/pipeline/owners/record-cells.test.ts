import { expect, test } from "vitest";
import type { Row } from "../../../src/model/record.ts";
import { cellsOf } from "../../../src/pipeline/owners/read-cells.ts";
import { csvRow, jsonRow, table } from "../../map/rows.ts";

const addresses = table("addresses.csv", ["CITY"]);
const customers = table("customers.csv", ["SYSTEM", "REGION"]);
const accounts = table("accounts.csv", ["REF", "REGION", "customers.OLD"]);
const customer = (system: string, ...cities: readonly string[]): Row =>
  csvRow(customers, 2, [system, "C"], { addresses: cities.map((city) => csvRow(addresses, 2, [city])) });
const account = csvRow(accounts, 2, ["00123", " N", "own"], {
  customers: [customer("A", "Leeds"), customer("B", "York", "Hull")],
});

test.each<[string, readonly string[]]>([
  ["REF", ["00123"]],
  ["REGION", [" N"]],
  ["customers.SYSTEM", ["A", "B"]],
  ["customers.addresses.CITY", ["Leeds", "York", "Hull"]],
  ["customers.OLD", ["own"]],
  ["addresses.CITY", []],
  ["customers.AREA", []],
  ["region", []],
])("the column %s of a record with joined rows has the values %j", (column, texts) => {
  expect(cellsOf({ source: "accounts", orphan: false, row: account })(column)).toEqual(texts);
});

test("a cell that a short row does not have is empty", () => {
  const row = csvRow(accounts, 2, ["1"]);
  expect(cellsOf({ source: "accounts", orphan: false, row })("REGION")).toEqual([""]);
});

test("an orphan has only the columns of its own source", () => {
  const cells = cellsOf({ source: "customers", orphan: true, row: customer("A", "Leeds") });
  expect(["customers.SYSTEM", "customers.REGION", "customers.addresses.CITY"].map(cells)).toEqual([
    ["A"],
    ["C"],
    ["Leeds"],
  ]);
  expect(["SYSTEM", "REGION", "old-customers.SYSTEM"].map(cells)).toEqual([[], [], []]);
  const below = cellsOf({ source: "addresses", orphan: true, row: csvRow(addresses, 2, ["York"]) });
  expect(["customers.addresses.CITY", "customers.CITY"].map(below)).toEqual([["York"], []]);
});

test.each<[string, readonly string[]]>([
  ["area", ["12.5"]],
  ["active", ["true"]],
  ["note", [""]],
  ["site.region", ["N"]],
  ["a.b", ["dot"]],
  ["site", []],
  ["tags", []],
  ["other", []],
])("the member %s of a JSON record has the values %j", (column, texts) => {
  const row = jsonRow({ area: 12.5, active: true, note: null, site: { region: "N" }, "a.b": "dot", tags: ["x"] });
  expect(cellsOf({ source: "records", orphan: false, row })(column)).toEqual(texts);
});
