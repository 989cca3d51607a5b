import { describe, expect, test } from "vitest";
import type { ObjectType } from "../../src/contract/field-type.ts";
import { compileMapping } from "../../src/map/compile-mapping.ts";
import { readMapping } from "../../src/map/mapping-document.ts";
import {
  anything,
  boolean,
  choice,
  compile,
  csvRow,
  decimal,
  failureOf,
  integer,
  jsonRow,
  list,
  NO_VALUES,
  object,
  operation,
  rowOf,
  table,
  text,
  union,
} from "./rows.ts";

const accountTable = table("accounts.csv", ["REF", "NAME"]);
const customerTable = table("customers.csv", ["FIRST", "LAST"]);
const phoneTable = table("phones.csv", ["NUMBER"]);

const SOURCES = `
sources:
  accounts: { key: REF }
  customers: { parent: accounts, on: REF, key: ID }
  phones: { parent: customers, on: CUSTOMER }
`;

describe("objects", () => {
  const body = object({ "id!": text, preferences: object({ "sms!": boolean, language: text }) });

  test("an object all of whose fields are empty is omitted; false is data", () => {
    const mapping = compile("payload: { id: A, preferences: { sms: { from: S, true: Y, false: N } } }", body);
    expect(mapping.map(rowOf({ A: "1", S: "" })).payload).toEqual({ id: "1" });
    expect(mapping.map(rowOf({ A: "1", S: "N" })).payload).toEqual({ id: "1", preferences: { sms: false } });
  });
  test("constants alone do not bring an optional object that would lack what it needs", () => {
    const mapping = compile("payload: { id: A, preferences: { sms: S, language: { value: EN } } }", body);
    expect(mapping.map(rowOf({ A: "1", S: "" })).payload).toEqual({ id: "1" });
    expect(mapping.origins(rowOf({ A: "1", S: "" })).map(({ attr }) => attr)).toEqual(["id"]);
    expect(mapping.map(rowOf({ A: "1", S: "true" })).payload).toEqual({
      id: "1",
      preferences: { sms: true, language: "EN" },
    });
  });
  test("constants that make a whole object stay", () => {
    const whole = object({ id: text, preferences: object({ language: text, sms: boolean }) });
    const mapping = compile("payload: { id: A, preferences: { sms: S, language: { value: EN } } }", whole);
    expect(mapping.map(rowOf({ A: "1", S: "" })).payload).toEqual({ id: "1", preferences: { language: "EN" } });
  });
  test("a required object stays with its constants, for validation to say what it lacks", () => {
    const required = object({ "address!": object({ "line!": text, country: text }) });
    const mapping = compile("payload: { address: { line: A, country: { value: GB } } }", required);
    expect(mapping.map(rowOf({ A: "" })).payload).toEqual({ address: { country: "GB" } });
  });
  test("the contract's type tells fields from options: a field may be called value or from", () => {
    const reading = object({ reading: object({ value: decimal, from: text, lookup: text }) });
    const mapping = compile("payload: { reading: { value: V, from: F, lookup: { from: L, upper: true } } }", reading);
    expect(mapping.map(rowOf({ V: "1.5", F: "f", L: "l" })).payload).toEqual({
      reading: { value: "1.5", from: "f", lookup: "L" },
    });
  });
  test("undocumented properties where the contract takes them", () => {
    const open = object({ extra: object({}, integer) });
    expect(compile("payload: { extra: { a: A, b: A } }", open).map(rowOf({ A: "3" })).payload).toEqual({
      extra: { a: 3, b: 3 },
    });
  });
  test("what does not fit is refused with its line and a suggestion, all at once", () => {
    const yaml = "payload:\n  id: A\n  preferenses:\n    sms: S\n  preferences: B\n";
    const failure = failureOf(() => compile(yaml, body));
    expect(failure.message).toBe(
      [
        "mapping.yaml: 2 errors in the mapping",
        '  mapping.yaml:3: payload.preferenses: the contract has no such attr; did you mean "preferences"?',
        "  mapping.yaml:5: payload.preferences: is an object in the contract; " +
          "write its fields below it, each with where its value comes from",
      ].join("\n"),
    );
    expect(failure.place).toEqual({ file: "mapping.yaml", line: 3 });
  });
  test("a single error says it in one line", () => {
    const failure = failureOf(() => compile("payload:\n  id: A\n  idd: A\n", body));
    expect(failure.message).toBe("mapping.yaml:3: payload.idd: the contract has no such attr");
    expect(failure.hint).toBe('did you mean "id"?');
  });
  test("more than twenty errors are cut short", () => {
    const yaml = `payload:\n${Array.from({ length: 25 }, (_, index) => `  x${index}: A\n`).join("")}`;
    const lines = failureOf(() => compile(yaml, body)).message.split("\n");
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe("  and 5 more");
  });
  test("read-only attrs are the platform's", () =>
    expect(failureOf(() => compile("payload: { number: A }", object({ "number~": text }))).message).toContain(
      "read-only",
    ));
  test("an operation without a body takes no mapping", () => {
    const document = readMapping({ file: "mapping.yaml", text: "payload: {}" });
    const failure = failureOf(() => compileMapping(document, operation(undefined), NO_VALUES));
    expect(failure.message).toContain("takes no payload");
  });
});

