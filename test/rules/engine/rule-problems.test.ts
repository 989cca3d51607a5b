import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { Contract } from "../../../src/contract/contract.ts";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { compileRules } from "../../../src/rules/engine/compile-rules.ts";
import { contractOf, judgeOf, ruleContextOf } from "./compiled-rules.ts";

const PEOPLE = { people: [{ name: "A", tags: ["x", 7] }, {}] };
const NAME = { code: "c", kind: "forbidden-when", each: "people[]", fields: ["name"] };

/** Each row: a rule, and the attr, path and `at` of its first problem in `PEOPLE`. */
describe("the place of a problem", () => {
  it.each<[JsonObject, string, string, string | undefined]>([
    [NAME, "non_field_errors", "people.0.name", "people.0.name"],
    [{ ...NAME, attr: "people[].name" }, "people.0.name", "people.0.name", undefined],
    [{ ...NAME, attr: "people[]" }, "people.0", "people.0.name", "people.0.name"],
    [{ ...NAME, attr: "people" }, "people", "people.0.name", "people.0.name"],
    [{ ...NAME, attr: "people[].tags[].x" }, "people.0.tags", "people.0.name", "people.0.name"],
    [{ ...NAME, fields: ["tags[]"] }, "non_field_errors", "people.0.tags.0", "people.0.tags.0"],
    [{ ...NAME, fields: ["tags[]"], attr: "people[].tags[]" }, "people.0.tags.0", "people.0.tags.0", undefined],
    [{ ...NAME, kind: "required-when" }, "non_field_errors", "people.1.name", "people.1"],
    [{ ...NAME, kind: "required-when", fields: ["a.b[].c"] }, "non_field_errors", "people.0.a.b", "people.0"],
    [{ ...NAME, kind: "required-when", fields: ["top.x"] }, "non_field_errors", "people.0", "people.0"],
    [{ ...NAME, kind: "required-when", attr: "people[].name" }, "people.1.name", "people.1.name", undefined],
    [{ ...NAME, kind: "required-when", attr: "people[]" }, "people.1", "people.1.name", undefined],
    [{ code: "c", kind: "required-when", fields: ["x"] }, "non_field_errors", "x", undefined],
    [{ code: "c", kind: "required-when", fields: ["x"], attr: "x" }, "x", "x", undefined],
    [{ code: "c", kind: "holds", test: "x", attr: "people[].name" }, "people", "", undefined],
  ])("is as expected for the rule %j", (rule, attr, path, at) => {
    const [problem] = judgeOf(contractOf([rule]))(PEOPLE, new Set());
    expect(problem && [problem.attr, problem.path.join("."), problem.at]).toEqual([attr, path, at]);
  });
});

describe("the wording of a problem", () => {
  const periods = { code: "c", kind: "contiguous", list: "a[]", start: "from", end: "to" };
  const gap = {
    a: [
      { from: "2026-01-01", to: "2026-01-02" },
      { from: "2026-01-03", to: "2026-01-04" },
    ],
  };

  it.each<[JsonObject, JsonObject, string]>([
    [{ code: "c", kind: "in-set", value: "x", set: ["A"], negate: true }, { x: "A" }, "in-set: negate"],
    [periods, gap, "contiguous"],
    [{ ...periods, last: "open" }, gap, "contiguous: open"],
    [{ ...periods, overlaps: true }, gap, "contiguous: overlaps"],
  ])("depends on the options of the rule %j", (rule, payload, wording) => {
    expect(judgeOf(contractOf([rule]))(payload, new Set())[0]?.rule).toBe(wording);
  });

  it("does not name named values, because they are not fields", () => {
    const rule = { code: "c", kind: "date-order", earlier: "a", later: "$last" };
    const judge = judgeOf(contractOf([rule], { "x-rule-values": { last: "b" } }));
    expect(judge({ a: "2026-01-02", b: "2026-01-01" }, new Set())[0]?.fields).toEqual(["a"]);
  });
});

function problemsWith(contract: Contract, payload: JsonObject, keepValues: boolean): readonly unknown[] {
  const body = contract.operations[0]?.body;
  const validate = body && compileRules(body, ruleContextOf(contract), { keepValues });
  return validate?.(payload, new Set()) ?? [];
}

