import { expect, test } from "vitest";
import type { Mapping } from "../../src/map/mapping.ts";
import { boolean, choice, compile, list, NO_VALUES, object, text } from "./rows.ts";

function choicesOf(mapping: Mapping): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
  return Object.fromEntries([...mapping.choices].map(([source, columns]) => [source, Object.fromEntries(columns)]));
}

test("returns a column's possible values if the mapping or the contract lists all of them", () => {
  const body = object({
    "id!": text,
    kind: choice("DOMESTIC", "BUSINESS"),
    fuel: choice("E", "G", ""),
    again: choice("G", "W"),
    blank: choice("", "X"),
    flag: boolean,
    region: text,
    items: list(object({ flag: text, size: choice(1, 2) })),
  });
  const mapping = compile(
    `
sources:
  accounts: { key: REF }
  parts: { parent: accounts, on: REF }
payload:
  id: REF
  kind: { from: TYPE, lookup: { D: DOMESTIC, B: BUSINESS } }
  fuel: FUEL
  again: FUEL
  blank: BLANK
  flag: { from: FLAG, true: [Y, 1], false: [N, ""] }
  region: { from: REGION, lookup: regions.csv }
  items: { each: parts, item: { flag: FLAG, size: SIZE } }
`,
    body,
    {
      ...NO_VALUES,
      lookups: new Map([
        [
          "regions.csv",
          new Map([
            ["01", "North"],
            ["02", "South"],
          ]),
        ],
      ]),
    },
  );
  expect(choicesOf(mapping)).toEqual({
    accounts: {
      TYPE: ["D", "B"],
      FUEL: ["G"],
      BLANK: ["X"],
      FLAG: ["Y", "1", "N"],
      REGION: ["01", "02"],
    },
    parts: { SIZE: ["1", "2"] },
  });
});

test("returns no values if other text in the column can also produce a value of the attr", () => {
  const body = object({
    kept: text,
    joined: choice("A"),
    constant: choice("A"),
    split: list(choice("A")),
    replaced: choice("A"),
    number: choice(1, 2),
    any: text,
  });
  const mapping = compile(
    `payload:
  kept: { from: KEPT, lookup: { a: b }, otherwise: keep }
  joined: { from: [ONE, TWO] }
  constant: { value: A }
  split: { from: SPLIT, split: "," }
  replaced: { from: REPLACED, replace: { a: A } }
  number: { from: NUMBER, number: {} }
  any: ANY
`,
    body,
  );
  expect(Object.values(choicesOf(mapping))).toEqual([{}]);
});
