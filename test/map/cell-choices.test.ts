import { expect, test } from "vitest";
import { choice, compile, list, object, text } from "./rows.ts";

test("returns the possible values of a column if the mapping or the contract lists all of them", () => {
  const body = object({
    "id!": text,
    kind: choice("DOMESTIC", "BUSINESS"),
    fuel: choice("E", "G", ""),
    again: choice("G", "W"),
    kept: text,
    joined: choice("A"),
    items: list(object({ flag: text })),
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
  kept: { from: KEPT, lookup: { a: b }, otherwise: keep }
  joined: { from: [ONE, TWO] }
  items: { each: parts, item: { flag: FLAG } }
`,
    body,
  );
  expect(
    Object.fromEntries([...mapping.choices].map(([source, columns]) => [source, Object.fromEntries(columns)])),
  ).toEqual({
    accounts: { TYPE: ["D", "B"], FUEL: ["G"] },
    parts: {},
  });
});
