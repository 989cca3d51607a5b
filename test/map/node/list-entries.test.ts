import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAttr } from "../../../src/json/attr.ts";
import type { ObjectType } from "../../../src/contract/types/field-type.ts";
import { type JsonValue, valueAt } from "../../../src/json/json-value.ts";
import type { CsvRow } from "../../../src/model/record.ts";
import { choice, compile, csvRow, failureOf, integer, list, object, rowOf, table, text, union } from "../rows.ts";

const SOURCES = `
sources:
  accounts: { files: a.csv, key: ID }
  power: { files: power.csv, parent: accounts, on: ID }
  gas: { files: gas.csv, parent: accounts, on: ID }
`;
const power = table("power.csv", ["ID", "MPAN", "KIND"]);
const gas = table("gas.csv", ["ID", "MPRN", "KIND"]);

function account(mpans: readonly (readonly string[])[], mprns: readonly (readonly string[])[]): CsvRow {
  const rows = (of: typeof power, cells: readonly (readonly string[])[]) =>
    cells.map((each, index) => csvRow(of, index + 2, ["1", ...each]));
  const children = { power: rows(power, mpans), gas: rows(gas, mprns) };
  return csvRow(table("a.csv", ["ID", "OWN"]), 2, ["1", "own"], children);
}

/**
 * Returns the places of the warnings about rows that are not sent. `entries`: a source, and if the entry selects rows,
 * a column and a value, such as `power KIND M`.
 */
function unselected(...entries: readonly string[]): readonly string[] {
  const parts = entries.map((entry) => {
    const [source = "", column, value] = entry.split(" ");
    const when = column === undefined ? "" : `when: { column: ${column}, in: [${value}] }, `;
    return `{ each: ${source}, ${when}item: { id: KIND } }`;
  });
  const body = object({ "id!": text, points: list(object({ id: text })) });
  const { map } = compile(`${SOURCES}\npayload: { id: ID, points: [${parts.join(", ")}] }`, body);
  const kinds = ["M", "X", "", "N"].map((kind, index) => [`P${index + 1}`, kind]);
  return map(account(kinds, [["G1", "X"]])).problems.map(({ attr, code, severity, place }) => {
    expect([attr, code, severity]).toEqual(["points", "source_unselected_row", "warning"]);
    return `${place?.file}:${place?.line} ${place?.column}`;
  });
}

/** Returns the places of the warnings, after the attr, for one list for each entry. */
function unselectedByLists(...entries: readonly string[]): readonly string[] {
  const names = ["points", "others", "more"];
  const lists = entries.map((entry, index) => {
    const [source = "", column, value] = entry.split(" ");
    const when = column === undefined ? "" : `when: { column: ${column}, in: [${value}] }, `;
    return `${names[index]}: { each: ${source}, ${when}item: { id: KIND } }`;
  });
  const points = list(object({ id: text }));
  const body = object({ "id!": text, points, others: points, more: points });
  const { map } = compile(`${SOURCES}\npayload: { id: ID, ${lists.join(", ")} }`, body);
  const kinds = ["M", "X", "", "N"].map((kind, index) => [`P${index + 1}`, kind]);
  return map(account(kinds, [["G1", "X"]])).problems.map(({ attr, place }) => `${attr}.${place?.file}:${place?.line}`);
}

