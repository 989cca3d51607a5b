import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { diffContracts } from "../../../src/contract/diff/diff-contracts.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { compileValidator } from "../../../src/validate/compile-validator.ts";
import { campaignSize } from "../../campaign.ts";
import { validPayload } from "../../payload-arbitrary.ts";
import { contractOf } from "../contract-of.ts";

const OWN = readFileSync(new URL("../../../fixtures/contract/contract.yaml", import.meta.url), "utf8");

/** Formats each change as kind and attr, with the prefix `!` if it can break payloads. */
function changes(old: object, next: object): readonly string[] {
  const [before, now] = [old, next].map((properties) => contractOf(properties, { openapi: "3.1.0" }));
  if (before === undefined || now === undefined) throw new Error("no contracts");
  return diffContracts(before, now, undefined).map(
    ({ kind, attr, breaks, when }) => `${breaks ? "!" : ""}${kind} ${attr}${when === undefined ? "" : ` (${when})`}`,
  );
}

type Case = readonly [old: object, next: object, expected: readonly string[]];
const text = { type: "string" };
const choice = (...choices: readonly unknown[]): object => ({ type: "string", enum: choices });
const thing = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
});

const amount = { type: "string", format: "decimal", "x-max-digits": 8, "x-max-decimal-places": 5 };
const digits = (sign: string, whole: number, places: number): object => ({
  type: "string",
  format: "decimal",
  pattern: `^${sign}\\d{0,${whole}}(?:\\.\\d{0,${places}})?$`,
});

const dateTime = { type: "string", format: "date-time" };
const ruled = (...rules: readonly object[]): object => ({
  ...thing({ x: text, y: text }),
  "x-rules": rules,
});
const PATTERN_RULE = { code: "r", kind: "matches-format", value: "x", pattern: "^X" };

