import { describe, expect, test } from "vitest";
import { compileMapping } from "../../src/map/compile-mapping.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import {
  anything,
  boolean,
  choice,
  compile,
  decimal,
  failureOf,
  integer,
  list,
  NO_VALUES,
  object,
  operation,
  rowOf,
  text,
  union,
} from "./rows.ts";

const SOURCES = `
sources:
  accounts: { key: REF }
  customers: { parent: accounts, on: REF, key: ID }
  phones: { parent: customers, on: CUSTOMER }
`;

describe("objects:", () => {
  const body = object({ "id!": text, preferences: object({ "sms!": boolean, language: text }) });

  test("a literal empty list is sent, but a list without remaining items is omitted", () => {
    const lists = object({ "id!": text, "tags!": list(text) });
    expect(compile("payload: { id: A, tags: [] }", lists).map(rowOf({ A: "1" })).payload).toEqual({
      id: "1",
      tags: [],
    });
    expect(compile("payload: { id: A, tags: [B] }", lists).map(rowOf({ A: "1", B: "" })).payload).toEqual({ id: "1" });
  });

  test("an object with only empty fields is omitted, but false counts as data", () => {
    const mapping = compile("payload: { id: A, preferences: { sms: { from: S, true: Y, false: N } } }", body);
    expect(mapping.map(rowOf({ A: "1", S: "" })).payload).toEqual({ id: "1" });
    expect(mapping.map(rowOf({ A: "1", S: "N" })).payload).toEqual({ id: "1", preferences: { sms: false } });
  });
  test("constants alone do not create an optional object without its required fields", () => {
    const mapping = compile("payload: { id: A, preferences: { sms: S, language: { value: EN } } }", body);
    expect(mapping.map(rowOf({ A: "1", S: "" })).payload).toEqual({ id: "1" });
    expect(mapping.origins(rowOf({ A: "1", S: "" })).map(({ attr }) => attr)).toEqual(["id"]);
    expect(mapping.map(rowOf({ A: "1", S: "true" })).payload).toEqual({
      id: "1",
      preferences: { sms: true, language: "EN" },
    });
  });
  test("an optional object is kept if constants fill its required fields", () => {
    const whole = object({ id: text, preferences: object({ language: text, sms: boolean }) });
    const mapping = compile("payload: { id: A, preferences: { sms: S, language: { value: EN } } }", whole);
    expect(mapping.map(rowOf({ A: "1", S: "" })).payload).toEqual({ id: "1", preferences: { language: "EN" } });
  });
  test("a required object keeps its constants, so that validation reports its missing fields", () => {
    const required = object({ "address!": object({ "line!": text, country: text }) });
    const mapping = compile("payload: { address: { line: A, country: { value: GB } } }", required);
    expect(mapping.map(rowOf({ A: "" })).payload).toEqual({ address: { country: "GB" } });
  });
  test("the type in the contract distinguishes fields from options: a field may be named `value` or `from`", () => {
    const reading = object({ reading: object({ value: decimal, from: text, lookup: text }) });
    const mapping = compile("payload: { reading: { value: V, from: F, lookup: { from: L, upper: true } } }", reading);
    expect(mapping.map(rowOf({ V: "1.5", F: "f", L: "l" })).payload).toEqual({
      reading: { value: "1.5", from: "f", lookup: "L" },
    });
  });
  test("undocumented properties can be mapped if the contract allows them", () => {
    const open = object({ extra: object({}, integer) });
    expect(compile("payload: { extra: { a: A, b: A } }", open).map(rowOf({ A: "3" })).payload).toEqual({
      extra: { a: 3, b: 3 },
    });
  });
  test("every error in the mapping is reported with its line and a suggestion", () => {
    const yaml = "payload:\n  id: A\n  preferenses:\n    sms: S\n  preferences: B\n";
    const failure = failureOf(() => compile(yaml, body));
    expect(failure.message).toBe(
      [
        "mapping.yaml: 2 errors in the mapping",
        '  mapping.yaml:3:3: payload.preferenses: the contract has no such attr; did you mean "preferences"?',
        "  mapping.yaml:5:3: payload.preferences: is an object in the contract; " +
          "write its fields below it, each with the source of its value",
      ].join("\n"),
    );
    expect(failure.place).toEqual({ file: "mapping.yaml", line: 3 });
  });
  test("a single error is shown with its line and a caret below the column", () => {
    const failure = failureOf(() => compile("payload:\n  id: A\n  idd: A\n", body));
    expect(failure.message).toBe("mapping.yaml:3:3: payload.idd: the contract has no such attr");
    expect(failure.hint).toBe('3 |   idd: A\n  |   ^\ndid you mean "id"?');
  });
  test("at most twenty errors are listed", () => {
    const yaml = `payload:\n${Array.from({ length: 25 }, (_, index) => `  x${index}: A\n`).join("")}`;
    const lines = failureOf(() => compile(yaml, body)).message.split("\n");
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe("  and 5 more");
  });
  test("read-only attrs cannot be mapped", () =>
    expect(failureOf(() => compile("payload: { number: A }", object({ "number~": text }))).message).toContain(
      "read-only",
    ));
  test.each(["payload: {}", "payload: {}\nmeasures: { owed: { attr: balance } }"])(
    "an operation without a body accepts no mapping: %j",
    (yaml) => {
      const document = readMapping({ file: "mapping.yaml", text: yaml });
      const failure = failureOf(() => compileMapping(document, operation(undefined), NO_VALUES));
      expect(failure.message).toBe('mapping.yaml:1:1: payload: the operation "import-account" accepts no payload');
    },
  );
  test("the payload keeps its constants if required fields are missing, so that validation reports these fields", () => {
    const mapping = compile("payload: { id: A, name: { value: x } }", object({ "id!": text, name: text }));
    expect(mapping.map(rowOf({ A: "" })).payload).toEqual({ name: "x" });
  });
});