describe("lists", () => {
  const body = object({
    customers: list(object({ "name!": text, phones: list(text) })),
    addresses: list(object({ "line!": text, country: text })),
  });

  test("a literal builds its items from the current row, and leaves out the empty ones", () => {
    const mapping = compile("payload: { addresses: [{ line: A }, { line: B }] }", body);
    expect(mapping.map(rowOf({ A: "a", B: "b" })).payload).toEqual({ addresses: [{ line: "a" }, { line: "b" }] });
    expect(mapping.map(rowOf({ A: "", B: "b" })).payload).toEqual({ addresses: [{ line: "b" }] });
    expect(mapping.map(rowOf({ A: "", B: "" })).payload).toEqual({});
  });
  test("each builds an item from every child row, through two levels", () => {
    const mapping = compile(
      `${SOURCES}payload: { customers: { each: customers, item: { name: FIRST, phones: { each: phones, item: NUMBER } } } }`,
      body,
    );
    const phones = [csvRow(phoneTable, 2, ["1"]), csvRow(phoneTable, 3, [" "]), csvRow(phoneTable, 4, ["2"])];
    const row = csvRow(accountTable, 2, ["1", "x"], {
      customers: [csvRow(customerTable, 2, ["Ann", "A"], { phones }), csvRow(customerTable, 5, ["Bob", "B"])],
    });
    expect(mapping.map(row).payload).toEqual({
      customers: [{ name: "Ann", phones: ["1", "2"] }, { name: "Bob" }],
    });
    expect(mapping.columns).toEqual(
      new Map([
        ["accounts", []],
        ["customers", ["FIRST"]],
        ["phones", ["NUMBER"]],
      ]),
    );
  });
  test("an item exists because its row does, even when it is empty", () => {
    const mapping = compile(`${SOURCES}payload: { customers: { each: customers, item: { name: FIRST } } }`, body);
    const row = csvRow(accountTable, 2, ["1", "x"], { customers: [csvRow(customerTable, 2, ["", ""])] });
    expect(mapping.map(row).payload).toEqual({ customers: [{}] });
    expect(mapping.map(csvRow(accountTable, 2, ["1", "x"])).payload).toEqual({});
  });
  test("columns inside an item are the child's", () => {
    const mapping = compile(`${SOURCES}payload: { customers: { each: customers, item: { name: NAME } } }`, body);
    const row = csvRow(accountTable, 2, ["1", "x"], { customers: [csvRow(customerTable, 2, ["Ann", "A"])] });
    expect(failureOf(() => mapping.map(row)).message).toBe(
      'customers.csv: no column "NAME" (mapping.yaml:6), which the mapping reads',
    );
  });
  test("problems say where the item stands", () => {
    const numbers = object({ customers: list(object({ age: integer })) });
    const mapping = compile(`${SOURCES}payload: { customers: { each: customers, item: { age: LAST } } }`, numbers);
    const customers = [csvRow(customerTable, 8, ["", "7"]), csvRow(customerTable, 9, ["", "x1"])];
    expect(mapping.map(csvRow(accountTable, 2, ["1", "x"], { customers })).problems).toEqual([
      {
        attr: "customers.1.age",
        code: "invalid",
        expected: "integer",
        severity: "error",
        by: "local",
        place: { file: "customers.csv", line: 9, column: "LAST", columnNumber: 2 },
        shape: "a9",
      },
    ]);
  });
  test.each([
    ["{ customers: A }", "is a list in the contract"],
    ["{ customers: { each: customers } }", "item: <what to make of a row>"],
    ["{ customers: { each: custmers, item: { name: A } } }", 'did you mean "customers"?'],
    ["{ customers: { each: phones, item: { name: A } } }", 'is a child of "customers"'],
    ["{ customers: { each: accounts, item: { name: A } } }", "has no parent"],
    ["{ customers: { each: customers, itm: { name: A } } }", 'did you mean "item"?'],
    ["{ customers: { each: customers, item: { phones: { each: customers, item: A } } } }", 'is a child of "accounts"'],
  ])("%s is refused", (payload, words) => {
    const failure = failureOf(() => compile(`${SOURCES}payload: ${payload}`, body));
    expect(`${failure.message} ${failure.hint ?? ""}`).toContain(words);
  });
});

