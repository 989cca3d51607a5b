import { describe, expect, it } from "vitest";
import { describeConstraints } from "../../../src/contract/describe/describe-type.ts";
import { compileValueCheck } from "../../../src/validate/compile-validator.ts";
import { fieldOf } from "../contract-of.ts";

describe("text", () => {
  it("has limits, a pattern and a format", () => {
    const { type, findings } = fieldOf({
      type: "string",
      minLength: 2,
      maxLength: 5,
      pattern: "^[a-z]+$",
      format: "email",
    });
    expect(type).toMatchObject({ kind: "text", minLength: 2, maxLength: 5, format: "email", allowBlank: false });
    expect(type).toHaveProperty("pattern", /^[a-z]+$/u);
    expect(findings).toEqual([]);
  });

  it("may be blank only with an explicit minLength: 0", () => {
    expect(fieldOf({ type: "string" }).type).toMatchObject({ allowBlank: false });
    expect(fieldOf({ type: "string", minLength: 0 }).type).toMatchObject({ allowBlank: true });
  });

  it("may be a document path", () => {
    expect(fieldOf({ type: "string", "x-document-path": true }).type).toMatchObject({ documentPath: true });
  });

  it.each(["email", "uuid", "uri"])("supports the format %s", (format) => {
    const { type, findings } = fieldOf({ type: "string", format });
    expect(type).toMatchObject({ kind: "text", format });
    expect(findings).toEqual([]);
  });

  it("reports an unsupported format", () => {
    expect(fieldOf({ type: "string", format: "ipv4" }).findings).toEqual(["warning unknown-format"]);
    expect(fieldOf({ type: "string", format: "password" }).findings).toEqual([]);
  });

  it("accepts patterns with and without the unicode flag, and reports invalid patterns", () => {
    expect(fieldOf({ type: "string", pattern: "^\\p{Lu}$" }).type).toHaveProperty("pattern", /^\p{Lu}$/u);
    expect(fieldOf({ type: "string", pattern: "^\\_$" }).type).toHaveProperty("pattern", new RegExp("^\\_$"));
    const { type, findings } = fieldOf({ type: "string", pattern: "(" });
    expect(type).not.toHaveProperty("pattern");
    expect(findings).toEqual(["error bad-pattern"]);
  });
});

describe("dates", () => {
  it.each([
    ["date", "date"],
    ["date-time", "datetime"],
    ["time", "time"],
  ])("with the format %s have the type %s", (format, kind) => {
    expect(fieldOf({ type: "string", format }).type.kind).toBe(kind);
  });

  it("keep limits of strings as assertions, and report limits of other types", () => {
    const { type, findings } = fieldOf({ type: "string", format: "date", maxLength: 10 });
    expect(type).toMatchObject({ kind: "date", assertions: [{ schema: { allOf: [{ maxLength: 10 }] } }] });
    expect(findings).toEqual([]);
    expect(fieldOf({ type: "string", format: "date", minimum: 10 }).findings).toEqual(["warning not-enforced"]);
  });
});

describe("decimals", () => {
  it("derive their digit limits from the pattern that operators usually write", () => {
    const { type } = fieldOf({ type: "string", format: "decimal", pattern: "^-?\\d{0,10}(?:\\.\\d{0,2})?$" });
    expect(type).toMatchObject({ kind: "decimal", maxDigits: 12, maxDecimalPlaces: 2, maxWholeDigits: 10 });
  });

  it("take their digit limits from x-max-digits and x-max-decimal-places", () => {
    const { type, findings } = fieldOf({
      type: "string",
      format: "decimal",
      "x-max-digits": 8,
      "x-max-decimal-places": 3,
      minimum: 0,
    });
    expect(type).toMatchObject({
      maxDigits: 8,
      maxDecimalPlaces: 3,
      maxWholeDigits: 5,
      minimum: { value: 0, exclusive: false },
    });
    expect(findings).toEqual([]);
  });

  it("keep any other pattern", () => {
    const { type } = fieldOf({ type: "string", format: "decimal", pattern: "^\\d+\\.\\d\\d$" });
    expect(type).toHaveProperty("pattern", /^\d+\.\d\d$/u);
    expect(type).not.toHaveProperty("maxDigits");
  });
});

