import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { FieldType, ObjectType } from "../../src/contract/types/field-type.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import { planSources } from "../../src/map/document/source-tree.ts";
import type { Row } from "../../src/model/record.ts";
import type { ChildSpec } from "../../src/model/source-spec.ts";
import { choice, compile, csvRow, date, list, object, table, text, union } from "./rows.ts";

const guide = readFileSync(new URL("../../docs/mapping.md", import.meta.url), "utf8");

/** Returns the first YAML block under a heading of the guide. */
function example(heading: string): string {
  const section = guide.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  const block = /```yaml\n([^]*?)```/.exec(section ?? "")?.[1];
  if (block === undefined) throw new Error(`docs/mapping.md has no example under ${heading}`);
  return block;
}

/** Puts an entry of the guide, `name: ...`, under `payload:`. */
function asPayload(sources: string, entry: string): string {
  const indented = entry.replaceAll(/^(?=.)/gm, "  ");
  return `sources:\n  accounts: { files: a.csv, key: ID }\n${sources}payload:\n${indented}`;
}

function child(name: string, parent = "accounts"): string {
  return `  ${name}: { files: ${name}.csv, parent: ${parent}, on: ID, key: ID }\n`;
}

function row(file: string, cells: Readonly<Record<string, string>>, children?: Record<string, readonly Row[]>): Row {
  return csvRow(table(file, Object.keys(cells)), 2, Object.values(cells), children);
}

function meter(fields: Readonly<Record<string, FieldType>>): FieldType {
  return list(object({ "meter_serial_number!": text, ...fields }));
}

function childrenIn(heading: string): readonly ChildSpec[] {
  const document = readMapping({ file: "mapping.yaml", text: `${example(heading)}payload: {}\n` });
  return planSources(document, { positional: [], named: new Map(), resolve: (path) => path }).children;
}

describe("the example in the guide's section", () => {
  test("'Lists of several parts' concatenates the items of all parts", () => {
    const point = object({ identifier: text, supply_type: text });
    const mapping = compile(
      asPayload(child("e_points") + child("g_points"), example("Lists of several parts")),
      object({ meter_points: list(point) }),
    );
    const account = row(
      "a.csv",
      { ID: "1", UNMETERED: "Y", LAMP: "L" },
      {
        e_points: [row("e_points.csv", { MPAN: "E1" }), row("e_points.csv", { MPAN: "E2" })],
        g_points: [row("g_points.csv", { MPRN: "G1" })],
      },
    );
    expect(mapping.map(account).payload["meter_points"]).toEqual([
      { identifier: "E1", supply_type: "ELECTRICITY" },
      { identifier: "E2", supply_type: "ELECTRICITY" },
      { identifier: "G1", supply_type: "GAS" },
      { identifier: "L", supply_type: "ELECTRICITY" },
    ]);
  });

  test("'One of several objects' builds the fields of the selected object", () => {
    const power: ObjectType = object({
      "supply_type!": choice("ELECTRICITY"),
      "identifier!": text,
      meters: meter({ registers: list(object({ "register_id!": text })) }),
    });
    const gas: ObjectType = object({
      "supply_type!": choice("GAS"),
      "identifier!": text,
      aq_history: list(object({ "consumption!": text })),
      meters: meter({ gas_number_of_digits: text }),
    });
    const types = new Map([
      ["ELECTRICITY", power],
      ["GAS", gas],
    ]);
    const mapping = compile(
      asPayload(child("points"), example("One of several objects")),
      object({ meter_points: list(union([power, gas], { property: "supply_type", mapping: types })) }),
    );
    const cells = { POINT: "P", USAGE: "9", METER: "M", DIGITS: "5", REGISTER: "R" };
    const points = ["E", "G"].map((FUEL) => row("points.csv", { FUEL, ...cells }));
    expect(mapping.map(row("a.csv", { ID: "1" }, { points })).payload["meter_points"]).toEqual([
      {
        supply_type: "ELECTRICITY",
        identifier: "P",
        meters: [{ meter_serial_number: "M", registers: [{ register_id: "R" }] }],
      },
      {
        supply_type: "GAS",
        identifier: "P",
        aq_history: [{ consumption: "9" }],
        meters: [{ meter_serial_number: "M", gas_number_of_digits: "5" }],
      },
    ]);
  });

  test("'Columns of the parent' reads cells of the parent rows", () => {
    const reading = object({ value: text, on: text, meter: text, account: text });
    const mapping = compile(
      asPayload(child("meters") + child("readings", "meters"), example("Columns of the parent")),
      object({ meter_points: list(object({ identifier: text, readings: list(reading) })) }),
    );
    const readings = [row("readings.csv", { READING: "7", READ_ON: "x" })];
    const meters = [row("meters.csv", { MPAN: "M", SERIAL: "S" }, { readings })];
    const account = row("a.csv", { ACCOUNT_REF: "00123", TYPE: "D" }, { meters });
    expect(mapping.map(account).payload["meter_points"]).toEqual([
      { identifier: "M", readings: [{ value: "7", on: "x", meter: "S", account: "00123" }] },
    ]);
  });

  test("'Several patterns' reads a date in each of the formats", () => {
    const mapping = compile(`payload:\n  ${example("Several patterns")}`, object({ date_of_birth: date }));
    const born = (DOB: string) => mapping.map(row("a.csv", { DOB })).payload["date_of_birth"];
    expect(["31/12/1985", "31/12/85", "19851231", "01/01/25"].map(born)).toEqual([
      "1985-12-31",
      "1985-12-31",
      "1985-12-31",
      "2025-01-01",
    ]);
  });

  test("'Rows that several parents share' joins rows by the key that the parents refer to", () =>
    expect(childrenIn("Rows that several parents share")).toMatchObject([
      { name: "customers", on: "CUST_ID", parentKey: "CUSTOMER", key: "CUST_ID" },
    ]));
  test("'One of several rows' picks the last row", () =>
    expect(childrenIn("One of several rows")).toMatchObject([
      { pick: { take: "last", by: { column: "CHANGED" } } },
      { distinct: true, pick: { take: "last", by: { column: "READ_ON" }, per: "MPAN" } },
    ]));
  test("'Order' orders rows by a number and by a date", () => {
    const ranks = childrenIn("Order").map(({ orderBy }) => orderBy?.cells?.wanted);
    expect(ranks).toEqual(["a number", "a valid date, written as dd/MM/yyyy"]);
  });
});
