import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { parseAttr } from "../../../src/json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { isCsvRow, type Row } from "../../../src/model/record.ts";
import { locateAttr } from "../../../src/map/node/locate-attr.ts";
import type { LeafNode, MappingNode } from "../../../src/map/node/mapping-node.ts";
import { choice, compile, csvRow, integer, jsonRow, list, object, rowOf, table, text, union } from "../rows.ts";

const accounts = table("accounts.csv", ["REF", "NAME", "ADDR1", "ADDR2"]);
const customers = table("customers.csv", ["FIRST", "SPARE", "MOBILE"]);
const meters = table("meters.csv", ["MPAN"]);

const body = object({
  "id!": text,
  country: text,
  name: text,
  tags: list(text),
  customers: list(object({ first: text, "mobile!": text, "missing!": text, numbers: list(text) })),
  addresses: list(object({ "line!": text, "postcode!": text })),
});
const mapping = compile(
  `
sources:
  accounts: { key: REF }
  customers: { parent: accounts, on: REF, key: ID }
  meters: { parent: customers, on: REF }
payload:
  id: REF
  country: { value: GB }
  name: { from: [NAME, ADDR1] }
  tags: { from: ADDR2, split: "," }
  customers: { each: customers, item: { first: FIRST, mobile: MOBILE, numbers: { each: meters, item: MPAN } } }
  addresses: [{ line: ADDR1 }, { line: ADDR2 }]
`,
  body,
);
const account = csvRow(accounts, 7, ["1", "", "", "street"], {
  customers: [
    csvRow(customers, 3, ["Ann", "", "0770"]),
    csvRow(customers, 9, ["Bob", "", ""], {
      meters: [csvRow(meters, 4, [""]), csvRow(meters, 5, ["9"])],
    }),
  ],
});
/** Returns the column of a leaf from two cells, `" "` and `"x"`. */
const columnBehind = (options: string): unknown =>
  compile(`payload: { name: { from: [NAME, ADDR1], ${options} } }`, object({ name: text })).locate(
    csvRow(accounts, 8, ["1", " ", "x", ""]),
    ["name"],
  )?.column;
const placeOf = (attr: string) => mapping.locate(account, parseAttr(attr));