const CASES: readonly Case[] = [
  [{ a: text }, { a: text, b: text }, ["field-added b"]],
  [{ a: text, b: text }, { a: text }, ["!field-removed b"]],
  [{ o: thing({ a: text }) }, { o: thing({ a: text }, ["a"]) }, ["!required o.a"]],
  [{ o: thing({ a: text }, ["a"]) }, { o: thing({ a: text }) }, ["optional o.a"]],
  [{ o: thing({ b: text }) }, { o: thing({ a: text, b: text }, ["a"]) }, ["!required o.a"]],
  [{ o: thing({}) }, { o: thing({ a: text }) }, ["field-added o.a", "!tighter o"]],
  [{ a: text }, { a: { type: "integer" } }, ["!type a"]],
  [{ a: { type: "integer" } }, { a: { type: "number" } }, ["type a"]],
  [{ a: { type: "integer" } }, { a: { type: "number", maximum: 9 } }, ["!type a"]],
  [{ a: { type: "integer", maximum: 8 } }, { a: { type: "number", maximum: 9 } }, ["type a"]],
  [{ a: { type: "integer", maximum: 9 } }, { a: { type: "number", maximum: 8 } }, ["!type a"]],
  [{ a: choice("X") }, { a: text }, ["type a"]],
  [{ a: choice("X") }, { a: { ...text, minLength: 2 } }, ["!type a"]],
  [{ a: choice("XY") }, { a: { ...text, minLength: 2, maxLength: 2, pattern: "^X" } }, ["type a"]],
  [{ a: choice("X", "Y") }, { a: { ...text, pattern: "^X" } }, ["!type a"]],
  [{ a: choice("X") }, { a: { ...text, format: "email" } }, ["!type a"]],
  [{ a: choice("X") }, { a: { ...text, "x-document-path": true } }, ["!type a"]],
  [{ a: choice("X") }, { a: { not: { const: "X" } } }, ["!tighter a", "type a"]],
  [{ a: { maxLength: 3 } }, { a: { ...text, nullable: true, maxLength: 3 } }, ["!tighter a"]],
  [{ a: { ...text, maxLength: 3 } }, { a: { maxLength: 3 } }, ["looser a", "looser a"]],
  [{ a: text }, { a: { ...text, not: { const: "X" } } }, ["!tighter a"]],
  [{ a: { ...text, not: { const: "X" } } }, { a: text }, ["looser a"]],
  [
    { a: { ...thing({}), additionalProperties: true } },
    { a: { ...thing({ b: text }), additionalProperties: true } },
    ["field-added a.b", "!type a.b"],
  ],
  [
    { a: { oneOf: [thing({ x: text }), thing({ y: text })] } },
    { a: { oneOf: [thing({ x: text }), thing({ y: text }), thing({ z: text })] } },
    ["!tighter a"],
  ],
  [
    { a: { oneOf: [thing({ x: text }, ["x"]), thing({ y: text })] } },
    { a: { oneOf: [thing({ x: text }, ["x"]), thing({ y: text }), thing({ z: text }, ["z"])] } },
    ["looser a"],
  ],
  [{ a: choice("WXYZ") }, { a: { type: "string", maxLength: 3 } }, ["!type a"]],
  [{ a: choice("X", "Y") }, { a: choice("Y", "Z") }, ["!choices-removed a", "choices-added a"]],
  [{ a: { ...text, maxLength: 9 } }, { a: { ...text, maxLength: 8 } }, ["!tighter a"]],
  [{ a: { ...text, maxLength: 8 } }, { a: { ...text, maxLength: 9 } }, ["looser a"]],
  [{ a: { ...text, maxLength: 8 } }, { a: text }, ["looser a"]],
  [{ a: text }, { a: { ...text, maxLength: 8 } }, ["!tighter a"]],
  [{ a: { ...text, minLength: 0 } }, { a: text }, ["!tighter a"]],
  [{ a: { ...text, pattern: "^a" } }, { a: { ...text, pattern: "^b" } }, ["!tighter a"]],
  [{ a: { ...text, format: "email" } }, { a: text }, ["looser a"]],
  [{ a: { ...text, nullable: true } }, { a: text }, ["!tighter a"]],
  [{ a: text }, { a: { ...text, nullable: true } }, ["looser a"]],
  [{ a: text }, { a: { ...text, "x-document-path": true } }, ["!tighter a"]],
  [
    { a: { type: "number", maximum: 5 } },
    { a: { type: "number", maximum: 5, exclusiveMaximum: true } },
    ["!tighter a"],
  ],
  [{ a: { type: "number", minimum: 5 } }, { a: { type: "number", minimum: 4 } }, ["looser a"]],
  [{ a: { ...text, format: "decimal" } }, { a: { ...text, format: "decimal", "x-max-digits": 3 } }, ["!tighter a"]],
  [{ a: { ...amount, pattern: "^[1-9]" } }, { a: { ...amount, pattern: "^[1-5]" } }, ["!tighter a"]],
  [{ a: digits("-?", 3, 2) }, { a: digits("", 3, 2) }, ["!tighter a"]],
  [{ a: digits("", 3, 2) }, { a: digits("-?", 3, 2) }, ["looser a"]],
  [{ a: { ...amount, ...digits("", 3, 2) } }, { a: { ...amount, ...digits("", 3, 1) } }, ["!tighter a"]],
  [{ a: { type: "array", items: text } }, { a: { type: "array", items: text, maxItems: 2 } }, ["!tighter a"]],
  [{ a: { type: "array", items: text } }, { a: { type: "array", items: { type: "boolean" } } }, ["!type a.*"]],
  [{ a: { type: "number", multipleOf: 0.1 } }, { a: { type: "number", multipleOf: 0.01 } }, ["looser a"]],
  [{ a: { type: "number", multipleOf: 0.01 } }, { a: { type: "number", multipleOf: 0.1 } }, ["!tighter a"]],
  [{ a: { type: "integer", multipleOf: 2 } }, { a: { type: "integer", multipleOf: 1 } }, ["looser a"]],
  [{ a: { type: "integer", multipleOf: 2 } }, { a: { type: "integer", multipleOf: 3 } }, ["!tighter a"]],
  [{ a: { type: "integer" } }, { a: { type: "integer", multipleOf: 1 } }, []],
  [{ a: { type: "number" } }, { a: { type: "number", multipleOf: 1 } }, ["!tighter a"]],
  [{ a: { type: "integer" } }, { a: { type: "number", multipleOf: 0.5 } }, ["type a"]],
  [{ a: { ...text, format: "date" } }, { a: text }, ["type a"]],
  [{ a: { ...text, format: "decimal" } }, { a: text }, ["type a"]],
  [{ a: { ...text, format: "date-time" } }, { a: { ...text, maxLength: 10 } }, ["!type a"]],
  [{ a: { ...text, format: "date" } }, { a: { ...text, minLength: 2 } }, ["!type a"]],
  [{ a: { type: "integer", exclusiveMinimum: 0 } }, { a: { type: "integer", minimum: 1 } }, []],
  [{ a: { type: "integer", exclusiveMaximum: 9 } }, { a: { type: "integer", maximum: 8 } }, []],
  [{ a: { type: "integer", exclusiveMaximum: 9 } }, { a: { type: "integer", maximum: 7 } }, ["!tighter a"]],
  [{ a: ruled() }, { a: ruled({ code: "r", kind: "forbids-together", fields: ["x", "y"] }) }, ["!tighter a"]],
  [{ a: ruled(PATTERN_RULE) }, { a: ruled({ ...PATTERN_RULE, pattern: "^Y" }) }, ["!tighter a"]],
  [{ a: ruled(PATTERN_RULE) }, { a: ruled({ ...PATTERN_RULE, severity: "warning" }) }, ["looser a"]],
  [{ a: ruled(PATTERN_RULE) }, { a: ruled({ ...PATTERN_RULE, message: "other" }) }, []],
  [{ a: ruled(PATTERN_RULE) }, { a: ruled() }, ["looser a"]],
  [{ a: dateTime }, { a: { ...dateTime, "x-sent-as-given": true } }, ["looser a"]],
  [{ a: text }, { a: { ...text, deprecated: true } }, ["deprecated a"]],
  [{ a: text }, { a: { ...text, readOnly: true } }, ["!tighter a"]],
  [
    { a: { ...thing({}), additionalProperties: true } },
    { a: { ...thing({}), additionalProperties: false } },
    ["!tighter a"],
  ],
  [{ a: text }, { a: { ...text, "x-validators": [{ possible_errors: ["bad_a"] }] } }, ["codes-added a"]],
  [
    { a: { oneOf: [thing({ x: text }), thing({ y: text })] } },
    { a: { oneOf: [thing({ x: text }), thing({ y: choice("Y") })] } },
    ["!type a.y (option 2)"],
  ],
  [{ a: { oneOf: [thing({ x: text }), thing({ y: text })] } }, { a: { oneOf: [thing({ x: text })] } }, ["!type a"]],
];