describe("a list literal with several parts", () => {
  const body = object({ "id!": text, points: list(object({ "id!": text, digits: integer })) });
  const mapping = compile(
    `${SOURCES}
payload:
  id: ID
  points:
    - { each: gas, item: { id: MPRN } }
    - { id: OWN }
    - { each: power, when: { column: KIND, in: [M] }, item: { id: MPAN, digits: KIND } }
    - { when: { column: OWN, in: [other] }, item: { id: { value: never } } }
    - { when: { column: OWN, in: [own] }, item: { id: { value: always } } }
`,
    body,
  );
  const row = account(
    [
      ["P1", "M"],
      ["P2", "X"],
      ["P3", " M "],
    ],
    [["G1"], ["G2"]],
  );

  test("concatenates the items of its parts in the order of the mapping", () => {
    const { points } = mapping.map(row).payload;
    expect(ids(points)).toEqual(["G1", "G2", "own", "P1", "P3", "always"]);
  });
  test("locates the cell of each item", () => {
    const places = [0, 1, 2, 3, 4, 5].map((index) => mapping.locate(row, ["points", index, "id"]));
    expect(places).toMatchObject([
      { file: "gas.csv", line: 2, column: "MPRN" },
      { file: "gas.csv", line: 3, column: "MPRN" },
      { file: "a.csv", line: 2, column: "OWN" },
      { file: "power.csv", line: 2, column: "MPAN" },
      { file: "power.csv", line: 4, column: "MPAN" },
      { file: "a.csv", line: 2 },
    ]);
    expect(mapping.locate(row, ["points", 6, "id"])).toEqual({ file: "a.csv", line: 2 });
  });
  test("uses the index in the payload for problems and origins", () => {
    expect(mapping.map(row).problems).toMatchObject([
      { attr: "points.3.digits", code: "invalid", place: { file: "power.csv", line: 2 } },
      { attr: "points.4.digits", code: "invalid", place: { file: "power.csv", line: 4 } },
    ]);
    expect(mapping.origins(row).map(({ attr }) => attr)).toEqual([
      "id",
      "points.0.id",
      "points.1.id",
      "points.2.id",
      "points.3.id",
      "points.3.digits",
      "points.4.id",
      "points.4.digits",
      "points.5.id",
    ]);
  });
  test("has origins whose places match `locate` and whose values match the payload, for any rows", () => {
    const cellsOf = fc.array(fc.tuple(fc.constantFrom("a", "b", ""), fc.constantFrom("M", "X", "")), { maxLength: 4 });
    const entry = fc.constantFrom(
      "{ each: power, item: { id: MPAN, digits: KIND } }",
      "{ each: power, when: { column: KIND, in: [M] }, item: { id: MPAN } }",
      "{ each: gas, item: { id: { from: [MPRN, parent.OWN] } } }",
      "{ when: { column: OWN, in: [own] }, item: { id: OWN } }",
      "{ when: { column: OWN, in: [no] }, item: { id: OWN } }",
      "{ id: OWN }",
    );
    const property = fc.property(
      fc.array(entry, { minLength: 1, maxLength: 5 }),
      cellsOf,
      cellsOf,
      (parts, one, two) => {
        const any = compile(`${SOURCES}\npayload: { id: ID, points: [${parts.join(", ")}] }`, body);
        const some = account(one, two);
        for (const { attr, place, value } of any.origins(some)) {
          expect(any.locate(some, parseAttr(attr))).toEqual(place);
          expect(valueAt(any.map(some).payload, parseAttr(attr))).toEqual(value);
        }
      },
    );
    fc.assert(property, { numRuns: 200 });
  });
  test("warns at the cell of each row that no `when` selects, if several entries select rows of the source", () => {
    expect(unselected("power KIND M", "power KIND N")).toEqual(["power.csv:3 KIND", "power.csv:4 KIND"]);
    expect(unselected("power KIND M", "power MPAN P2", "gas")).toEqual(["power.csv:4 KIND", "power.csv:5 KIND"]);
    expect(unselected("power parent.OWN own", "power parent.OWN other")).toEqual([]);
    expect(unselected("power parent.OWN a", "power parent.OWN b")).toEqual([
      "a.csv:2 OWN",
      "a.csv:2 OWN",
      "a.csv:2 OWN",
      "a.csv:2 OWN",
    ]);
  });
  test("does not warn if one entry selects rows, or if an entry uses all rows of the source", () => {
    expect(unselected("power KIND M")).toEqual([]);
    expect(unselected("power KIND M", "gas KIND N")).toEqual([]);
    expect(unselected("power KIND M", "power KIND N", "power")).toEqual([]);
  });
  test("warns once about a row that neither of two lists selects", () => {
    expect(unselectedByLists("power KIND M", "power KIND N")).toEqual(["points.power.csv:3", "points.power.csv:4"]);
    expect(unselectedByLists("gas KIND N", "power KIND M", "power MPAN P2")).toEqual([
      "others.power.csv:4",
      "others.power.csv:5",
    ]);
  });
  test("does not warn if several lists select the same rows, or if one of them uses all rows", () => {
    expect(unselectedByLists("power KIND M", "power KIND M")).toEqual([]);
    expect(unselectedByLists("power KIND M", "gas KIND N")).toEqual([]);
    expect(unselectedByLists("power KIND M", "power KIND N", "power")).toEqual([]);
  });
  test("warns about the rows that none of several lists selects, for random lists", () => {
    const kinds = fc.constantFrom("", "M", "N", "X");
    const lists = fc.array(fc.option(fc.uniqueArray(kinds, { minLength: 1 })), { minLength: 1, maxLength: 4 });
    const property = fc.property(lists, fc.array(kinds, { maxLength: 6 }), (selected, rows) => {
      const names = selected.map((_, index) => `list${index}`);
      const entries = selected.map((values, index) => {
        const when = values === null ? "" : `when: { column: KIND, in: ${JSON.stringify(values)} }, `;
        return `${names[index]}: [{ each: power, ${when}item: { id: MPAN } }]`;
      });
      const fields = Object.fromEntries(names.map((name) => [name, list(object({ id: text }))]));
      const { map } = compile(
        `${SOURCES}\npayload: { id: ID, ${entries.join(", ")} }`,
        object({ "id!": text, ...fields }),
      );
      const { problems } = map(
        account(
          rows.map((kind) => ["P", kind]),
          [],
        ),
      );
      const isWarned = new Set(selected.map((values) => JSON.stringify(values))).size > 1 && !selected.includes(null);
      const unsent = rows.flatMap((kind, index) =>
        selected.some((values) => values?.includes(kind)) ? [] : [index + 2],
      );
      expect(problems.map(({ place }) => place?.line)).toEqual(isWarned ? unsent : []);
    });
    fc.assert(property, { numRuns: 200 });
  });
  test("is omitted if no items remain", () => {
    const parts = `${SOURCES}\npayload: { id: ID, points: [{ each: power, item: { id: MPAN } }, { each: gas, item: { id: MPRN } }] }`;
    expect(compile(parts, body).map(account([], [])).payload).toEqual({ id: "1" });
  });
  test("accepts scalars", () => {
    const texts = object({ "id!": text, codes: list(text) });
    const parts = `${SOURCES}\npayload: { id: ID, codes: [{ each: power, item: MPAN }, OWN, { each: gas, item: MPRN }] }`;
    const scalars = compile(parts, texts);
    const some = account([["P1"], [""], ["P3"]], [["G1"]]);
    expect(scalars.map(some).payload["codes"]).toEqual(["P1", "P3", "own", "G1"]);
    expect(scalars.locate(some, ["codes", 1])).toMatchObject({ file: "power.csv", line: 4 });
    expect(scalars.locate(some, ["codes", 3])).toMatchObject({ file: "gas.csv", line: 2 });
  });
  test("treats an entry as an item if the contract has fields with the names of its options", () => {
    const fields = object({ "id!": text, points: list(object({ each: text, item: text })) });
    const items = compile(`${SOURCES}\npayload: { id: ID, points: [{ each: ID, item: OWN }] }`, fields);
    expect(items.map(account([], [])).payload["points"]).toEqual([{ each: "1", item: "own" }]);
  });
  test("may be nested if the contract has a list of lists", () => {
    const lists = object({ "id!": text, points: list(list(text)) });
    const nested = compile(`${SOURCES}\npayload: { id: ID, points: [{ each: power, item: MPAN }, [OWN]] }`, lists);
    expect(nested.map(account([["P1"], ["P2"]], [])).payload["points"]).toEqual([["P1", "P2"], ["own"]]);
  });
  test.each([
    ["{ each: powr, item: { id: X } }", 'points.0.each: there is no source "powr"', 'did you mean "power"?'],
    ["{ each: power, itm: { id: X } }", "points.0.itm: is unknown", 'did you mean "item"?'],
    ["{ item: { id: X } }", "points.0: has neither a source of rows (each)", "write { each"],
    ["{ each: power, when: { colum: KIND, in: [M] }, item: { id: MPAN } }", "when.colum: is unknown", "column"],
    ["{ each: power, item: { idd: X } }", "points.0.item.idd: the contract has no such attr", 'did you mean "id"?'],
  ])("rejects %s", (entry, message, hint) => {
    const failure = failureOf(() => compile(`${SOURCES}\npayload: { id: ID, points: [${entry}] }`, body));
    expect(failure.message).toContain(message);
    expect(`${failure.message} ${failure.hint}`).toContain(hint);
  });
});

