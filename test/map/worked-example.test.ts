import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { compileMapping } from "../../src/map/compile-mapping.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import { NO_FUNCTIONS } from "../../src/map/leaf/function-calls.ts";
import { planSources } from "../../src/map/document/source-tree.ts";
import type { ChildSpec, SourceSpec } from "../../src/model/source-spec.ts";
import type { CsvRow } from "../../src/model/record.ts";
import { csvRow, table } from "./rows.ts";

const root = new URL("../../", import.meta.url);
const folder = "fixtures/map/worked-example";
const guide = read("docs/mapping.md");

function read(file: string): string {
  return readFileSync(new URL(file, root), "utf8");
}

/** Returns the fenced blocks of the guide in this language. */
function blocks(language: string): readonly string[] {
  return [...guide.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, name, text]) =>
    name === language && text !== undefined ? [text] : [],
  );
}

const document = readMapping({ file: `${folder}/mapping.yaml`, text: read(`${folder}/mapping.yaml`) });
const plan = planSources(document, { positional: [], named: new Map(), resolve: (path) => `${folder}/${path}` });
const contract = loadContract([{ file: "contract.yaml", text: read("fixtures/contract/contract.yaml") }]);
const fuels = parse(read(`${folder}/codes/fuels.csv`), { from_line: 2 }).map(
  ([code = "", value = ""]) => [code, value] as const,
);
const mapping = compileMapping(document, findOperation(contract, document.operation), {
  supplier: "OLDCO-2024",
  lookups: new Map([["codes/fuels.csv", new Map(fuels)]]),
  functions: NO_FUNCTIONS,
});

/** Reads the rows of a source with their child rows, using a naive join. */
function rowsOf(source: SourceSpec): readonly CsvRow[] {
  const file = source.files[0] ?? "";
  const [columns = [], ...rows] = parse(read(file));
  const header = table(file, columns);
  const children = source.children.map((child) => [child, rowsOf(child)] as const);
  return rows.map((cells, index) => {
    const key = cells[columns.indexOf(source.key ?? "")];
    const joined = children.map(([child, below]) => [
      child.name,
      ordered(
        child,
        below.filter((row) => cell(row, child.on) === key),
      ),
    ]);
    return csvRow(header, index + 2, cells, Object.fromEntries(joined));
  });
}

function ordered(child: ChildSpec, rows: readonly CsvRow[]): readonly CsvRow[] {
  const { orderBy } = child;
  return orderBy === undefined
    ? rows
    : rows.toSorted((one, other) => Number(cell(one, orderBy.column)) - Number(cell(other, orderBy.column)));
}

function cell(row: CsvRow, column: string): string {
  return row.cells[row.table.columnIndex.get(column) ?? -1] ?? "";
}

test("the example's files are mapped to the payloads in the guide", () => {
  const mapped = rowsOf(plan).map((row) => mapping.map(row));
  expect(mapped.flatMap(({ problems }) => problems)).toEqual([]);
  const printed: unknown[] = blocks("json").map((text) => JSON.parse(text));
  expect(mapped.map(({ payload }) => payload)).toEqual(printed);
});

test("the mapping fills every required attr of the contract", () => expect(mapping.unmappedRequired).toEqual([]));

test("the guide shows the files of the example unchanged", () => {
  for (const file of [
    "mapping.yaml",
    "accounts.csv",
    "customers.csv",
    "meters.csv",
    "agreements.csv",
    "codes/fuels.csv",
  ]) {
    expect([...blocks("yaml"), ...blocks("csv")]).toContain(read(`${folder}/${file}`));
  }
});

test("a cell of a grandchild row is located through both joins", () => {
  const [account] = rowsOf(plan);
  const attr = ["supply_addresses", 0, "meter_points", 0, "agreements", 1, "tariff_code"];
  expect(account && mapping.locate(account, attr)).toEqual({
    file: `${folder}/agreements.csv`,
    line: 3,
    column: "TARIFF",
    columnNumber: 2,
  });
});