describe("comparing two contracts", () => {
  it.each(CASES)("lists every change: %j -> %j", (old, next, expected) => {
    expect(changes(old, next)).toEqual(expected);
  });

  it("suggests that a removed field was renamed to a similar added field", () => {
    const [removed] = diffContracts(contractOf({ postcode: text }), contractOf({ post_code: text }), undefined);
    expect(removed).toMatchObject({ kind: "field-removed", text: 'was removed; perhaps renamed to "post_code"' });
  });

  it.each([
    ["a renamed schema", { R: thing({ x: text }) }],
    ["a schema that refers to another schema", { S: { $ref: "#/components/schemas/R" }, R: thing({ x: text }) }],
  ])("matches equal alternatives with different names: %s", (_, schemas) => {
    const other = thing({ y: text });
    const [first] = Object.keys(schemas);
    const choiceOf = (name: string): object => ({ a: { anyOf: [{ $ref: `#/components/schemas/${name}` }, other] } });
    const old = contractOf(choiceOf("S"), { schemas: { S: thing({ x: text }) } });
    expect(diffContracts(old, contractOf(choiceOf(first ?? ""), { schemas }), undefined)).toEqual([]);
    const narrower = contractOf(choiceOf("R"), { schemas: { R: thing({ x: choice("X") }) } });
    expect(diffContracts(old, narrower, undefined).map(({ text: words }) => words)).toEqual([
      'the alternative "S" was removed',
      'the alternative "R" is new',
    ]);
  });

  it("matches operations by address, then by id, and lists added and removed operations", () => {
    const old = loadContract([{ file: "c.yaml", text: OWN }]);
    const next = (from: string, to: string): ReturnType<typeof loadContract> =>
      loadContract([{ file: "c.yaml", text: OWN.replace(from, to) }]);
    const describeDiff = (other: typeof old): readonly string[] =>
      diffContracts(old, other, undefined).map(({ kind, operation, text: words }) => `${kind} ${operation}: ${words}`);
    expect(describeDiff(next("operationId: create-notes", "operationId: add-notes"))).toEqual([
      "operation-changed create-notes: operation id: add-notes, previously create-notes",
    ]);
    expect(describeDiff(next("/data-import/notes/:", "/data-import/remarks/:"))).toEqual([
      "operation-changed create-notes: address: POST /data-import/remarks/, previously POST /data-import/notes/",
    ]);
    const gone = loadContract([{ file: "c.yaml", text: "openapi: 3.0.3\ninfo: {}\npaths: {}\n" }]);
    expect(diffContracts(old, gone, undefined)).toMatchObject(
      Array.from({ length: old.operations.length }, () => ({ kind: "operation-removed", breaks: true })),
    );
    expect(diffContracts(gone, old, undefined)).toMatchObject(
      Array.from({ length: old.operations.length }, () => ({ kind: "operation-added", breaks: false })),
    );
  });

  it("terminates for recursive types", () => {
    const [old, next] = [{}, { maxLength: 3 }].map((more) =>
      contractOf({ tree: { $ref: "#/components/schemas/Tree" } }, { schemas: treeOf(more) }),
    );
    if (old === undefined || next === undefined) throw new Error("no contracts");
    expect(diffContracts(old, next, undefined).map(({ attr }) => attr)).toEqual(["tree.name"]);
  });
});