describe("items of a list with several alternatives in the contract:", () => {
  const register = object({ "register_id!": text, "digits!": integer });
  const electricity: ObjectType = object({
    "supply_type!": choice("ELECTRICITY"),
    "profile!": integer,
    meters: list(object({ "serial!": text, reading: integer, registers: list(register) })),
    status: choice("ON", "OFF"),
  });
  const gasPoint: ObjectType = object({
    "supply_type!": choice("GAS"),
    meters: list(object({ "serial!": text, reading: text, "digits!": integer })),
    status: choice("LIVE"),
  });
  const mapped = new Map([
    ["ELECTRICITY", electricity],
    ["GAS", gasPoint],
  ]);
  const body = object({
    points: list(union([electricity, gasPoint], { property: "supply_type", mapping: mapped })),
  });
  const payload = `payload:
  points:
    - supply_type: { from: FUEL, lookup: { E: ELECTRICITY, G: GAS } }
      profile: PROFILE
      status: { value: LIVE }
      meters:
        - serial: SERIAL
          reading: READING
          digits: DIGITS
          registers: [{ register_id: REGISTER, digits: { value: 5 } }]`;
  const mapping = compile(payload, body);
  const cells = { FUEL: "E", PROFILE: "1", SERIAL: "S", READING: "007", DIGITS: "", REGISTER: "R" };

  test("each item uses the alternative that its cell selects, even in nested fields", () => {
    const powerRow = mapping.map(rowOf({ ...cells, READING: "7" }));
    expect(powerRow).toMatchObject({ problems: [] });
    expect(powerRow.payload["points"]).toEqual([
      {
        supply_type: "ELECTRICITY",
        profile: 1,
        status: "LIVE",
        meters: [{ serial: "S", reading: 7, registers: [{ register_id: "R", digits: 5 }] }],
      },
    ]);
    const gasRow = mapping.map(rowOf({ ...cells, FUEL: "G", PROFILE: "", DIGITS: "4", REGISTER: "" }));
    expect(gasRow).toMatchObject({ problems: [] });
    expect(gasRow.payload["points"]).toEqual([
      { supply_type: "GAS", status: "LIVE", meters: [{ serial: "S", reading: "007", digits: 4 }] },
    ]);
  });
  test("a cell of another alternative is kept for validation, but a constant of another alternative is not", () => {
    const { payload: kept } = mapping.map(rowOf({ ...cells, FUEL: "G", PROFILE: "1", DIGITS: "4" }));
    expect(kept["points"]).toMatchObject([{ profile: 1, meters: [{ registers: [{ register_id: "R", digits: 5 }] }] }]);
    const row = rowOf({ ...cells, FUEL: "G", PROFILE: "", DIGITS: "4", REGISTER: "" });
    expect(JSON.stringify(mapping.map(row).payload)).not.toContain("registers");
    expect(mapping.origins(row).map(({ attr }) => attr)).not.toContain("points.0.meters.0.registers.0.digits");
  });
  test("a cell is located through a field of another alternative", () => {
    const row = rowOf({ ...cells, FUEL: "G" });
    const attr = ["points", 0, "meters", 0, "registers", 0, "register_id"];
    expect(mapping.locate(row, attr)).toMatchObject({ column: "REGISTER" });
  });
  test("an attr that no alternative has is rejected", () => {
    const wrong = failureOf(() => compile(payload.replace("registers:", "registrs:"), body));
    expect(wrong.message).toContain("points.0.meters.0.registrs: the contract has no such attr");
    const choices = failureOf(() => compile(payload.replace("value: LIVE", "value: LOVE"), body));
    expect(choices.message).toContain("is not one of the contract's choices");
  });
});

function ids(points: JsonValue | undefined): readonly JsonValue[] {
  const items: unknown[] = Array.isArray(points) ? points : [];
  return items.flatMap((item) =>
    typeof item === "object" && item !== null && "id" in item && typeof item.id === "string" ? [item.id] : [],
  );
}
