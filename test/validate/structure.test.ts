import { describe, expect, it, onTestFinished } from "vitest";
import type { FieldType, ObjectType, Property } from "../../src/contract/types/field-type.ts";
import { isJsonObject, type JsonObject } from "../../src/json/json-value.ts";
import { setAroundInterruptible } from "../../src/model/interruptible.ts";
import { compileValidator } from "../../src/validate/compile-validator.ts";
import {
  any,
  boolean,
  choice,
  codes,
  integer,
  list,
  moment,
  object,
  text,
  attrsAndCodes,
  union,
} from "./field-types.ts";

const ADDRESS = object({ "line1!": text(), postcode: text() });
const ACCOUNT = object({
  "number!": text({ maxLength: 5 }),
  born: moment("date"),
  address: ADDRESS,
  "customers!": list(object({ "name!": text(), mobile: text({ pattern: /^\d+$/ }) }), { minItems: 1, maxItems: 2 }),
  tags: list(text(), { minItems: 2, maxItems: 3, uniqueItems: true }),
});

function findings(type: FieldType, payload: JsonObject): readonly string[] {
  return attrsAndCodes(compileValidator(type, { keepValues: false })(payload));
}

function listOf(items: number): JsonObject {
  return { list: Array.from({ length: items }, () => ({ p2000: "x" })) };
}

/** Parses a JSON object. Unlike a literal, the result may have a field named `__proto__`. */
function parsed(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) throw new Error("not an object");
  return value;
}

const GOOD = { number: "A1", customers: [{ name: "Ann" }] };

describe("objects and lists:", () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ["valid", GOOD, []],
    ["an empty object", {}, ["number required", "customers required"]],
    ["null", { number: null, customers: null }, ["number null", "customers null"]],
    [
      "many errors, reported in the order of the contract",
      { customers: [{ mobile: "x" }, { name: "" }], born: "2024-02-30", number: "too long" },
      [
        "number max_length",
        "born invalid",
        "customers.0.name required",
        "customers.0.mobile invalid",
        "customers.1.name blank",
      ],
    ],
    ["a string for an object", { ...GOOD, address: "here" }, ["address.non_field_errors invalid"]],
    ["a list for an object", { ...GOOD, address: [] }, ["address.non_field_errors invalid"]],
    ["null for an object", { ...GOOD, address: null }, ["address null"]],
    ["an incomplete optional object", { ...GOOD, address: {} }, ["address.line1 required"]],
    ["an object for a list of objects", { ...GOOD, customers: {} }, ["customers.non_field_errors not_a_list"]],
    ["a string for a list of objects", { ...GOOD, customers: "Ann" }, ["customers.non_field_errors not_a_list"]],
    ["no objects", { ...GOOD, customers: [] }, ["customers.non_field_errors empty"]],
    [
      "too many objects, which are still validated",
      { ...GOOD, customers: [{ name: "A" }, { name: "B" }, {}] },
      ["customers.non_field_errors max_length", "customers.2.name required"],
    ],
    [
      "a string and null for items that must be objects",
      { ...GOOD, customers: ["Ann", null] },
      ["customers.0.non_field_errors invalid", "customers.1 null"],
    ],
    ["a string for a list of strings", { ...GOOD, tags: "a" }, ["tags not_a_list"]],
    ["no strings", { ...GOOD, tags: [] }, ["tags empty"]],
    ["too few strings", { ...GOOD, tags: ["a"] }, ["tags min_length"]],
    ["too many strings", { ...GOOD, tags: ["a", "b", "c", "d"] }, ["tags max_length"]],
    ["repeated strings", { ...GOOD, tags: ["a", "b", "a"] }, ["tags unique"]],
    [
      "invalid strings",
      { ...GOOD, tags: ["a", "", 3, null] },
      ["tags max_length", "tags.1 blank", "~tags.2 coerced", "tags.3 null"],
    ],
  ])("the problems are as expected: %s", (_name, payload, expected) => {
    expect(findings(ACCOUNT, payload)).toEqual(expected);
  });

  it("an empty list without a minimum, and an empty object without required fields, are accepted", () => {
    expect(codes(list(text()), [])).toEqual([]);
    expect(codes(object({ a: text() }), {})).toEqual([]);
  });

  it("duplicate objects are found even if their properties are in a different order", () => {
    const pairs = list(object({ a: integer(), b: integer() }), { uniqueItems: true });
    expect(
      findings(object({ it: pairs }), {
        it: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      }),
    ).toEqual(["it.non_field_errors unique"]);
  });

  it("`path` points to the value even if `attr` ends in non_field_errors", () => {
    const [problem] = compileValidator(ACCOUNT, { keepValues: false })({ ...GOOD, address: "here" });
    expect(problem).toMatchObject({ path: ["address"], attr: "address.non_field_errors", shape: "a{4}" });
  });

  it("a missing value has no shape, but any other value has a shape", () => {
    const [missing, wrong] = compileValidator(ACCOUNT, { keepValues: true })({ number: "", customers: [] });
    expect(missing).toMatchObject({ shape: "(empty)", value: "" });
    expect(wrong).toMatchObject({ shape: "list", value: "[]" });
    const [required] = compileValidator(ACCOUNT, { keepValues: true })({ customers: [{ name: "A" }] });
    expect(required).not.toHaveProperty("shape");
    expect(required).not.toHaveProperty("value");
  });

  it("values are kept only if this is requested", () => {
    const payload = { number: "too long", customers: [{ name: "Ann" }] };
    expect(compileValidator(ACCOUNT, { keepValues: true })(payload)).toMatchObject([{ value: "too long" }]);
    expect(compileValidator(ACCOUNT, { keepValues: false })(payload)[0]).not.toHaveProperty("value");
  });
});

