import { copyFileSync, cpSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseDocument } from "../../../src/contract/document/yaml-document.ts";
import { type JsonValue, valueAt } from "../../../src/json/json-value.ts";
import { Failure } from "../../../src/model/failure.ts";
import type { FieldData, MappingData, MappingEdit } from "../../../src/web/mapping/mapping-data.ts";
import { describeNewSource } from "../../../src/web/mapping/new-source.ts";
import { wrapInList } from "../../../src/web/mapping/yaml/edit-yaml.ts";
import { commentsIn } from "../../../src/web/mapping/yaml/places.ts";
import { rawWorkbook, textRow } from "../../read/workbook/raw-workbook.ts";
import { fieldNamed, sceneOf, textIn, workedExample } from "./mapping-scene.ts";

const scene = workedExample();
const TEXT = textIn(scene.folder);
const POINTS = "supply_addresses.*.meter_points";
const POINTS_PATH = ["payload", "supply_addresses", 0, "meter_points"];

const valueOf = (text: string): JsonValue => parseDocument({ file: "mapping.yaml", text }, "mapping_invalid").value;

/** Returns a part of the meter points. */
function partOf(view: MappingData, at: number): FieldData {
  const part = fieldNamed(view, POINTS).children[at];
  if (part === undefined) throw new Error(`no part ${at}`);
  return part;
}

async function edited(text: string, ...edits: readonly MappingEdit[]): ReturnType<typeof scene.view> {
  return scene.view(text, edits);
}

test("adds a part with the rows of a source to a list, and the fields of the part can then be filled", async () => {
  const { path: at } = fieldNamed(await scene.view(TEXT), POINTS);
  expect(at).toEqual(POINTS_PATH);
  const when = { column: "FUEL", in: ["G"] };
  const made = await edited(TEXT, { kind: "addPart", path: at, source: "meters", when });
  const [first, second] = [partOf(made, 0), partOf(made, 1)];
  expect(first).toMatchObject({ entry: { text: "each row of meters" }, condition: null });
  expect(second).toMatchObject({
    kind: "part",
    row: "meters",
    entry: { text: "each row of meters; when: { column: FUEL, in: [G] }" },
    condition: when,
  });
  expect(valueAt(valueOf(made.text), [...POINTS_PATH, 0])).toEqual(valueAt(valueOf(TEXT), POINTS_PATH));

  const filled = await edited(
    made.text,
    { kind: "connect", path: [...second.path, "item", "identifier"], source: "meters", column: "MPAN" },
    { kind: "part", path: first.path, when: { column: "FUEL", in: ["E"] } },
  );
  expect(filled.error).toBeUndefined();
  const item = { identifier: "MPAN" };
  expect(valueAt(valueOf(filled.text), [...POINTS_PATH, 1])).toEqual({ each: "meters", when, item });
  expect(valueAt(valueOf(filled.text), [...POINTS_PATH, 0, "when"])).toEqual({ column: "FUEL", in: ["E"] });
  expect(commentsIn(filled.text)).toEqual(commentsIn(TEXT));

  const back = await edited(
    filled.text,
    { kind: "part", path: partOf(filled, 0).path, when: null },
    { kind: "removePart", path: partOf(filled, 1).path },
  );
  expect(valueAt(valueOf(back.text), POINTS_PATH)).toEqual([valueAt(valueOf(TEXT), POINTS_PATH)]);
  expect((await scene.check(back.text)).valid).toBe((await scene.check(TEXT)).valid);
});

