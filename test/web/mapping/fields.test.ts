import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { usedColumns } from "../../../src/web/client/pages/mapping/fields.ts";
import type { SourceData } from "../../../src/web/mapping/mapping-data.ts";

function source(name: string, options: JsonObject): SourceData {
  return { name, files: [], rows: 0, columns: [], keys: [], options };
}

test.each([
  ["one column", { on: "REF", key: "ID", orderBy: "SEQ" }, ["customers REF", "customers ID", "customers SEQ"]],
  ["a column of each source", { on: { CUST_ID: "CUSTOMER" } }, ["customers CUST_ID", "accounts CUSTOMER"]],
  ["an order with a type", { orderBy: { column: "SEQ", as: "number" } }, ["customers SEQ"]],
])("columns that join, identify or order rows are used: %s", (_title, options, used) => {
  const sources = [source("accounts", {}), source("customers", { parent: "accounts", ...options })];
  expect([...usedColumns([], sources)].toSorted()).toEqual(used.toSorted());
});
