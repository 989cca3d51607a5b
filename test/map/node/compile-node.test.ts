import { describe, expect, test } from "vitest";
import type { FieldType, ObjectType } from "../../../src/contract/types/field-type.ts";
import { choice, compile, failureOf, integer, list, object, rowOf, text, union } from "../rows.ts";

const REFERENCE = "docs/mapping.md describes every entry of a mapping";

/** Returns a union of objects whose property `kind` selects one of them. */
function byKind(fields: Readonly<Record<string, Readonly<Record<string, FieldType>>>>): FieldType {
  const mapping = new Map<string, ObjectType>(
    Object.entries(fields).map(([kind, more]) => [kind, object({ kind: choice(kind), ...more })]),
  );
  return union([...mapping.values()], { property: "kind", mapping });
}

function errorOf(yaml: string, body: FieldType): { readonly message: string; readonly hint: string } {
  const { message, hint = "" } = failureOf(() => compile(yaml, body));
  return { message: message.replace(/^mapping\.yaml:\d+:\d+: /, ""), hint: hint.replace(/^[^]*\n/, "") };
}

describe("fields of the alternatives of a union", () => {
  const detail = union([object({ b: text }), object({ c: integer })]);
  const body = object({
    it: byKind({
      ONE: { detail: object({ a: text }) },
      MANY: { detail },
      NONE: { c: text },
    }),
  });
  const mapping = () => compile("payload: { it: { detail: { a: A, c: C }, kind: KIND } }", body);
  test.each([
    ["ONE", { A: "x", C: "" }, { a: "x" }],
    ["ONE", { A: "x", C: "3" }, { a: "x", c: 3 }],
    ["MANY", { A: "", C: "3" }, { c: 3 }],
    ["MANY", { A: "x", C: "3" }, { a: "x", c: 3 }],
    ["NONE", { A: "x", C: "" }, { a: "x" }],
    ["NONE", { A: "", C: "3" }, { c: 3 }],
  ])("are sent for %s if their cells have values: %j", (kind, cells, sent) =>
    expect(mapping().map(rowOf({ KIND: kind, ...cells })).payload).toEqual({ it: { kind, detail: sent } }),
  );
  test("may be an object in one alternative and a string in another", () => {
    const mixed = object({ it: byKind({ ONE: { detail: object({ a: text }) }, TEXT: { detail: text } }) });
    const compiled = compile("payload: { it: { kind: KIND, detail: { a: A } } }", mixed);
    for (const kind of ["ONE", "TEXT"])
      expect(compiled.map(rowOf({ KIND: kind, A: "x" })).payload).toEqual({ it: { kind, detail: { a: "x" } } });
  });
  test("may be in a nested union", () => {
    const nested = object({
      it: byKind({
        INNER: { detail: byKind({ X: { a: text }, Y: { b: text } }) },
        PLAIN: { detail: object({ c: text }) },
      }),
    });
    const compiled = compile("payload: { it: { kind: K, detail: { kind: L, a: A, b: B, c: C } } }", nested);
    const run = (cells: Readonly<Record<string, string>>) =>
      compiled.map(rowOf({ K: "INNER", L: "", A: "", B: "", C: "", ...cells })).payload["it"];
    expect(run({ L: "X", A: "a" })).toEqual({ kind: "INNER", detail: { kind: "X", a: "a" } });
    expect(run({ L: "Y", B: "b", C: "c" })).toEqual({ kind: "INNER", detail: { kind: "Y", b: "b", c: "c" } });
    expect(run({ K: "PLAIN", C: "c" })).toEqual({ kind: "PLAIN", detail: { c: "c" } });
  });
  test("may be items of lists", () => {
    const lists = object({
      it: byKind({ A: { parts: list(object({ s: text })) }, B: { parts: list(object({ t: text })) } }),
    });
    const compiled = compile("payload: { it: { kind: K, parts: [{ s: S, t: T }] } }", lists);
    const run = (cells: Readonly<Record<string, string>>) => compiled.map(rowOf({ S: "", T: "", ...cells })).payload;
    expect(run({ K: "A", S: "s" })).toEqual({ it: { kind: "A", parts: [{ s: "s" }] } });
    expect(run({ K: "B", T: "t" })).toEqual({ it: { kind: "B", parts: [{ t: "t" }] } });
    expect(run({ K: "A", S: "s", T: "t" })).toEqual({ it: { kind: "A", parts: [{ s: "s", t: "t" }] } });
  });
  test("may be a list in one alternative and a string in another", () => {
    const mixed = object({ it: byKind({ LIST: { parts: list(object({ s: text })) }, TEXT: { parts: text } }) });
    const compiled = compile("payload: { it: { kind: KIND, parts: [{ s: S }] } }", mixed);
    for (const kind of ["LIST", "TEXT"])
      expect(compiled.map(rowOf({ KIND: kind, S: "x" })).payload).toEqual({ it: { kind, parts: [{ s: "x" }] } });
  });
});