test("adds an item from the row itself, and an item with a condition, to a list of items", async () => {
  const list = ["payload", "supply_addresses"];
  const made = await edited(
    TEXT,
    { kind: "addPart", path: list },
    { kind: "addPart", path: list, when: { column: "TYPE", in: ["B"] } },
  );
  const parts = fieldNamed(made, "supply_addresses").children;
  expect(parts.map(({ path: at, condition }) => [at, condition])).toEqual([
    [[...list, 0], null],
    [[...list, 1], null],
    [[...list, 2], { column: "TYPE", in: ["B"] }],
  ]);
  const fill = (at: number): MappingEdit => {
    const field = parts[at]?.children.find(({ name }) => name === "supply_address1");
    return { kind: "connect", path: field?.path ?? [], source: "accounts", column: "ADDR1" };
  };
  const filled = await edited(made.text, fill(1), fill(2));
  expect(filled.error).toBeUndefined();
  expect(valueAt(valueOf(filled.text), [...list, 1])).toEqual({ supply_address1: "ADDR1" });
  expect(valueAt(valueOf(filled.text), [...list, 2, "item"])).toEqual({ supply_address1: "ADDR1" });
});

/** The mapping of the worked example in several notations. */
const NOTATIONS: readonly (readonly [name: string, text: string])[] = [
  ["block", TEXT],
  ["CRLF", TEXT.replaceAll("\n", "\r\n")],
  [
    "comments",
    TEXT.replace("- supply_address1: ADDR1", "- # the site\n      supply_address1: ADDR1 # line 1")
      .replace("        each: meters\n", "        each: meters # all of them\n")
      .replace("        item:\n          identifier", "        item: # a meter point\n          identifier"),
  ],
];

test.each(NOTATIONS)("adds a condition to a plain item, and removes it again: %s", async (_name, text) => {
  const { path: at, condition, items } = fieldNamed(await scene.view(text), "supply_addresses");
  expect({ condition, items }).toEqual({ condition: null, items: { kind: "row", parent: "accounts" } });
  const when = { column: "TYPE", in: ["D"] };
  const made = await edited(text, { kind: "part", path: at, when });
  expect(made.error).toBeUndefined();
  expect(valueAt(valueOf(made.text), [...at, 0])).toEqual({ when, item: valueAt(valueOf(text), [...at, 0]) });
  expect(fieldNamed(made, "supply_addresses")).toMatchObject({ condition: when, row: "accounts" });
  const { payloads } = await scene.check(made.text);
  expect(payloads.map(({ payload }) => valueAt(payload, ["supply_addresses"]) === undefined)).toEqual([false, true]);
  const back = await edited(made.text, { kind: "part", path: at, when: null });
  expect(back.text).toBe(text);
});

test.each(NOTATIONS)(
  "builds the items of a part from other rows, then from the row itself again: %s",
  async (_n, text) => {
    const { path: at } = fieldNamed(await scene.view(text), "supply_addresses");
    const rows = await edited(text, { kind: "rows", path: at, source: "meters" });
    expect(valueAt(valueOf(rows.text), [...at, 0])).toEqual({
      each: "meters",
      item: valueAt(valueOf(text), [...at, 0]),
    });
    expect(fieldNamed(rows, "supply_addresses")).toMatchObject({
      row: "meters",
      items: { kind: "rows", source: "meters", parent: "accounts" },
    });
    expect(commentsIn(rows.text)).toEqual(commentsIn(text));
    expect((await edited(rows.text, { kind: "rows", path: at, source: null })).text).toBe(text);
  },
);

test("changes the rows of one of several parts, and keeps its condition", async () => {
  const when = { column: "FUEL", in: ["G"] };
  const { path: at } = fieldNamed(await scene.view(TEXT), POINTS);
  const made = await edited(TEXT, { kind: "addPart", path: at, source: "meters", when });
  const other = await edited(made.text, { kind: "rows", path: partOf(made, 1).path, source: "customers" });
  expect(valueAt(valueOf(other.text), [...POINTS_PATH, 1])).toEqual({ each: "customers", when, item: {} });
  const own = await edited(other.text, { kind: "rows", path: partOf(other, 1).path, source: null });
  expect(valueAt(valueOf(own.text), [...POINTS_PATH, 1])).toEqual({ when, item: {} });
  const again = await edited(own.text, { kind: "rows", path: partOf(own, 1).path, source: "meters" });
  expect(valueOf(again.text)).toEqual(valueOf(made.text));
  const plain = await edited(
    own.text,
    { kind: "part", path: partOf(own, 1).path, when: null },
    { kind: "rows", path: [...POINTS_PATH, 1], source: "meters" },
  );
  expect(valueAt(valueOf(plain.text), [...POINTS_PATH, 1])).toEqual({ each: "meters", item: {} });
  expect(new Set([made, other, own, again, plain].map((view) => String(partOf(view, 1).path))).size).toBe(1);
});