describe("a problem", () => {
  const rule = { code: "not_a", kind: "in-set", value: "x", set: ["A"], attr: "x" };
  const common = {
    path: ["x"],
    attr: "x",
    severity: "error",
    by: "local",
    code: "not_a",
    rule: "in-set",
    fields: ["x"],
  };

  it.each<[JsonValue, object, object]>([
    ["B12", { shape: "A99" }, { shape: "A99", value: "B12" }],
    [12, { shape: "number" }, { shape: "number", value: "12" }],
    [false, { shape: "boolean" }, { shape: "boolean", value: "false" }],
    [["A"], {}, {}],
    [{ a: 1 }, {}, {}],
  ])("with the value %j contains the value only on request", (x, without, including) => {
    const contract = contractOf([rule]);
    expect(problemsWith(contract, { x }, false)).toEqual([{ ...common, ...without }]);
    expect(problemsWith(contract, { x }, true)).toEqual([{ ...common, ...including }]);
  });

  it("contains the message of its rule, and is a warning if the rule only warns", () => {
    const contract = contractOf([{ ...rule, message: "Use A.", severity: "warning" }]);
    expect(problemsWith(contract, { x: ["B"] }, false)).toEqual([
      { ...common, severity: "warning", message: "Use A." },
    ]);
  });

  it("of a rule without a value has no shape", () => {
    const [problem] = problemsWith(contractOf([{ code: "c", kind: "required-when", fields: ["x"] }]), {}, true);
    expect(problem).not.toHaveProperty("shape");
    expect(problem).not.toHaveProperty("value");
  });

  it("of one payload is not reported for the next, and all valid payloads share one empty list", () => {
    const judge = judgeOf(contractOf([rule]));
    const valid = judge({ x: "A" }, new Set());
    expect(valid).toEqual([]);
    expect(judge({}, new Set())).toBe(valid);
    expect(judge({ x: "B" }, new Set())).toHaveLength(1);
    expect(judge({ x: "A" }, new Set())).toBe(valid);
  });
});

it("a contract has no rule validator if every rule needs a setting or a list that is missing", () => {
  const declarations = { "x-rule-settings": { on: { type: "boolean" } } };
  const rules = [
    { code: "a", kind: "required-when", fields: ["x"], when: "config.on" },
    { code: "b", kind: "in-set", value: "x", source: "l", columns: "c" },
  ];
  const contract = contractOf(rules, declarations);
  const body = contract.operations[0]?.body;
  const validatorWith = (settings: Record<string, boolean>): unknown =>
    body && compileRules(body, ruleContextOf(contract, { settings }), { keepValues: false });
  expect(validatorWith({})).toBeUndefined();
  expect(validatorWith({ on: true })).toBeTypeOf("function");
});

const RULED: JsonObject = { "x-rules": [{ code: "no_x", kind: "required-when", fields: ["x"] }] };
const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

/** Returns the attrs of the problems of a payload with this value. The schema of the value is `Value`. */
function attrsOf(schemas: JsonObject, value: JsonValue): readonly string[] {
  const document = {
    openapi: "3.0.3",
    info: { title: "Values", version: "1" },
    paths: {
      "/values/": {
        post: {
          operationId: "values",
          requestBody: {
            content: { "application/json": { schema: { type: "object", properties: { value: ref("Value") } } } },
          },
          responses: { "201": { description: "" } },
        },
      },
    },
    components: { schemas },
  };
  const contract = loadContract([{ file: "values.yaml", text: stringify(document, { aliasDuplicateObjects: false }) }]);
  return judgeOf(contract)({ value }, new Set()).map(({ attr }) => attr);
}

const STRICT = { type: "object", additionalProperties: false };
const PLAIN: JsonObject = { ...STRICT, required: ["kind"], properties: { kind: { type: "string" } } };
const CHECKED: JsonObject = { ...STRICT, properties: { x: {}, tag: { type: "string" } }, ...RULED };
const OTHER: JsonObject = { type: "object", properties: { y: {} } };