describe("locate", () => {
  test("returns a cell of the root row with its column", () =>
    expect(placeOf("id")).toEqual({ file: "accounts.csv", line: 7, column: "REF", columnNumber: 1 }));
  test("returns a cell of a child row, even if it is empty", () => {
    expect(placeOf("customers.1.mobile")).toEqual({
      file: "customers.csv",
      line: 9,
      column: "MOBILE",
      columnNumber: 3,
    });
    expect(placeOf("customers.0.first")).toMatchObject({ line: 3, column: "FIRST" });
  });
  test("returns a cell of a grandchild row, and does not count empty scalars as items", () =>
    expect(placeOf("customers.1.numbers.0")).toEqual({ file: "meters.csv", line: 5, column: "MPAN", columnNumber: 1 }));
  test("returns the column that supplied the value, or the first column if all columns are empty", () => {
    expect(placeOf("name")).toMatchObject({ column: "NAME" });
    expect(mapping.locate(csvRow(accounts, 8, ["1", "", "x", ""]), ["name"])).toMatchObject({ column: "ADDR1" });
  });
  test("returns the first joined cell that is not empty, which can contain only whitespace if trim is false", () => {
    expect(columnBehind('join: "-", trim: false')).toBe("NAME");
    expect(columnBehind('join: "-"')).toBe("ADDR1");
    expect(columnBehind("trim: false")).toBe("ADDR1");
  });
  test("does not count the omitted items of a list literal", () =>
    expect(placeOf("addresses.0.line")).toMatchObject({ column: "ADDR2", columnNumber: 4 }));
  test("returns the whole cell for one of its parts", () =>
    expect(placeOf("tags.0")).toMatchObject({ column: "ADDR2" }));
  test.each(["country", "customers.non_field_errors.x", "nothing.like.it", "non_field_errors", "addresses.5.line"])(
    "returns the row for %s, which has no cell",
    (attr) => {
      const place = placeOf(attr);
      expect(place).toMatchObject({ line: attr.startsWith("customers") ? 3 : 7 });
      expect(place).not.toHaveProperty("column");
    },
  );
  test("returns the child row for an object and for its unmapped attrs", () => {
    expect(placeOf("customers.1")).toEqual({ file: "customers.csv", line: 9 });
    expect(placeOf("customers.1.missing")).toEqual({ file: "customers.csv", line: 9 });
  });
  test("returns the first child row, or the parent row, for a list of child rows", () => {
    expect(placeOf("customers")).toEqual({ file: "customers.csv", line: 3 });
    expect(mapping.locate(csvRow(accounts, 8, ["1"]), ["customers"])).toEqual({ file: "accounts.csv", line: 8 });
    expect(placeOf("customers.0.numbers")).toEqual({ file: "customers.csv", line: 3 });
  });
  test("returns the cell of a field that depends on another field", () => {
    const either = union([object({ kind: choice("A"), a: integer }), object({ kind: choice("B"), b: text })]);
    const choosing = compile("payload: { p: { kind: K, a: X, b: Y } }", object({ p: either }));
    expect(choosing.locate(rowOf({ K: "B", X: "", Y: "y" }), ["p", "b"])).toMatchObject({ column: "Y" });
  });
  test("reads only one of many child rows", () => {
    let calls = 0;
    const leaf: LeafNode = {
      kind: "leaf",
      applies: undefined,
      read: () => "x",
      finish: () => {
        calls += 1;
        return "x";
      },
      fallback: undefined,
      origin: "column",
      isCopied: false,
      placeIn: () => undefined,
      from: [],
    };
    const item: MappingNode = { kind: "object", fields: [{ name: "a", node: leaf }], required: [], optional: false };
    const children = Array.from({ length: 50_000 }, (_, index) => csvRow(table("c.csv", ["A"]), index + 2, ["x"]));
    const row = csvRow(table("p.csv", ["A"]), 2, ["x"], { c: children });
    const place = locateAttr({ kind: "each", source: "c", condition: undefined, item }, row, [49_999, "a"]);
    expect([place.line, calls]).toEqual([50_001, 0]);
  });
  test("returns a JSON pointer for JSON sources, even if the member is missing", () => {
    const json = compile("payload: { id: a/b.c, name: a, country: { value: GB } }", body);
    const source = jsonRow({ "a/b": { c: "x" } }, "/accounts/3");
    const place = { file: "accounts.json", line: 2 };
    expect(json.locate(source, ["id"])).toEqual({ ...place, pointer: "/accounts/3/a~1b/c" });
    expect(json.locate(source, ["name"])).toEqual({ ...place, pointer: "/accounts/3/a" });
    expect(json.locate(source, ["country"])).toEqual({ ...place, pointer: "/accounts/3" });
  });
});

describe("for any mapping and any rows,", () => {
  test("every string of a payload is the content of the cell that `locate` returns", () => {
    fc.assert(
      fc.property(shapes, fc.infiniteStream(fc.constantFrom("", "", "x", "y", " ")), (shape, cells) => {
        const built = draw(shape, "s0");
        const sources = [...built.sources].map(([name, { parent }]) =>
          parent === undefined ? `  ${name}: { key: K }` : `  ${name}: { parent: ${parent}, on: K, key: K }`,
        );
        const yaml = `sources:\n${sources.join("\n")}\npayload: { root: ${built.entry} }`;
        const compiled = compile(yaml, object({ root: built.type }));
        const top = rowFor("s0", built.sources, cells);
        for (const [path, value] of leavesOf(compiled.map(top).payload)) {
          const place = compiled.locate(top, path);
          expect(cellAt(top, place?.file, place?.line, place?.columnNumber)).toBe(value);
        }
      }),
    );
  });
});