describe("unions", () => {
  const debit = object({ "method!": choice("DEBIT"), "day!": integer, amount: decimal });
  const demand = object({ "method!": choice("DEMAND"), amount: integer, reminder: text });
  const options = new Map<string, ObjectType>([
    ["DEBIT", debit],
    ["DEMAND", demand],
  ]);
  const body = object({ payment: union([debit, demand], { property: "method", mapping: options }) });
  const payload = "payload: { payment: { method: M, day: D, amount: A, reminder: R } }";

  test("the mapped discriminator chooses the fields' types", () => {
    const mapping = compile(payload, body);
    expect(mapping.map(rowOf({ M: "DEBIT", D: "3", A: "10", R: "" })).payload).toEqual({
      payment: { method: "DEBIT", day: 3, amount: "10" },
    });
    expect(mapping.map(rowOf({ M: "DEMAND", D: "", A: "10", R: "r" })).payload).toEqual({
      payment: { method: "DEMAND", amount: 10, reminder: "r" },
    });
  });
  test("what only another option has is not dropped silently", () =>
    expect(compile(payload, body).map(rowOf({ M: "DEMAND", D: "3", A: "1", R: "" })).payload).toEqual({
      payment: { method: "DEMAND", day: 3, amount: 1 },
    }));
  test("an unknown discriminator leaves the fields as any option would have them", () =>
    expect(compile(payload, body).map(rowOf({ M: "?", D: "3", A: "1.5", R: "" })).payload).toEqual({
      payment: { method: "?", day: 3, amount: "1.5" },
    }));
  test("a constant discriminator is the option itself", () => {
    const constant = "payload: { payment: { method: { value: DEBIT }, day: D } }";
    expect(compile(constant, body).map(rowOf({ D: "3" })).payload).toEqual({ payment: { method: "DEBIT", day: 3 } });
    expect(compile(constant, body).map(rowOf({ D: "" })).payload).toEqual({});
    const failure = failureOf(() => compile("payload: { payment: { method: { value: DEBIT }, reminder: R } }", body));
    expect(failure.message).toContain("payload.payment.reminder: the contract has no such attr");
  });
  test("an attr that no option has is refused", () => {
    const failure = failureOf(() => compile("payload: { payment: { method: M, remindr: R } }", body));
    expect(failure.hint).toBe('did you mean "reminder"?');
  });
  test("without a discriminator a field is what fits in any option", () => {
    const loose = object({ payment: union([object({ amount: integer }), object({ amount: text })]) });
    const mapping = compile("payload: { payment: { amount: A } }", loose);
    expect(mapping.map(rowOf({ A: "3" })).payload).toEqual({ payment: { amount: 3 } });
    expect(mapping.map(rowOf({ A: "x" })).payload).toEqual({ payment: { amount: "x" } });
  });
  test("of a scalar, an object and a list the entry's form chooses", () => {
    const mixed = object({ a: union([text, object({ value: text, note: text }), list(text)]) });
    const run = (entry: string) => compile(`payload: { a: ${entry} }`, mixed).map(rowOf({ A: "x" })).payload;
    expect(run("A")).toEqual({ a: "x" });
    expect(run("{ from: A, upper: true }")).toEqual({ a: "X" });
    expect(run("{ note: A }")).toEqual({ a: { note: "x" } });
    expect(run("[A, A]")).toEqual({ a: ["x", "x"] });
  });
});