describe("the project's own contract after a change", () => {
  const old = loadContract([{ file: "c.yaml", text: OWN }]);
  const body = old.operations.find(({ id }) => id === "import-account")?.body;
  if (body === undefined) throw new Error("no body");

  it("accepts every payload of the old contract, unless a change is reported as breaking", () => {
    const runs = campaignSize({ part: 8, whole: 40 });
    let harmless = 0;
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (site, how) => {
        const next = loadContract([{ file: "c.yaml", text: stringify(withChange(parse(OWN), site, how)) }]);
        const successor = next.operations.find(({ id }) => id === "import-account")?.body;
        const found = diffContracts(old, next, new Set(["import-account"]));
        if (successor === undefined || found.some(({ breaks }) => breaks)) return;
        harmless += 1;
        const validate = compileValidator(successor, { keepValues: false });
        for (const payload of fc.sample(validPayload(body), { numRuns: 30, seed: site })) {
          expect(validate(payload).filter(({ severity }) => severity === "error")).toEqual([]);
        }
      }),
      { numRuns: runs, seed: 20_240_229 },
    );
    expect(harmless).toBeGreaterThan(runs / 6);
  });
});

function treeOf(more: object): object {
  return { Tree: thing({ name: { ...text, ...more }, inner: { $ref: "#/components/schemas/Tree" } }) };
}

/** Changes or removes one keyword or property of the components. Modifies the document and returns it. */
function withChange(document: JsonValue, site: number, how: number): JsonValue {
  const sites: (() => void)[] = [];
  const visit = (value: JsonValue, name: string | undefined): void => {
    if (isJsonArray(value)) for (const item of value) visit(item, undefined);
    if (!isJsonObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      sites.push(...changesAt(value, key, name === "properties" ? -1 : how));
      visit(member, key);
    }
  };
  if (isJsonObject(document)) visit(document["components"] ?? {}, undefined);
  sites[site % sites.length]?.();
  return document;
}

/** Returns the change to a member, if there is one. A negative `how` marks a property, which can only be removed. */
function changesAt(holder: Record<string, JsonValue>, key: string, how: number): readonly (() => void)[] {
  const member = holder[key];
  const change = (value: JsonValue) => () => void (holder[key] = value);
  if (how < 0 || ["nullable", "format", "pattern"].includes(key)) return [() => void delete holder[key]];
  if (typeof member === "number") return [change(Math.max(0, member + (how % 3) - 1))];
  return (key === "enum" || key === "required") && isJsonArray(member) ? [change(shortened(member))] : [];
}

function shortened(list: readonly JsonValue[]): JsonValue {
  return list.length > 1 ? list.slice(1) : list;
}