type Shape = { kind: "leaf" } | { kind: "object" | "items"; parts: readonly Shape[] } | { kind: "each"; item: Shape };

const { shape: shapes } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant<Shape>({ kind: "leaf" }),
    fc.record({ kind: fc.constant("object" as const), parts: fc.array(tie("shape"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ kind: fc.constant("each" as const), item: tie("shape") }),
    fc.record({ kind: fc.constant("items" as const), parts: fc.array(tie("shape"), { minLength: 1, maxLength: 3 }) }),
  ),
}));

interface Drawn {
  readonly entry: string;
  readonly type: FieldType;
  /** Every source with its parent and the number of its columns. */
  readonly sources: Map<string, { readonly parent: string | undefined; columns: number }>;
}

/** Builds the mapping and the type for a shape. Every leaf has its own column; items of a list literal share a type. */
function draw(shape: Shape, source: string, sources: Drawn["sources"] = new Map([[source, fresh(undefined)]])): Drawn {
  if (shape.kind === "leaf") {
    const used = sources.get(source) ?? fresh(undefined);
    used.columns += 1;
    return { entry: `C${used.columns - 1}`, type: text, sources };
  }
  if (shape.kind === "each") {
    const child = `s${sources.size}`;
    sources.set(child, fresh(source));
    const { entry, type } = draw(shape.item, child, sources);
    return { entry: `{ each: ${child}, item: ${entry} }`, type: list(type), sources };
  }
  if (shape.kind === "items") {
    const [first = { kind: "leaf" as const }] = shape.parts;
    const drawn = shape.parts.map(() => draw(first, source, sources));
    return { entry: `[${drawn.map(({ entry }) => entry).join(", ")}]`, type: list(drawn[0]?.type ?? text), sources };
  }
  const drawn = shape.parts.map((part) => draw(part, source, sources));
  const fields = drawn.map(({ entry }, index) => `f${index}: ${entry}`);
  return {
    entry: `{ ${fields.join(", ")} }`,
    type: object(Object.fromEntries(drawn.map(({ type }, index) => [`f${index}`, type]))),
    sources,
  };
}

function fresh(parent: string | undefined): { parent: string | undefined; columns: number } {
  return { parent, columns: 0 };
}

/** Returns a row with two rows in every child source. The text of each filled cell is unique. */
function rowFor(source: string, sources: Drawn["sources"], cells: fc.Stream<string>, drawn = { line: 1 }): Row {
  drawn.line += 1;
  const { line } = drawn;
  const names = Array.from({ length: sources.get(source)?.columns ?? 0 }, (_, index) => `C${index}`);
  const values = [...cells.take(names.length)].map((cell, index) =>
    cell.trim() === "" ? cell : `${cell}${line}-${index}`,
  );
  const below = [...sources].filter(([, { parent }]) => parent === source);
  const children = below.map(([name]) => [
    name,
    [rowFor(name, sources, cells, drawn), rowFor(name, sources, cells, drawn)],
  ]);
  return csvRow(table(`${source}.csv`, names), line, values, Object.fromEntries(children));
}

function leavesOf(
  value: JsonValue,
  path: readonly (string | number)[] = [],
): [readonly (string | number)[], JsonValue][] {
  if (isJsonArray(value)) return value.flatMap((item, index) => leavesOf(item, [...path, index]));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
  return [[path, value]];
}

function cellAt(row: Row, file = "", line = 0, columnNumber = 0): string | undefined {
  if (isCsvRow(row) && row.table.file === file && row.line === line) return row.cells[columnNumber - 1];
  const children = [...(row.children?.values() ?? [])].flat();
  return children.map((child) => cellAt(child, file, line, columnNumber)).find((cell) => cell !== undefined);
}