describe("columns", () => {
  const body = object({ a: text, b: text });
  test("a file that lacks some is refused at its first row, with all that it lacks", () => {
    const mapping = compile("payload:\n  a: MOBLE\n  b: NAME\n", body);
    expect(failureOf(() => mapping.map(rowOf({ MOBILE: "", NAME: "" })))).toMatchObject({
      code: "mapping_invalid",
      message: 'accounts.csv: no column "MOBLE" (mapping.yaml:2), which the mapping reads',
      hint: 'did you mean "MOBILE"? its columns are: MOBILE, NAME',
      place: { file: "mapping.yaml", line: 2 },
    });
    expect(failureOf(() => mapping.map(rowOf({ X: "" }))).message).toContain('"MOBLE" (mapping.yaml:2), "NAME"');
  });
  test("every file has its own order", () => {
    const mapping = compile("payload: { a: A, b: B }", body);
    expect(mapping.map(rowOf({ A: "1", B: "2" })).payload).toEqual({ a: "1", b: "2" });
    expect(mapping.map(rowOf({ B: "3", A: "4" })).payload).toEqual({ a: "4", b: "3" });
  });
  test("a ragged row lacks cells, which are empty", () => {
    const row = csvRow(table("a.csv", ["A", "B"]), 2, ["1"]);
    expect(compile("payload: { a: A, b: B }", body).map(row).payload).toEqual({ a: "1" });
  });
  test("a path into JSON, or a member whose name has dots", () => {
    const mapping = compile("payload: { a: x.y.0, b: z.w }", body);
    expect(mapping.map(jsonRow({ x: { y: ["v"] }, "z.w": "u", z: { w: "no" } })).payload).toEqual({ a: "v", b: "u" });
    expect(mapping.map(jsonRow({ x: "s" })).payload).toEqual({});
    expect(mapping.map(jsonRow({ x: { y: [] }, z: null })).payload).toEqual({});
  });
  test("a path reaches data only, never what objects inherit", () => {
    const mapping = compile("payload: { a: constructor.name, b: x.length }", object({ a: anything, b: anything }));
    expect(mapping.map(jsonRow({ x: "text" })).payload).toEqual({});
  });
});

describe("the business key", () => {
  const body = object({ "id!": text, nested: object({ ref: text }), n: integer });
  test("is the contract's, or the mapping's", () => {
    const contracts = compile("payload: { id: A }", body);
    expect([contracts.keyAttr, contracts.map(rowOf({ A: "7" })).key]).toEqual([["id"], "7"]);
    const own = compile("key: nested.ref\npayload: { id: A, nested: { ref: B } }", body);
    expect([own.keyAttr, own.map(rowOf({ A: "7", B: "8" })).key]).toEqual([["nested", "ref"], "8"]);
    expect(compile("key: n\npayload: { n: A }", body).map(rowOf({ A: "7" })).key).toBe("7");
    expect(own.map(rowOf({ A: "7", B: "" }))).not.toHaveProperty("key");
  });
  test("has to be in the payload when the mapping names it", () =>
    expect(failureOf(() => compile("key: ref\npayload: { id: A }", body)).message).toBe(
      'mapping.yaml:1: key: the payload has no field "ref"',
    ));
});

describe("what the mapping leaves unfilled", () => {
  test("are the required attrs that no entry makes", () => {
    const person = object({ "first!": text, "last!": text });
    const body = object({ "id!": text, "name!": text, customers: list(person), main: person, "made!~": text });
    const mapping = compile(
      `${SOURCES}payload: { id: A, customers: { each: customers, item: { first: F } }, main: { last: L } }`,
      body,
    );
    expect(mapping.unmappedRequired).toEqual(["name", "customers.*.last", "main.first"]);
  });
});

describe("origins", () => {
  test("say for every value what it was made from", () => {
    const body = object({ a: text, b: text, c: text, d: text, e: text, f: list(text) });
    const mapping = compile(
      'payload: { a: A, b: { value: v }, c: { from: B, default: d }, d: { from: A, lookup: { x: y } }, e: B, f: { from: A, split: "," } }',
      body,
    );
    const place = { file: "accounts.csv", line: 2, column: "A", columnNumber: 1 };
    expect(mapping.origins(rowOf({ A: "x", B: "" }))).toEqual([
      { attr: "a", place, from: "column", value: "x" },
      { attr: "b", from: "value", value: "v" },
      { attr: "c", place: { ...place, column: "B", columnNumber: 2 }, from: "default", value: "d" },
      { attr: "d", place, from: "lookup", value: "y" },
      { attr: "f.0", place, from: "column", value: "x" },
    ]);
  });
});

test("payloads never touch prototypes", () => {
  const failure = failureOf(() => compile('payload: { "__proto__": { polluted: A } }', object({}, anything)));
  expect(failure.code).toBe("mapping_invalid");
  const mapping = compile("payload: { constructor: A, toString: A }", object({}, anything));
  expect(Object.keys(mapping.map(rowOf({ A: "x" })).payload)).toEqual(["constructor", "toString"]);
  expect(Object.prototype).not.toHaveProperty("polluted");
});
