import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument } from "../../../../src/contract/document/yaml-document.ts";
import { isJsonArray, isJsonObject, type JsonValue, valueAt } from "../../../../src/json/json-value.ts";
import { Failure } from "../../../../src/model/failure.ts";
import { editYaml, type YamlEdit } from "../../../../src/web/mapping/yaml/edit-yaml.ts";
import { commentsIn } from "../../../../src/web/mapping/yaml/places.ts";
import { FIXTURES, pathsIn, scalar, word, yaml } from "./random-yaml.ts";

const FILE = "mapping.yaml";
const edit = (text: string, change: YamlEdit): string => editYaml(FILE, text, change);
const valueOf = (text: string): JsonValue => parseDocument({ file: FILE, text }, "mapping_invalid").value;

const TEXT = `# Agreed on 3 March
operation: import-account
sources:
  accounts: { files: accounts.csv, key: REF }   # one row is one record

payload:
  # the number on the old bills
  external_account_number: REF                  # required; 0.87
  billing_name: NAME                            # ask Ann
  account_type: { from: TYPE, lookup: { D: DOMESTIC } }
  customers:
    each: customers
    item:
      given_name: FIRST  # first
      family_name:       # block
        from: LAST
        upper: true      # as in the old system
  supply_addresses:
    - supply_address1: ADDR1   # line 1
      # the postcode of the site
      supply_postcode: PC
# the end
`;

test("replaces a value, and keeps all other characters", () => {
  expect(edit(TEXT, { path: ["payload", "billing_name"], value: "TRADING" })).toBe(
    TEXT.replace("billing_name: NAME   ", "billing_name: TRADING   "),
  );
  expect(edit(TEXT, { path: ["payload", "customers", "item", "family_name", "upper"], value: false })).toBe(
    TEXT.replace("upper: true", "upper: false"),
  );
});

test("adds options and fields after the last entry of their object", () => {
  expect(edit(TEXT, { path: ["payload", "account_type", "default"], value: "BUSINESS" })).toContain(
    "account_type: { from: TYPE, lookup: { D: DOMESTIC }, default: BUSINESS }\n",
  );
  expect(
    edit(TEXT, { path: ["payload", "customers", "item", "birth"], value: { from: "DOB", date: "dd/MM/yyyy" } }),
  ).toContain("upper: true      # as in the old system\n      birth: { from: DOB, date: dd/MM/yyyy }\n  supply");
  expect(
    edit(TEXT, { path: ["payload", "supply_addresses", 0, "meter_points"], value: [{ id: "M" }], blockLevels: 2 }),
  ).toContain("      supply_postcode: PC\n      meter_points:\n        - id: M\n# the end\n");
});

test("keeps the comments of a removed entry, prefixed with the entry's name", () => {
  expect(edit(TEXT, { path: ["payload", "billing_name"] })).toBe(
    TEXT.replace(/ {2}billing_name.*\n/, "  # billing_name: ask Ann\n"),
  );
  const family = edit(TEXT, { path: ["payload", "customers", "item", "family_name"] });
  expect(family).toContain("given_name: FIRST  # first\n      # family_name: block\n      # family_name: as in");
  const first = edit(TEXT, { path: ["payload", "supply_addresses", 0, "supply_address1"] });
  expect(first).toContain(
    "    - # supply_address1: line 1\n      # the postcode of the site\n      supply_postcode: PC\n",
  );
});

test("removes objects and lists without content, and keeps an empty payload", () => {
  let text = edit(TEXT, { path: ["payload", "customers", "item", "family_name"] });
  text = edit(text, { path: ["payload", "customers", "item", "given_name"] });
  expect(valueAt(valueOf(text), ["payload", "customers"])).toBeUndefined();
  const only = "payload:\n  name: X  # why\n";
  const empty = edit(only, { path: ["payload", "name"] });
  expect(empty).toBe("payload: {}\n  # name: why\n");
  expect(edit(empty, { path: ["payload", "name"], value: "Y", blockLevels: 1 })).toContain(
    'payload:\n  name: "Y"\n  # name: why\n',
  );
});