describe("the business key", () => {
  const debit = object({ "ref!": text, "method!": choice("DEBIT") });
  const demand = object({ "ref!": text, "method!": choice("DEMAND") });
  const payment = union([debit, demand], { property: "method", mapping: new Map([["DEBIT", debit]]) });
  const body = object({ id: text, ref: text, holder: object({ name: text }), notes: list(text), payment });
  const payload =
    "payload: { ref: A, holder: { name: B }, notes: [A], payment: { ref: { from: A, upper: true }, method: B } }";
  const row = rowOf({ A: "a7", B: "DEBIT" });

  test.each([
    ["ref", "a7"],
    ["holder.name", "DEBIT"],
    ["payment.ref", "A7"],
  ])("can be the attr %s", (key, value) => {
    const mapping = compile(`key: ${key}\n${payload}`, body);
    expect(mapping.keyAttr).toEqual(key.split("."));
    expect(mapping.map(row).key).toBe(value);
  });

  test("is by default the key in the contract", () => {
    const mapping = compile("payload: { id: A }", body);
    expect(mapping.keyAttr).toEqual(["id"]);
    expect(mapping.map(row).key).toBe("a7");
  });

  test.each(["id", "holder", "holder.id", "ref.name", "notes", "notes.name", "payment", "payment.name"])(
    "cannot be %s, which is not a mapped value",
    (key) => {
      expect(failureOf(() => compile(`key: ${key}\n${payload}`, body)).message).toBe(
        `mapping.yaml:1:1: key: the payload has no field "${key}"`,
      );
    },
  );
});

test("an attr in `after` that no payload has is refused, because its records would not wait", () => {
  const body = object({ "ref!": text, account: object({ number: text }) });
  const payload = "payload: { ref: A, account: { number: B } }";
  expect(() => compile(`after: { operation: create, key: account.number }\n${payload}`, body)).not.toThrow();
  for (const key of ["account.nmber", "account"]) {
    expect(failureOf(() => compile(`after: { operation: create, key: ${key} }\n${payload}`, body)).message).toBe(
      `mapping.yaml:1:29: after.key: the payload has no field "${key}"`,
    );
  }
});