describe("a validator", () => {
  it("returns a shared empty list for valid payloads", () => {
    const validate = compileValidator(ACCOUNT, { keepValues: false });
    expect(validate(GOOD)).toBe(validate({ ...GOOD, number: "B2" }));
  });

  it("keeps no state between payloads", () => {
    const validate = compileValidator(ACCOUNT, { keepValues: false });
    const first = validate({ number: "too long", customers: [{}] });
    expect(validate(GOOD)).toEqual([]);
    expect(validate({ customers: [{ name: "A" }] })).toHaveLength(1);
    expect(attrsAndCodes(first)).toEqual(["number max_length", "customers.0.name required"]);
  });
});

describe("undocumented fields", () => {
  it("are reported after documented fields, with a suggestion if a name is similar", () => {
    const found = compileValidator(ACCOUNT, { keepValues: false })({
      nubmer: "A1",
      number: "",
      customers: [{ nam: "A", name: "A" }],
      zzz: null,
    });
    expect(attrsAndCodes(found)).toEqual([
      "number blank",
      "customers.0.nam unknown_field",
      "nubmer unknown_field",
      "zzz unknown_field",
    ]);
    expect(found[1]).toMatchObject({ suggestion: "name" });
    expect(found[3]).not.toHaveProperty("suggestion");
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])("are reported with the name %s", (name) => {
    const payload = parsed(`{"a": "x", ${JSON.stringify(name)}: 1}`);
    expect(findings(object({ a: text() }), payload)).toEqual([`${name} unknown_field`]);
  });

  it.each(["constructor", "__proto__", "toString"])(
    "do not include the documented field %s, which is found only if it is an own property of the payload",
    (name) => {
      const type = object({ [`${name}!`]: text() });
      expect(findings(type, {})).toEqual([`${name} required`]);
      const payload = parsed(`{${JSON.stringify(name)}: "x"}`);
      expect(findings(type, payload)).toEqual([]);
    },
  );

  it("have the type of additionalProperties, if the contract gives one", () => {
    const open = object({ a: text() }, { additional: integer() });
    expect(findings(open, { a: "x", b: 1, c: "x" })).toEqual(["c invalid"]);
    expect(findings(object({ a: text() }, { additional: any() }), { a: "x", b: null, c: [{}] })).toEqual([]);
  });

  it("of a dictionary are accepted, and a dictionary of the wrong type has a separate code", () => {
    const type = object({ it: object({}, { additional: integer() }) });
    expect(findings(type, { it: { x: 1, y: "no", z: null } })).toEqual(["it.y invalid", "it.z null"]);
    expect(findings(type, { it: [] })).toEqual(["it not_a_dict"]);
  });

  it("do not include read-only fields, which are never required, are validated and cause a warning", () => {
    const id: Property = { name: "id", required: true, readOnly: true, type: integer() };
    const type = { ...object({}), properties: new Map([["id", id]]) };
    expect(findings(type, {})).toEqual([]);
    expect(findings(type, { id: 1 })).toEqual(["~id read_only"]);
    expect(findings(type, { id: "x" })).toEqual(["~id read_only", "id invalid"]);
  });
});

