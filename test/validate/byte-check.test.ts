import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DecimalType, FieldType, TextType } from "../../src/contract/types/field-type.ts";
import { conversionTo, ConversionFailure } from "../../src/map/leaf/conversion.ts";
import { compileByteCheck, compileValueCheck } from "../../src/validate/compile-validator.ts";
import { decimal, text } from "./field-types.ts";

const limit = fc.nat(12);

/** Generates types with up to three of the options. */
function withSome<T>(options: readonly fc.Arbitrary<Partial<T>>[], typeOf: (more: Partial<T>) => FieldType) {
  return fc
    .array(fc.oneof(...options), { maxLength: 3 })
    .map((parts) => typeOf(parts.reduce<Partial<T>>((all, part) => ({ ...all, ...part }), {})));
}

const textType = withSome<TextType>(
  [
    limit.map((minLength) => ({ minLength })),
    limit.map((maxLength) => ({ maxLength })),
    fc
      .constantFrom(/^[A-Z]+$/u, /^\d{2,4}$/u, /a/u, /^$/u, /^.{0,3}$/u, /^(?:GB)?\d+$/u)
      .map((pattern) => ({ pattern })),
    fc.constantFrom<Partial<TextType>[]>({ format: "email" }, { format: "uri" }, { format: "uuid" }),
    fc.constantFrom<Partial<TextType>[]>({ allowBlank: true }, { nullable: true }, { untyped: true }),
    fc.constantFrom<Partial<TextType>[]>({ documentPath: true }, { documentPath: "key" }),
    fc.constant({ assertions: [{ schema: { not: { const: "AB" } }, unevaluated: false }] }),
  ],
  text,
);

/** Decimal patterns in the form that contracts use. */
const digitsPattern = fc
  .tuple(fc.boolean(), fc.nat(6), fc.nat(4))
  .map(([signed, whole, places]) => new RegExp(`^${signed ? "-?" : ""}\\d{0,${whole}}(?:\\.\\d{0,${places}})?$`, "u"));
const bound = fc
  .tuple(fc.integer({ min: -100, max: 100 }), fc.boolean())
  .map(([value, exclusive]) => ({ value, exclusive }));
const decimalType = withSome<DecimalType>(
  [
    fc.nat(8).map((maxDigits) => ({ maxDigits })),
    fc.nat(4).map((maxDecimalPlaces) => ({ maxDecimalPlaces })),
    fc.nat(6).map((maxWholeDigits) => ({ maxWholeDigits })),
    digitsPattern.map((pattern) => ({ pattern })),
    fc.constantFrom(/^\d+$/u, /^-?\d+\.\d{2}$/u).map((pattern) => ({ pattern })),
    bound.map((minimum) => ({ minimum })),
    bound.map((maximum) => ({ maximum })),
    fc.constantFrom(0.5, 2, 0.01).map((multipleOf) => ({ multipleOf })),
  ],
  decimal,
);

const printable = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code));
const digits = fc.string({ unit: fc.constantFrom("0", "0", "1", "9"), maxLength: 8 });
const cell = fc
  .oneof(
    fc.constantFrom(
      "",
      "AB",
      "GB12",
      "12",
      "a@b.example",
      "https://a.example/",
      "a/b.pdf",
      "../a",
      "-",
      "+1",
      ".5",
      "1.",
    ),
    fc.string({ unit: printable, maxLength: 14 }),
    fc.string({ unit: fc.constantFrom("A", "B", "1", "2", " ", "a"), maxLength: 6 }),
    fc
      .tuple(fc.constantFrom("", "", "-", "+"), digits, fc.constantFrom("", "."), digits)
      .map((parts) => parts.join("")),
    fc.string({ unit: fc.constantFrom("1", "0"), minLength: 90, maxLength: 110 }),
  )
  .map((content) => content.trim());

/** Runs both checks of a type on a cell. `ofBytes` is undefined if the byte check cannot decide. */
function verdicts(
  type: FieldType,
  content: string,
): { readonly ofBytes: boolean | undefined; readonly ofValue: boolean } {
  const bytes = Buffer.from(`x${content}y`, "latin1");
  const value = conversionTo(type)(content);
  return {
    ofBytes: compileByteCheck(type)?.(bytes, 1, bytes.length - 1),
    ofValue: !(value instanceof ConversionFailure) && compileValueCheck(type, { keepValues: false })(value),
  };
}

describe("the byte check of a type", () => {
  it("never accepts a cell whose value has a problem", () => {
    let passed = 0;
    fc.assert(
      fc.property(fc.oneof(textType, decimalType), cell, (type, content) => {
        const { ofBytes, ofValue } = verdicts(type, content);
        if (ofBytes === true) passed += 1;
        expect(ofBytes === true && !ofValue).toBe(false);
      }),
      { numRuns: 3000 },
    );
    expect(passed).toBeGreaterThan(20);
  });

  it("counts the digits of a decimal before and after the point, like its pattern", () => {
    const type = decimal({ pattern: /^-?\d{0,4}(?:\.\d{0,2})?$/u });
    const passed = ["1", "1234", "-1234.56", "12345", "1.234", "-1.234"].filter((one) => verdicts(type, one).ofBytes);
    expect(passed).toEqual(["1", "1234", "-1234.56"]);
    const unsigned = decimal({ pattern: /^\d{0,4}(?:\.\d{0,2})?$/u });
    expect(verdicts(unsigned, "-1").ofBytes).toBe(false);
  });

  it("agrees with the value check on every string, unless it cannot decide", () => {
    fc.assert(
      fc.property(textType, cell, (type, content) => {
        const { ofBytes, ofValue } = verdicts(type, content);
        expect(ofBytes ?? ofValue).toBe(ofValue);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    [text({ maxLength: 3 }), "abc", true],
    [text({ maxLength: 3 }), "abcd", false],
    [text({ minLength: 2 }), "a", false],
    [text({ minLength: 2 }), "", false],
    [text({ allowBlank: true, minLength: 2 }), "", true],
    [text({ pattern: /^[A-Z]$/u }), "A", true],
    [text({ pattern: /^[A-Z]$/u }), "a", false],
    [text({ format: "email" }), "a@b.example", undefined],
    [text({ documentPath: true }), "a.pdf", undefined],
    [decimal({ pattern: /^-?\d{0,4}(?:\.\d{0,2})?$/u }), "-12.50", true],
    [decimal({ pattern: /^\d{0,4}(?:\.\d{0,2})?$/u }), "-12.50", false],
    [decimal({ maxDigits: 3 }), "12.50", false],
    [decimal({ maxDigits: 4 }), "12.50", true],
    [decimal(), "", false],
    [decimal(), "12.", false],
    [decimal(), "1x", false],
    [decimal({ maximum: { value: 3, exclusive: false } }), "2", undefined],
  ])("for the type %o and the cell %j returns %s", (type, content, expected) => {
    expect(verdicts(type, content).ofBytes).toBe(expected);
  });
});