describe("attrs with the same value in every payload", () => {
  const first = object({ "kind!": choice("A"), note: text });
  const second = object({ "kind!": choice("B"), note: text });
  const options = new Map([
    ["A", first],
    ["B", second],
  ]);
  const alternatives = union([first, second], { property: "kind", mapping: options });
  const body = object({
    id: text,
    type: text,
    note: text,
    given: text,
    holder: object({ country: text }),
    missing: text,
  });
  const mapping = compile(
    `payload:
  id: ID
  type: { value: DOMESTIC }
  note: { value: new, when: { column: ID, in: [a] } }
  given: { from: ID, default: none }
  holder: { country: { value: GB } }
`,
    body,
  );

  test.each([
    ["type", true],
    ["holder.country", true],
    ["missing", true],
    ["holder.name", true],
    ["id", false],
    ["note", false],
    ["given", false],
    ["holder", false],
  ])("include %s: %s", (attr, isConstant) => {
    expect(mapping.isConstant(attr.split("."))).toBe(isConstant);
  });

  test("are unknown in a payload with alternatives", () => {
    const chosen = compile("payload: { kind: KIND, note: { value: new } }", alternatives);
    expect(chosen.isConstant(["note"])).toBe(false);
  });
});

describe("the compiled payload", () => {
  const body = object({ "id!": text });
  const parameters = [{ name: "company", in: "path", required: true, type: text }] as const;

  test("is present if records consist only of payloads", () => {
    const mapping = compile("payload: { id: ID }", body);
    expect(mapping.payloadNode).toMatchObject({ kind: "object", required: ["id"] });
    expect(mapping.prepare).toBeUndefined();
  });

  test.each([
    ["functions: ./functions.mjs\npayload: { id: ID }", operation(body)],
    ["payload: { id: ID }\nparameters: { company: { value: x } }", { ...operation(body), parameters }],
    ["sources: { a: { asOf: { fileModified: true } } }\npayload: { id: ID }", operation(body)],
  ])("is absent for records with other parts: %j", (yaml, target) => {
    const mapping = compileMapping(readMapping({ file: "mapping.yaml", text: yaml }), target, NO_VALUES);
    expect(mapping.payloadNode).toBeUndefined();
  });
});

describe("required attrs", () => {
  test("are listed if no entry of the mapping fills them", () => {
    const person = object({ "first!": text, "last!": text });
    const body = object({ "id!": text, "name!": text, customers: list(person), main: person, "made!~": text });
    const mapping = compile(
      `${SOURCES}payload: { id: A, customers: { each: customers, item: { first: F } }, main: { last: L } }`,
      body,
    );
    expect(mapping.unmappedRequired).toEqual(["name", "customers.*.last", "main.first"]);
  });
  test.each([
    ["[{ first: A }, { last: B }]", ["customers.0.last", "customers.1.first"]],
    ["[{ each: customers, item: { first: F } }, { last: B }]", ["customers.*.last", "customers.*.first"]],
    ["[{ first: A }, { each: customers, item: { first: F } }]", ["customers.*.last"]],
    ["[{ first: A, last: B }]", []],
  ])("of a list with the items %s are %j", (items, unmapped) => {
    const body = object({ customers: list(object({ "first!": text, "last!": text })) });
    expect(compile(`${SOURCES}payload: { customers: ${items} }`, body).unmappedRequired).toEqual(unmapped);
  });
});

test("payload keys never change prototypes", () => {
  const failure = failureOf(() => compile('payload: { "__proto__": { polluted: A } }', object({}, anything)));
  expect(failure.code).toBe("mapping_invalid");
  const mapping = compile("payload: { constructor: A, toString: A }", object({}, anything));
  expect(Object.keys(mapping.map(rowOf({ A: "x" })).payload)).toEqual(["constructor", "toString"]);
  expect(Object.prototype).not.toHaveProperty("polluted");
});