describe("the rules of the option that a value has", () => {
  const first = {
    Value: { oneOf: [ref("Plain"), ref("Checked"), ref("Other")] },
    Plain: PLAIN,
    Checked: CHECKED,
    Other: OTHER,
  };
  const lists = {
    Value: { oneOf: [{ type: "array", items: ref("Checked") }, { type: "string" }, ref("Checked")] },
    Checked: CHECKED,
  };
  const tagged = {
    Value: {
      oneOf: [ref("Checked"), ref("Tagged")],
      discriminator: {
        propertyName: "tag",
        mapping: { checked: "#/components/schemas/Checked", other: "#/components/schemas/Tagged" },
      },
    },
    Checked: CHECKED,
    Tagged: { type: "object", required: ["tag"], properties: { tag: { type: "string" } } },
  };

  it.each<[JsonObject, JsonValue, readonly string[]]>([
    [first, {}, ["value.non_field_errors"]],
    [first, { tag: "A" }, ["value.non_field_errors"]],
    [first, { x: 1 }, []],
    [first, { kind: "A" }, []],
    [first, { kind: "A", tag: "A" }, []],
    [first, { y: 1 }, []],
    [first, "A", []],
    [first, [{}], []],
    [lists, [{}, { x: 1 }, null], ["value.0.non_field_errors"]],
    [lists, "A", []],
    [lists, {}, ["value.non_field_errors"]],
    [lists, null, []],
    [tagged, { tag: "checked" }, ["value.non_field_errors"]],
    [tagged, { tag: "other" }, []],
    [tagged, { tag: "unknown" }, []],
    [tagged, {}, ["value.non_field_errors"]],
    [tagged, { tag: null }, ["value.non_field_errors"]],
    [tagged, [], []],
  ])("apply with the schemas %j to the value %j", (schemas, value, expected) => {
    expect(attrsOf(schemas, value)).toEqual(expected);
  });
});

describe("the rules of undocumented fields", () => {
  const open = {
    Value: { type: "object", properties: { known: ref("Plain") }, additionalProperties: ref("Checked") },
    Plain: PLAIN,
    Checked: CHECKED,
  };
  const both = { ...open, Value: { ...open.Value, properties: { known: ref("Checked") } } };

  it.each<[JsonObject, JsonValue, readonly string[]]>([
    [open, { known: {}, a: {}, b: { x: 1 }, c: null, d: 1 }, ["value.a.non_field_errors", "value.d"]],
    [both, { a: {}, known: {} }, ["value.known.non_field_errors", "value.a.non_field_errors"]],
    [open, [{}], []],
    [open, "A", []],
  ])("apply with the schemas %j to the value %j", (schemas, value, expected) => {
    expect(attrsOf(schemas, value)).toEqual(expected);
  });
});

function typeWith(description: string): JsonObject {
  const validator = { name: "v", description, possible_errors: ["no_x"] };
  return { type: "object", properties: { x: {} }, "x-validators": [validator], ...RULED };
}

it("a problem quotes the requirement that the contract publishes for its code and type", () => {
  const list = { type: "array", items: typeWith("An item needs an x.") };
  const contract = contractOf([], {}, { a: typeWith("An x is needed."), list });
  expect(problemsWith(contract, { a: {}, list: [{}] }, false)).toMatchObject([
    { attr: "a.non_field_errors", asked: "The contract says: An x is needed." },
    { attr: "list.0.non_field_errors", asked: "The contract says: An item needs an x." },
  ]);
});

function alternative(tag: string, more: JsonObject): JsonObject {
  return { type: "object", properties: { t: { type: "string", enum: [tag] }, a: { type: "string" } }, ...more };
}

describe("the rules of the alternative that accepts a value", () => {
  const caps = [{ code: "caps", kind: "matches-format", value: ".", format: "caps" }];
  const ruled = alternative("A", { "x-rules": [{ code: "a_needed", kind: "required-when", fields: ["a"] }] });

  it.each<[schema: JsonObject, value: JsonValue, codes: readonly string[]]>([
    [{ oneOf: [{ type: "integer" }, { type: "string", "x-rules": caps }] }, "ab", ["caps"]],
    [{ oneOf: [{ type: "integer" }, { type: "string", "x-rules": caps }] }, 5, []],
    [{ oneOf: [{ type: "string", pattern: "^[a-z]+$", "x-rules": caps }, { type: "string" }] }, "123", []],
    [{ oneOf: [ruled, alternative("B", {})] }, { t: "B" }, []],
    [{ oneOf: [ruled, alternative("B", {})] }, { t: "A" }, ["a_needed"]],
    [{ oneOf: [alternative("B", {}), ruled] }, { t: "A" }, ["a_needed"]],
  ])("%j, %j: %j", (schema, value, codes) => {
    const contract = contractOf([], {}, { it: schema });
    const found = judgeOf(contract)({ it: value }, new Set());
    expect(found.map(({ code }) => code)).toEqual(codes);
  });
});

describe("a rule about the format of the value itself", () => {
  it.each([
    [{ format: "caps" }, ["caps"]],
    [{ pattern: "[A-Z]+" }, []],
  ])("names a format, because there is no field to name: %j", (format, fields) => {
    const rule = { code: "c", kind: "matches-format", value: ".", ...format };
    const contract = contractOf([], {}, { it: { type: "string", "x-rules": [rule] } });
    expect(judgeOf(contract)({ it: "ab" }, new Set())[0]?.fields).toEqual(fields);
  });
});