describe("numbers", () => {
  it("support the limits of OpenAPI 3.0 and 3.1", () => {
    const old = {
      type: "integer",
      minimum: 1,
      exclusiveMinimum: true,
      maximum: 9,
      exclusiveMaximum: false,
      multipleOf: 2,
    };
    expect(fieldOf(old).type).toMatchObject({
      kind: "integer",
      minimum: { value: 1, exclusive: true },
      maximum: { value: 9, exclusive: false },
      multipleOf: 2,
    });
    const { type, findings } = fieldOf(
      { type: "number", minimum: 0, exclusiveMinimum: 0, exclusiveMaximum: 1.5 },
      { openapi: "3.1.0" },
    );
    expect(type).toMatchObject({
      kind: "number",
      minimum: { value: 0, exclusive: true },
      maximum: { value: 1.5, exclusive: true },
    });
    expect(findings).toEqual([]);
  });

  it("with the format int32 are limited to 32 bits", () => {
    const { type, findings } = fieldOf({ type: "integer", format: "int32", minimum: 0 });
    expect(type).toMatchObject({ minimum: { value: 0 }, maximum: { value: 2_147_483_647 } });
    expect(findings).toEqual([]);
  });

  it("are compared exactly with limits of many digits", () => {
    const { type, findings } = fieldOf({ type: "string", format: "decimal", maximum: "9223372036854775807" });
    expect(findings).toEqual([]);
    expect(describeConstraints(type)).toContain("at most 9223372036854775807");
    const isRight = compileValueCheck(type, { keepValues: false });
    expect(["9223372036854775807", "9223372036854775808"].map(isRight)).toEqual([true, false]);
  });

  it.each([
    [{ maximum: "1e400000000" }, [0, Number.MAX_VALUE], []],
    [{ minimum: "-1e400000000" }, [0, -Number.MAX_VALUE], []],
    [{ maximum: "-1e400000000" }, [], [0, -Number.MAX_VALUE]],
    [{ minimum: "1e400000000" }, [], [0, Number.MAX_VALUE]],
    [{ minimum: "1e-400000000" }, [Number.MIN_VALUE, 1], [0, -1]],
    [{ exclusiveMaximum: "1e-400000000" }, [0, -1], [Number.MIN_VALUE]],
  ])("are compared with a limit that has a very large exponent: %j", (limit, right, wrong) => {
    for (const schema of [
      { type: "number", ...limit },
      { type: "number", not: { not: limit } },
    ]) {
      const { type, findings } = fieldOf(schema, { openapi: "3.1.0" });
      expect(findings).toEqual([]);
      const isRight = compileValueCheck(type, { keepValues: false });
      expect([...right.map(isRight), ...wrong.map(isRight)]).toEqual([
        ...right.map(() => true),
        ...wrong.map(() => false),
      ]);
    }
  });

  it("in decimal strings are compared with a limit that has a very large exponent", () => {
    const { type } = fieldOf({ type: "string", format: "decimal", maximum: "1e400000000", minimum: "1e-400000000" });
    const isRight = compileValueCheck(type, { keepValues: false });
    expect(["9".repeat(1000), `0.${"0".repeat(900)}1`, "0", "-1"].map(isRight)).toEqual([true, true, false, false]);
  });

  it("in a length limit may have a very large exponent, because no string reaches such a limit", () => {
    const schema = { type: "string", maxLength: "1e400000000" };
    expect(fieldOf(schema).findings).toEqual([]);
    expect(fieldOf({ enum: ["a"], ...schema }).findings).toEqual([]);
    expect(fieldOf({ type: "number", multipleOf: "1e400000000" }).findings).toEqual(["warning not-enforced"]);
  });

  it.each([{ maximum: "9" }, { multipleOf: 0 }, { exclusiveMinimum: true }, { minLength: 1 }])(
    "cause a finding for %j",
    (keyword) => {
      expect(fieldOf({ type: "number", ...keyword }).findings).toHaveLength(1);
    },
  );
});

describe("choices", () => {
  it("may be strings, numbers or blank", () => {
    expect(fieldOf({ enum: ["A", "", 0, 25] }).type).toMatchObject({
      kind: "choice",
      choices: ["A", "", 0, 25],
      nullable: false,
    });
    expect(fieldOf({ type: "integer", enum: [0, 25] }).findings).toEqual([]);
    expect(fieldOf({ const: "A" }, { openapi: "3.1.0" }).type).toMatchObject({ kind: "choice", choices: ["A"] });
  });

  it("with null are nullable if the type allows null", () => {
    const nullable = { type: "string", nullable: true, enum: ["A", null] };
    expect(fieldOf(nullable).type).toMatchObject({ nullable: true, choices: ["A"] });
    expect(fieldOf({ enum: ["A", null] }).type).toMatchObject({ nullable: true, choices: ["A"] });
    const { type, findings } = fieldOf({ type: "string", enum: ["A", null] });
    expect(type).toMatchObject({ nullable: false });
    expect(findings).toEqual(["warning null-choice"]);
  });

  it("allow only null if the parts of the type have only null in common", () => {
    const allOf = [{ type: ["string", "null"] }, { type: ["integer", "null"] }];
    const { type } = fieldOf({ allOf, enum: ["A", null] }, { openapi: "3.1.0" });
    expect(type).toMatchObject({ kind: "choice", choices: [], nullable: true });
  });

  it("are contradictions if they do not match their type", () => {
    const { type, findings } = fieldOf({ type: "integer", enum: [1, "2"] });
    expect(type).toMatchObject({ choices: [1] });
    expect(findings).toEqual(["error contradiction"]);
  });

  it.each([
    [{ type: "string", enum: [{ x: 1 }] }, "no value is valid"],
    [{ type: "integer", const: [1] }, "no value is valid"],
    [{ type: "string", enum: ["ab", { x: 1 }] }, "it is never valid"],
    [{ type: "object", enum: [{ x: 1 }, "ab"] }, "it is never valid"],
    [{ type: ["object", "string"], enum: [{ x: 1 }, [1]] }, "it is never valid"],
  ])(
    "are contradictions if an object or a list is among the choices and does not match the type: %j",
    (schema, text) => {
      const { findings, messages } = fieldOf(schema, { openapi: "3.1.0" });
      expect(findings).toEqual(["error contradiction"]);
      expect(messages[0]).toMatch(new RegExp(`^the choice .* is not of type .*; ${text}$`));
    },
  );

  it("may be objects and lists if the type allows them", () => {
    for (const schema of [
      { type: "object", enum: [{ x: 1 }] },
      { type: "array", const: [1] },
      { enum: [{ x: 1 }, "a"] },
    ])
      expect(fieldOf(schema).findings).toEqual([]);
  });

  it("replace other limits on strings, but a limit that excludes a choice is kept as an assertion", () => {
    expect(fieldOf({ type: "string", enum: ["A", "B"], maxLength: 1 }).type).not.toHaveProperty("assertions");
    const { type, findings } = fieldOf({ type: "string", enum: ["A", "BB"], maxLength: 1 });
    expect(type).toMatchObject({ kind: "choice", assertions: [{ schema: { allOf: [{ maxLength: 1 }] } }] });
    expect(findings).toEqual([]);
  });
});