/** Returns a type with nested alternatives. Each level contains the next level twice, as different types. */
function levels(count: number): FieldType {
  let type: FieldType = text({ maxLength: 3 });
  for (let level = 0; level < count; level += 1) {
    type = union([object({ x: type }), object({ x: type, y: text() })], level % 2 === 0 ? { exactlyOne: true } : {});
  }
  return type;
}

function nested(count: number, leaf: string): JsonObject {
  let value: JsonObject = { x: leaf };
  for (let level = 1; level < count; level += 1) value = { x: value };
  return value;
}

describe("nested alternatives", () => {
  it("report the same problems with memoisation", () => {
    expect(findings(object({ it: levels(3) }), { it: nested(3, "abc") })).toEqual(["it.x.x schema_mismatch"]);
    const others = [nested(3, "abcd"), { x: { x: { x: "a", y: "b" } } }, { x: { x: "a", y: "b" }, z: 1 }];
    expect(others.map((other) => findings(object({ it: levels(3) }), { it: other }))).toEqual([
      ["it.x.x.x max_length"],
      ["it schema_mismatch"],
      ["it.x.x.non_field_errors invalid", "it.z unknown_field"],
    ]);
  });

  it("are validated down to a depth of 50 levels", () => {
    expect(findings(object({ it: levels(50) }), { it: nested(50, "abcd") })).toHaveLength(1);
  });

  it("end the run if one record has more than 250,000 alternatives to check", () => {
    const item = union(Array.from({ length: 1001 }, (_, at) => object({ [`p${at}!`]: text() })));
    const validate = compileValidator(object({ list: list(item) }), { keepValues: false });
    const payload = { list: Array.from({ length: 250 }, () => ({ p2000: "x" })) };
    expect(() => validate(payload)).toThrow("one record has more than 250,000 alternatives to check (oneOf, anyOf)");
    expect(validate({ list: [{ p1: "x" }] })).toEqual([]);
  });

  it("are checked interruptibly if one record has thousands of them, and all problems are reported", () => {
    const item = union(Array.from({ length: 1001 }, (_, at) => object({ [`p${at}!`]: text() })));
    const validate = compileValidator(object({ list: list(item) }), { keepValues: false });
    let interrupted = 0;
    setAroundInterruptible((work) => {
      interrupted += 1;
      return work();
    });
    onTestFinished(() => setAroundInterruptible((work) => work()));
    expect(validate(listOf(4))).toHaveLength(8);
    expect(interrupted).toBe(0);
    expect(validate(listOf(8))).toHaveLength(16);
    expect(interrupted).toBe(1);
  });
});