test("builds a single item instead of one item for each row of a source", async () => {
  const made = await edited(TEXT, { kind: "rows", path: POINTS_PATH, source: null });
  const item = valueAt(valueOf(TEXT), [...POINTS_PATH, "item"]);
  expect(valueAt(valueOf(made.text), POINTS_PATH)).toEqual([item]);
  const back = await edited(made.text, { kind: "rows", path: POINTS_PATH, source: "meters" });
  expect(valueAt(valueOf(back.text), POINTS_PATH)).toEqual([{ each: "meters", item }]);
  expect(back.error).toBeUndefined();
  expect(await scene.check(back.text)).toMatchObject({ valid: 2 });
});

test("refuses to change the rows of a list that has several parts", async () => {
  const parts = await edited(TEXT, { kind: "addPart", path: ["payload", "supply_addresses"] });
  await expect(
    edited(parts.text, { kind: "rows", path: ["payload", "supply_addresses"], source: "meters" }),
  ).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("cannot be changed here") });
});

test("adds a part to a list that the mapping does not contain yet", async () => {
  const without = await edited(TEXT, { kind: "disconnect", path: ["payload", "customers"] }).catch(() => undefined);
  expect(without).toBeDefined();
  const text = TEXT.replace(/ {2}customers:\n {4}each[\s\S]*?(?= {2}supply_addresses)/, "");
  const made = await edited(text, {
    kind: "addPart",
    path: ["payload", "customers"],
    source: "customers",
    when: { column: "SEQ", in: ["1"] },
  });
  expect(fieldNamed(made, "customers")).toMatchObject({ row: "customers", condition: { column: "SEQ", in: ["1"] } });
});

const FORMS: readonly (readonly [name: string, text: string])[] = [
  [
    "block",
    "payload:\n  list: # here\n    # the rows\n    each: a   # from a\n    item:\n      x: Y\n\n      # last\n      z: |\n        text\n        more\n  b: C # end\n",
  ],
  ["braces", "payload:\n  list: { each: a, item: { x: Y } } # here\n  b: C\n"],
  ["inside braces", "payload: { list: { each: a, item: { x: Y } }, b: C }\n"],
];

test.each(
  FORMS.flatMap(([name, text]) => [
    [name, text],
    [`${name}, CRLF`, text.replaceAll("\n", "\r\n")],
  ]),
)("makes an object the item of a list and keeps the comments: %s", (_name, text = "") => {
  const made = wrapInList("mapping.yaml", text, ["payload", "list"]);
  const before = valueAt(valueOf(text), ["payload", "list"]) ?? null;
  expect(valueOf(made)).toEqual({ payload: { list: [before], b: "C" } });
  expect(commentsIn(made)).toEqual(commentsIn(text));
  expect(made.includes("\r\n")).toBe(text.includes("\r\n"));
});

test.each([
  "payload:\n  list: &rows\n    each: a\n    item: { x: Y }\n  other: *rows\n",
  "payload:\n  list: {\n    each: a,\n    item: { x: Y }\n  }\n",
])("refuses an object that it cannot wrap: %j", (text) => {
  expect(() => wrapInList("mapping.yaml", text, ["payload", "list"])).toThrow(Failure);
});

const extract = sceneOf("fixtures/map/worked-example", { supplier: "OLDCO-2024" });