describe("an entry in a form that the contract does not allow", () => {
  const fields = "write its fields below it, each with the source of its value";
  const items =
    "write a list of items (- ...), { each: <child source>, item: ... }, or { from: <column>, split: <text> }";
  const split = "it.split: produces a list of text values, but the contract requires objects or lists here";
  const rows = "it: a list from child rows needs `each: <child source>` and `item: <mapping of a row>`";
  const cell = "{ from: A, split: x }";
  test.each([
    ["A", object({ a: text }), "it: is an object in the contract", fields],
    ["A", byKind({ A: {}, B: {} }), "it: is an object in the contract", fields],
    ["A", list(text), "it: is a list in the contract", items],
    [cell, list(object({ a: text })), split, REFERENCE],
    [cell, list(list(text)), split, REFERENCE],
    [cell, list(byKind({ A: {}, B: {} })), split, REFERENCE],
    ["{ each: 5, item: A }", list(text), rows, REFERENCE],
    ["{ each: accounts }", list(text), rows, REFERENCE],
    ["{ item: A }", list(text), rows, REFERENCE],
  ])("is rejected: %s", (entry, type, message, hint) =>
    expect(errorOf(`payload: { it: ${entry} }`, object({ it: type }))).toEqual({ message: `payload.${message}`, hint }),
  );
  test.each([
    ["{ when: { column: K, in: [x] }, item: { nme: A } }", "it.0.item.nme: the contract has no such attr"],
    ["{ nme: A }", "it.0.nme: the contract has no such attr"],
  ])("is reported at its place in a list: %s", (entry, message) =>
    expect(errorOf(`payload: { it: [${entry}] }`, object({ it: list(object({ name: text })) }))).toEqual({
      message: `payload.${message}`,
      hint: 'did you mean "name"?',
    }),
  );
});

describe("a list of rows that do not belong to the record's row", () => {
  const sources = `sources:
  accounts: { files: a.csv, key: ID }
  power: { files: p.csv, parent: accounts, on: ID, key: MPAN }
  gas: { files: g.csv, parent: accounts, on: ID }
  registers: { files: r.csv, parent: power, on: MPAN }
`;
  const body = object({ it: list(text) });
  const known = 'child sources of "accounts": power, gas';
  test.each([
    ["powr", 'there is no source "powr"', 'did you mean "power"?'],
    ["elsewhere", 'there is no source "elsewhere"', "known names: power, gas"],
    ["registers", '"registers" is a child of "power", but this item is built from a row of "accounts"', known],
    ["accounts", '"accounts" has no parent, but this item is built from a row of "accounts"', known],
  ])("is rejected: %s", (source, message, hint) =>
    expect(errorOf(`${sources}payload: { it: { each: ${source}, item: A } }`, body)).toEqual({
      message: `payload.it.each: ${message}`,
      hint,
    }),
  );
  test("is rejected if there are no child sources", () =>
    expect(errorOf("sources: { accounts: { key: ID } }\npayload: { it: { each: power, item: A } }", body)).toEqual({
      message: 'payload.it.each: there is no source "power"',
      hint: 'child sources of "accounts": none',
    }));
});