describe("a union", () => {
  const DEBIT = object({ "method!": choice(["DEBIT"]), "day!": integer() });
  const CASH = object({ "method!": choice(["CASH"]) });
  const chosen = object({
    payment: union([DEBIT, CASH], {
      discriminator: {
        property: "method",
        mapping: new Map([
          ["DEBIT", DEBIT],
          ["CASH", CASH],
        ]),
      },
    }),
  });

  it.each<[JsonObject, readonly string[]]>([
    [{ payment: { method: "CASH" } }, []],
    [{ payment: { method: "DEBIT" } }, ["payment.day required"]],
    [{ payment: { method: "CASH", day: 1 } }, ["payment.day unknown_field"]],
    [{ payment: {} }, ["payment.method required"]],
    [{ payment: { method: null } }, ["payment.method null"]],
    [{ payment: { method: "CARD", day: "x" } }, ["payment.method invalid_choice"]],
    [{ payment: { method: {} } }, ["payment.method invalid_choice"]],
    [{ payment: "CASH" }, ["payment.non_field_errors invalid"]],
    [{ payment: null }, ["payment null"]],
  ])("with a discriminator has the expected problems: %j", (payload, expected) => {
    expect(findings(chosen, payload)).toEqual(expected);
  });

  it("selects the option to which null is mapped if the discriminator is null or absent", () => {
    const plain = object({ "name!": text() });
    const mapping = new Map([
      ["null", plain],
      ["true", object({ kept: boolean(), "id!": text() })],
    ]);
    const type = object({ it: union([...mapping.values()], { discriminator: { property: "kept", mapping } }) });
    expect(findings(type, { it: { name: "A" } })).toEqual([]);
    expect(findings(type, { it: { kept: null } })).toEqual(["it.name required", "it.kept unknown_field"]);
    expect(findings(type, { it: { kept: true } })).toEqual(["it.id required"]);
    expect(findings(type, { it: { kept: [] } })).toEqual(["it.kept invalid_choice"]);
  });

  it("without a discriminator selects the first option that has no errors", () => {
    const type = union([text({ maxLength: 2 }), integer(), list(boolean())]);
    expect(codes(type, "ab")).toEqual([]);
    expect(codes(type, "123")).toEqual(["~coerced"]);
    expect(codes(type, [true])).toEqual([]);
  });

  it("reports the errors of the nearest option among those that match the JSON type of the value", () => {
    const type = union([
      text(),
      object({ "a!": text(), "b!": text(), "c!": text() }),
      object({ "a!": text(), "z!": text() }),
    ]);
    expect(findings(object({ it: type }), { it: { a: "1" } })).toEqual(["it.z required"]);
    expect(findings(object({ it: type }), { it: true })).toEqual(["it invalid"]);
    expect(findings(object({ it: type }), { it: [] })).toEqual(["it invalid"]);
  });

  it("prefers the options with the JSON type of the value, even if another option has fewer errors", () => {
    const pair = object({ "a!": text(), "b!": text() });
    expect(findings(object({ it: union([text(), pair]) }), { it: {} })).toEqual(["it.a required", "it.b required"]);
    expect(findings(object({ it: union([pair, list(integer())]) }), { it: ["x", "y"] })).toEqual([
      "it.0 invalid",
      "it.1 invalid",
    ]);
    expect(findings(object({ it: union([pair, integer()]) }), { it: "x" })).toEqual(["it invalid"]);
    expect(findings(object({ it: union([union([pair, text()]), list(text())]) }), { it: {} })).toEqual([
      "it.a required",
      "it.b required",
    ]);
    expect(findings(object({ it: union([text(), any()]) }), { it: {} })).toEqual([]);
  });

  it("counts the errors of the option that it selects", () => {
    const pair = object({ "a!": text(), "b!": text(), "c!": text() });
    const nestedPair = union([object({ "it!": union([pair, text()]) }), object({ "x!": text(), "y!": text() })]);
    expect(findings(object({ it: nestedPair }), { it: { it: { a: "1", b: "2", c: "3" } } })).toEqual([]);
    expect(findings(object({ it: nestedPair }), { it: { it: {} } })).toEqual([
      "it.it.a required",
      "it.it.b required",
      "it.it.c required",
    ]);
  });

  it("keeps problems that were found earlier", () => {
    const type = object({ "first!": text(), it: union([integer(), text({ maxLength: 1 })]), "last!": text() });
    expect(findings(type, { it: "abc" })).toEqual(["first required", "it invalid", "last required"]);
  });

  it("accepts null if one of its options accepts null", () => {
    expect(codes(union([text(), integer({ nullable: true })]), null)).toEqual([]);
    expect(codes(union([text(), integer()]), null)).toEqual(["null"]);
  });
});

describe("a recursive type", () => {
  const properties = new Map<string, Property>();
  const node: ObjectType = { ...object({}), properties };
  properties.set("name", { name: "name", required: true, readOnly: false, type: text() });
  properties.set("next", { name: "next", required: false, readOnly: false, type: node });
  properties.set("more", { name: "more", required: false, readOnly: false, type: list(union([node, text()])) });

  it("is validated to the depth of the payload", () => {
    const payload = { name: "a", next: { name: "b", more: [{ name: "c", next: {} }, "d", {}] } };
    expect(findings(node, payload)).toEqual(["next.more.0.next.name required", "next.more.2.name required"]);
  });

  it("is validated only down to 64 levels", () => {
    let payload: JsonObject = { name: "end" };
    for (let level = 0; level < 10_000; level += 1) payload = { name: "a", next: payload };
    const found = compileValidator(node, { keepValues: false })(payload);
    expect(found).toMatchObject([{ code: "source_too_deep", limit: 64 }]);
    expect(found[0]?.path).toHaveLength(64);
  });
});