test("suggests the join that fits a file's values, and adds the file as a source", async () => {
  const text = TEXT.replace(/ {2}agreements: .*\n/, "").replace(/ {10}agreements:\n[\s\S]*$/, "");
  cpSync(path.join(extract.folder, "agreements.csv"), path.join(extract.folder, "My Agreements (1).csv"));
  const { job, dependencies } = extract;
  const found = await describeNewSource({ job, text, file: "My Agreements (1).csv" }, dependencies);
  expect(found).toEqual({
    name: "my_agreements_1",
    file: "My Agreements (1).csv",
    rows: 3,
    columns: ["MPAN", "TARIFF", "FROM"],
    keys: expect.anything(),
    join: { parent: "meters", column: "MPAN", parentColumn: "MPAN" },
  });
  const added = { name: found.name, file: found.file, parent: "meters", column: "MPAN", parentColumn: "MPAN" };
  const made = await extract.view(text, [{ kind: "addSource", ...added }]);
  expect(made.error).toBeUndefined();
  expect(made.sources.at(-1)).toMatchObject({ name: "my_agreements_1", options: { parent: "meters", on: "MPAN" } });
  await expect(extract.view(made.text, [{ kind: "addSource", ...added }])).rejects.toMatchObject({
    message: 'a source "my_agreements_1" already exists',
  });
});

test("adds a sheet of a workbook as a source, with the name of the sheet", async () => {
  const text = TEXT.replace(/ {2}agreements: .*\n/, "").replace(/ {10}agreements:\n[\s\S]*$/, "");
  const agreements = textRow(1, ["MPAN", "TARIFF"]) + textRow(2, ["1200023305967", "T1"]);
  const book = await rawWorkbook({ sheets: { Notes: textRow(1, ["TEXT"]), "My agreements": agreements } });
  copyFileSync(book, path.join(extract.folder, "book.xlsx"));
  const { job, dependencies } = extract;
  const found = await describeNewSource({ job, text, file: "book.xlsx#My agreements" }, dependencies);
  expect(found).toMatchObject({ name: "my_agreements", file: "book.xlsx#My agreements", columns: ["MPAN", "TARIFF"] });
  const { name, file } = found;
  const added = { kind: "addSource", name, file, parent: "meters", column: "MPAN", parentColumn: "MPAN" } as const;
  const made = await extract.view(text, [added]);
  expect(made.error).toBeUndefined();
  expect(made.sources.at(-1)).toMatchObject({ rows: 1 });
  expect(made.sources.at(-1)?.files).toEqual([expect.stringMatching(/^[^#]*book\.xlsx#My agreements$/)]);
});

test("sets the key of a parent without a key, and names both columns if the parent has another key", async () => {
  const text = TEXT.replace("accounts.csv, key: ACCOUNT_REF", "accounts.csv, key: NAME");
  const added = {
    kind: "addSource",
    name: "more",
    file: "customers.csv",
    parent: "accounts",
    column: "ACCOUNT_REF",
    parentColumn: "ACCOUNT_REF",
  } as const;
  const made = await scene.view(text, [added]);
  expect(valueAt(valueOf(made.text), ["sources", "more", "on"])).toEqual({ ACCOUNT_REF: "ACCOUNT_REF" });
  const single =
    "operation: POST /data-import/accounts/\nkey: external_account_number\nsources:\n  accounts: { files: accounts.csv }\npayload:\n  external_account_number: ACCOUNT_REF\n";
  const joined = await scene.view(single, [added]);
  expect(valueAt(valueOf(joined.text), ["sources"])).toEqual({
    accounts: { files: "accounts.csv", key: "ACCOUNT_REF" },
    more: { files: "customers.csv", parent: "accounts", on: "ACCOUNT_REF" },
  });
});

test("reports a file that has no columns", async () => {
  writeFileSync(path.join(extract.folder, "empty.csv"), "");
  const { job, dependencies } = extract;
  await expect(describeNewSource({ job, text: TEXT, file: "empty.csv" }, dependencies)).rejects.toMatchObject({
    message: expect.stringContaining("empty.csv"),
  });
});