test("refuses to replace an alias, or text with comments inside", () => {
  const text = "a: &x { from: A }\nb: *x\nc:\n  from: C # inside\n";
  expect(() => edit(text, { path: ["b", "from"], value: "B" })).toThrow(/can only be changed by hand/);
  expect(() => edit(text, { path: ["a", "from"], value: "B" })).toThrow(/can only be changed by hand/);
  const inside = "c:\n  from: C # inside\n  upper: true\n";
  expect(() => edit(inside, { path: ["c"], value: "B" })).toThrow(/can only be changed by hand/);
});

interface RandomEdit {
  readonly text: string;
  readonly at: number;
  /** Null removes an entry. */
  readonly value: JsonValue;
  readonly name: string;
}

/** Returns the faults in the result of an edit of one entry; empty if there are none. */
function faultsOf({ text, at, value, name }: RandomEdit): readonly string[] {
  const before = valueOf(text);
  const paths = pathsIn(before).filter((path) => path.length > 1);
  const path = paths[at % Math.max(1, paths.length)] ?? ["payload"];
  if (value === null && path.length < 2) return [];
  const isNew = value !== null && isJsonObject(valueAt(before, path));
  const target = isNew ? [...path, name] : path;
  const old = valueAt(before, target);
  const made = tryEdit(text, value === null ? { path: target } : { path: target, value });
  if (made === undefined) return mayBeRefused(value, old) ? [] : ["refused"];
  const found = valueAt(valueOf(made), target);
  const isItem = isJsonArray(valueAt(before, target.slice(0, -1)));
  const isRemoved = isItem || found === undefined;
  const faults = [
    [value === null ? isRemoved : found === value, "no effect"],
    [commentsIn(made).length === commentsIn(text).length, "another number of comments"],
    [!isNew || lostLines(text, made) < 2, "other lines changed"],
  ] as const;
  return faults.flatMap(([isRight, fault]) => (isRight ? [] : [fault]));
}

/** Returns whether an edit may be refused: an object or list that contains comments is not replaced. */
function mayBeRefused(value: JsonValue, old: JsonValue | undefined): boolean {
  return value !== null && typeof old === "object";
}

function lostLines(text: string, made: string): number {
  const lines = new Set(made.split("\n"));
  return text.split("\n").filter((line) => !lines.has(line)).length;
}

function tryEdit(text: string, change: YamlEdit): string | undefined {
  try {
    return edit(text, change);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

test("an edit of random YAML has exactly the requested effect, and keeps all comments and other lines", () => {
  const edits = fc.record<RandomEdit>({
    text: fc.oneof(yaml, fc.constantFrom(...FIXTURES)),
    at: fc.nat(),
    value: fc.option(scalar),
    name: word,
  });
  fc.assert(
    fc.property(edits, (change) => {
      expect(faultsOf(change)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test("keeps a JSON document in JSON notation", () => {
  const text = '{\n  "payload": {\n    "s1": "A",\n    "s2": { "from": "B" }\n  }\n}\n';
  const edits: readonly YamlEdit[] = [
    { path: ["payload", "s1"], value: { from: "A", upper: true } },
    { path: ["payload", "s3"], value: [{ when: { column: "C", in: ["01", "\u202e"] } }] },
    { path: ["payload", "s2", "lookup"], value: { 1: "it's", y: 1.5 } },
  ];
  expect(JSON.parse(edits.reduce(edit, text))).toEqual({
    payload: {
      s1: { from: "A", upper: true },
      s2: { from: "B", lookup: { 1: "it's", y: 1.5 } },
      s3: [{ when: { column: "C", in: ["01", "\u202e"] } }],
    },
  });
  expect(edit(text, { path: ["payload", "s1"], value: "N" })).toBe(text.replace('"A"', '"N"'));
});
