import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  isAttrOf,
  isFallback,
  isFileOf,
  needsCells,
  type OwnedRecord,
  ownerOf,
  type OwnerRule,
} from "../../src/model/owner.ts";

const RECORD: OwnedRecord = {
  causes: [
    { code: "required", attr: "customers.*.mobile" },
    { code: "max_length", attr: "name" },
  ],
  status: "invalid",
  file: "in/north-1.csv",
  supplier: "SPRING",
  cells: (column) => CELLS[column] ?? [],
};
const CELLS: Readonly<Record<string, readonly string[]>> = {
  REGION: ["NE"],
  "customers.SYSTEM": ["A", "B"],
  NOTE: [""],
};
const FALLBACK: OwnerRule = { owner: "Rest" };

describe("ownerOf:", () => {
  it.each<[string, Omit<OwnerRule, "owner">, boolean]>([
    ["a code", { codes: ["other", "required"] }, true],
    ["another code", { codes: ["other"] }, false],
    ["an attr", { attrs: ["customers"] }, true],
    ["code and attr of one cause", { codes: ["max_length"], attrs: ["name"] }, true],
    ["code and attr of different causes", { codes: ["required"], attrs: ["name"] }, false],
    ["a status", { statuses: ["rejected", "invalid"] }, true],
    ["another status", { statuses: ["rejected"] }, false],
    ["a file", { files: ["north-*.csv"] }, true],
    ["a supplier", { suppliers: ["SPRING"] }, true],
    ["a supplier in another case", { suppliers: ["spring"] }, false],
    ["a code that matches and a file that does not", { codes: ["required"], files: ["south*"] }, false],
    ["a value of a column", { columns: { REGION: ["S", "N*"] } }, true],
    ["a value in another case", { columns: { REGION: ["ne"] } }, false],
    ["a value of one of several rows", { columns: { "customers.SYSTEM": ["B"] } }, true],
    ["values of two columns", { columns: { REGION: ["NE"], "customers.SYSTEM": ["A"] } }, true],
    [
      "a column that matches and a column that does not",
      { columns: { REGION: ["NE"], "customers.SYSTEM": ["C"] } },
      false,
    ],
    ["a column that the rows do not have", { columns: { AREA: ["*"] } }, false],
    ["an empty cell", { columns: { NOTE: [""] } }, true],
    ["a code that matches and a value that does not", { codes: ["required"], columns: { REGION: ["S"] } }, false],
  ])("a rule with %s (%j) matches: %s", (_, conditions, isMatch) => {
    const found = ownerOf([{ owner: "First", ...conditions }, FALLBACK], RECORD);
    expect(found?.name).toBe(isMatch ? "First" : "Rest");
  });

  it("the first matching rule determines the owner, even if the rule matches a later cause of the record", () => {
    const rules = [
      { owner: "A", codes: ["max_length"], days: 3, address: "a@x" },
      { owner: "B", codes: ["required"] },
    ];
    expect(ownerOf(rules, RECORD)).toEqual({ name: "A", days: 3, address: "a@x" });
  });

  it("the owner is undefined if no rule matches", () => {
    expect(ownerOf([{ owner: "A", codes: ["x"] }], RECORD)).toBeUndefined();
  });

  const values = fc.option(fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }), { nil: undefined });
  const columns = fc.option(
    fc.dictionary(fc.constantFrom("P", "Q"), fc.array(fc.constantFrom("a", "b"), { minLength: 1 })),
    {
      nil: undefined,
    },
  );
  const conditions = { columns, codes: values, attrs: values, statuses: values, files: values, suppliers: values };
  const rules = fc.array(fc.record({ owner: fc.constantFrom("X", "Y", "Z"), ...conditions }));
  const letter = fc.constantFrom("a", "b", "c");
  const record = fc.record({
    causes: fc.array(fc.record({ code: letter, attr: letter }), { minLength: 1 }),
    status: letter,
    file: letter,
    supplier: letter,
    cells: fc.option(
      fc
        .dictionary(fc.constantFrom("P", "Q"), fc.array(letter))
        .map((cells) => (column: string) => cells[column] ?? []),
      { nil: undefined },
    ),
  });

  it("a list of rules gives a record the same owner as the first rule that matches the record when tested alone", () => {
    fc.assert(
      fc.property(rules, record, (some, one) => {
        const all = [...some, FALLBACK];
        const matching = all.find((rule) => ownerOf([rule], one) !== undefined);
        expect(ownerOf(all, one)?.name).toBe(matching?.owner);
      }),
    );
  });

  it("the cells of a record are used only if they can determine its owner", () => {
    fc.assert(
      fc.property(rules, record, fc.dictionary(fc.constantFrom("P", "Q"), fc.array(letter)), (some, one, other) => {
        const all = [...some, FALLBACK];
        if (needsCells(all, one)) return;
        expect(ownerOf(all, { ...one, cells: (column) => other[column] ?? [] })).toEqual(ownerOf(all, one));
      }),
    );
  });

  it("a rule with columns does not match if the cells are unknown", () => {
    fc.assert(
      fc.property(rules, record, (some, { cells: _cells, ...one }) => {
        const others = some.filter((rule) => rule.columns === undefined);
        expect(ownerOf([...some, FALLBACK], one)).toEqual(ownerOf([...others, FALLBACK], one));
      }),
    );
  });

  it("a rule matches no additional records after a condition is added", () => {
    fc.assert(
      fc.property(rules, record, letter, (some, one, added) => {
        for (const rule of some) {
          if (rule.statuses !== undefined || ownerOf([rule], one) !== undefined) continue;
          expect(ownerOf([{ ...rule, statuses: [added] }], one)).toBeUndefined();
        }
      }),
    );
  });
});

test.each([
  ["customers.*.mobile", "customers.*.mobile", true],
  ["customers.*.mobile", "customers.0.mobile", true],
  ["customers", "customers.0.mobile", true],
  ["customers.*", "customers", false],
  ["customer", "customers.0", false],
  ["*", "name", true],
  ["name", "", false],
])("the attr pattern %s matches %s: %s", (pattern, attr, isMatch) => {
  expect(isAttrOf(pattern, attr)).toBe(isMatch);
});

test.each([
  ["a.csv", "in/a.csv", true],
  ["in/a.csv", "a.csv", false],
  ["*.csv", "in/a.csv", true],
  ["in/*.csv", "in/a.csv", true],
  ["a*a", "a", false],
  ["a*b*c", "aXbXc", true],
  ["a*b*c", "acb", false],
  ["*b*b", "ab", false],
  ["a.csv", "aXcsv", false],
])("the file pattern %s matches %s: %s", (pattern, file, isMatch) => {
  expect(isFileOf(pattern, file)).toBe(isMatch);
});

it("a file pattern matches the same names as the regular expression with `.*` for each `*`", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });
  fc.assert(
    fc.property(text, fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 }), (pattern, file) => {
      expect(isFileOf(pattern, file)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(file));
    }),
  );
});

it("only a rule without conditions is a fallback", () => {
  expect([FALLBACK, { owner: "A", days: 1 }].map(isFallback)).toEqual([true, true]);
  expect([{ files: ["a"] }, { columns: { A: ["a"] } }].map((rule) => isFallback({ owner: "A", ...rule }))).toEqual([
    false,
    false,
  ]);
});
