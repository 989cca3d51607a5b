import { describe, expect, test } from "vitest";
import type { CsvRow } from "../../src/model/record.ts";
import { compile, csvRow, failureOf, jsonRow, list, object, table, text, union } from "./rows.ts";

const SOURCES = `
sources:
  accounts: { files: a.csv, key: ID }
  meters: { files: m.csv, parent: accounts, on: ID, key: MPAN }
  readings: { files: r.csv, parent: meters, on: MPAN }
`;
const reading = object({ value: text, mpan: text, name: text });
const body = object({
  "id!": text,
  meters: list(object({ mpan: text, name: text, readings: list(reading) })),
  names: list(text),
});
const accounts = table("a.csv", ["ID", "NAME", "KIND"]);
const meters = table("m.csv", ["ID", "MPAN"]);
const readings = table("r.csv", ["MPAN", "VALUE"]);

function meter(line: number, mpan: string): CsvRow {
  return csvRow(meters, line, ["1", mpan], { readings: [csvRow(readings, line * 10, [mpan, `${mpan}-value`])] });
}

describe("a column of the parent", () => {
  const mapping = compile(
    `${SOURCES}
payload:
  id: ID
  meters:
    each: meters
    when: { column: parent.KIND, in: [D] }
    item:
      mpan: MPAN
      name: { from: [parent.NAME, MPAN], upper: true }
      readings:
        each: readings
        item: { value: VALUE, mpan: parent.MPAN, name: parent.parent.NAME }
  names: [{ each: meters, item: parent.NAME }]
`,
    body,
  );
  const shared = [meter(2, "M1"), meter(3, "M2")];
  const ann = csvRow(accounts, 2, ["1", "Ann", "D"], { meters: shared });
  const bob = csvRow(accounts, 3, ["2", "Bob", "D"], { meters: shared });

  test("is read from the parent row of the item, at any depth, even if several parents share the row", () => {
    for (const [row, name] of [
      [ann, "Ann"],
      [bob, "Bob"],
      [ann, "Ann"],
    ] as const) {
      expect(mapping.map(row).payload).toMatchObject({
        meters: [
          { mpan: "M1", name: name.toUpperCase(), readings: [{ value: "M1-value", mpan: "M1", name }] },
          { mpan: "M2", name: name.toUpperCase(), readings: [{ value: "M2-value", mpan: "M2", name }] },
        ],
        names: [name, name],
      });
    }
  });
  test("can be used in a condition", () => {
    const other = csvRow(accounts, 4, ["3", "Cy", "B"], { meters: shared });
    expect(mapping.map(other).payload).toEqual({ id: "3", names: ["Cy", "Cy"] });
  });
  test("is where a problem with its value is located", () => {
    mapping.map(ann);
    expect(mapping.locate(bob, ["meters", 1, "name"])).toMatchObject({ file: "a.csv", line: 3, column: "NAME" });
    expect(mapping.locate(ann, ["meters", 1, "readings", 0, "name"])).toMatchObject({ line: 2, column: "NAME" });
    expect(mapping.locate(ann, ["meters", 1, "readings", 0, "mpan"])).toMatchObject({ file: "m.csv", line: 3 });
    expect(mapping.locate(bob, ["names", 1])).toMatchObject({ file: "a.csv", line: 3, column: "NAME" });
    const origins = mapping.origins(bob).filter(({ attr }) => attr === "meters.1.readings.0.name");
    expect(origins).toMatchObject([{ place: { file: "a.csv", line: 3 }, value: "Bob" }]);
  });
  test("is required in the parent's file", () => {
    const lacking = compile(
      `${SOURCES}\npayload: { id: ID, meters: { each: meters, item: { name: parent.NAM } } }`,
      body,
    );
    const failure = failureOf(() => lacking.map(ann));
    expect(failure.message).toContain('a.csv: no column "NAM"');
    expect(failure.hint).toContain('did you mean "NAME"?');
  });
  test("is ignored if the row itself has a column or member with the same name", () => {
    const own = csvRow(table("m.csv", ["parent.NAME", "MPAN"]), 2, ["own", "M1"]);
    const entry = `${SOURCES}\npayload: { id: ID, meters: { each: meters, item: { name: parent.NAME } } }`;
    const row = csvRow(accounts, 2, ["1", "Ann", "D"], { meters: [own] });
    const either = compile(entry, body);
    expect(either.map(row).payload["meters"]).toEqual([{ name: "own" }]);
    expect(either.locate(row, ["meters", 0, "name"])).toMatchObject({ file: "m.csv", column: "parent.NAME" });
    const json = { ...ann, children: new Map([["meters", [jsonRow({ parent: { NAME: "own" } }), jsonRow({ x: 1 })]]]) };
    expect(either.map(json).payload["meters"]).toEqual([{ name: "own" }, { name: "Ann" }]);
  });
  test("can select the alternative of a union", () => {
    const power = object({ "kind!": text, "mpan!": text });
    const gas = object({ "kind!": text, "mprn!": text });
    const points = union([power, gas], {
      property: "kind",
      mapping: new Map([
        ["D", power],
        ["G", gas],
      ]),
    });
    const kinds = compile(
      `${SOURCES}\npayload: { meters: { each: meters, item: { kind: parent.KIND, mpan: MPAN } } }`,
      object({ meters: list(points) }),
    );
    expect(kinds.map(ann).payload["meters"]).toEqual([
      { kind: "D", mpan: "M1" },
      { kind: "D", mpan: "M2" },
    ]);
  });
  test("has no special meaning outside child rows", () => {
    const failure = failureOf(() => compile("payload: { id: parent.NAME }", body).map(ann));
    expect(failure.message).toContain('no column "parent.NAME"');
  });
});

test("a list of columns for a single value is rejected, with a suggestion for combining the columns", () => {
  const failure = failureOf(() => compile("payload: { id: [FIRST, LAST] }", body));
  expect(failure.hint).toContain(
    'write { from: [FIRST, LAST], join: " " } to join them, or { from: [FIRST, LAST] } for the first column that is not empty',
  );
});
