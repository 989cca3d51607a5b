import fc from "fast-check";
import type {
  DecimalType,
  FieldType,
  ListType,
  NumberType,
  NumericLimit,
  ObjectType,
  TextType,
  UnionType,
} from "../src/contract/types/field-type.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../src/json/json-value.ts";
import { mutate } from "./payload-mutation.ts";
import { matcherOf } from "../src/text/linear-pattern.ts";

/** Generates valid payloads with random optional fields, short lists and limited recursion. */
export function validPayload(type: FieldType): fc.Arbitrary<JsonObject> {
  return valueOf(type, 0).filter(isJsonObject);
}

/** Generates valid payloads with one to three mutations that are typical of extracts. */
export function mutatedPayload(type: FieldType): fc.Arbitrary<JsonObject> {
  const picks = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 });
  return fc
    .tuple(validPayload(type), picks)
    .map(([payload, chosen]) =>
      chosen.reduce((mutated, [site, mutation]) => mutate(mutated, type, { site, mutation }), payload),
    );
}

/** The depth from which optional fields are omitted. */
const DEEP = 8;

function valueOf(type: FieldType, depth: number): fc.Arbitrary<JsonValue> {
  const present = presentValueOf(type, depth);
  return type.nullable ? fc.option(present, { freq: 6 }) : present;
}

function presentValueOf(type: FieldType, depth: number): fc.Arbitrary<JsonValue> {
  if (type.kind === "object") return objectOf(type, depth);
  if (type.kind === "list") return listOf(type, depth);
  if (type.kind === "union") return unionOf(type, depth);
  if (type.kind === "text") return textOf(type);
  if (type.kind === "decimal") return decimalOf(type);
  if (type.kind === "choice") return fc.constantFrom(...type.choices);
  if (type.kind === "integer" || type.kind === "number") return numberOf(type);
  return PLAIN[type.kind];
}

function objectOf(type: ObjectType, depth: number): fc.Arbitrary<JsonObject> {
  const fields = [...type.properties.values()].filter(
    ({ readOnly, required }) => !readOnly && (required || depth < DEEP),
  );
  const values = Object.fromEntries(fields.map((field) => [field.name, valueOf(field.type, depth + 1)]));
  const requiredKeys = fields.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(values, { requiredKeys, noNullPrototype: true });
}

function listOf(type: ListType, depth: number): fc.Arbitrary<JsonValue> {
  const minLength = type.minItems ?? 0;
  const maxLength = Math.min(type.maxItems ?? Infinity, minLength + 1);
  const items = valueOf(type.items, depth + 1);
  const lengths = { minLength, maxLength };
  if (!type.uniqueItems) return fc.array(items, lengths);
  return fc.uniqueArray(items, { ...lengths, selector: (item) => JSON.stringify(item) });
}

function unionOf({ options, discriminator }: UnionType, depth: number): fc.Arbitrary<JsonValue> {
  if (discriminator === undefined) return fc.oneof(...options.map((option) => valueOf(option, depth)));
  const { property, mapping } = discriminator;
  const tagged = [...mapping].map(([tag, option]) =>
    objectOf(option, depth).map((value) => (tag === "null" ? value : { ...value, [property]: tag })),
  );
  return fc.oneof(...tagged);
}

const WORDS = fc.constantFrom("Ann", "O'Brien", "Zoë", "00123", "7 High Street", "京都", "👩‍🔧", "=SUM(A1)", "a  b");

function textOf(type: TextType): fc.Arbitrary<string> {
  return rawTextOf(type).filter((text) => fits(text, type));
}

function rawTextOf({ format, pattern, documentPath }: TextType): fc.Arbitrary<string> {
  if (format === "uuid") return fc.uuid();
  if (format === "email")
    return fc.tuple(fc.stringMatching(/^[a-z0-9]{1,12}$/), WORDS).map(([name]) => `${name}@example.com`);
  if (format === "uri") return fc.webUrl();
  if (documentPath) return fc.array(fc.stringMatching(/^[a-z0-9_-]{1,8}$/), { minLength: 1, maxLength: 3 }).map(pathOf);
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern.source));
  return fc.oneof({ arbitrary: WORDS, weight: 3 }, fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }));
}

function pathOf(segments: readonly string[]): string {
  return `${segments.join("/")}.pdf`;
}

function fits(text: string, { minLength = 0, maxLength = Infinity, pattern }: TextType): boolean {
  const length = Array.from(text).length;
  const isLongEnough = text.trim() === text && text !== "" && length >= minLength;
  return isLongEnough && length <= maxLength && (pattern === undefined || matcherOf(pattern)(text));
}

function decimalOf(type: DecimalType): fc.Arbitrary<string> {
  const places = type.maxDecimalPlaces ?? 4;
  const whole = Math.min(type.maxWholeDigits ?? 8, (type.maxDigits ?? 8 + places) - places, 8);
  return fc
    .tuple(fc.boolean(), fc.nat({ max: 10 ** whole - 1 }), fc.nat({ max: places }), fc.nat({ max: 9 }))
    .map(([negative, number, width, digit]) => {
      const sign = negative ? "-" : "";
      return width === 0 ? `${sign}${number}` : `${sign}${number}.${String(digit).repeat(width)}`;
    })
    .filter((text) => (type.pattern === undefined || matcherOf(type.pattern)(text)) && isWithin(Number(text), type));
}

function numberOf(type: NumberType): fc.Arbitrary<number> {
  const step = type.multipleOf ?? (type.kind === "integer" ? 1 : 0.25);
  const least = Math.ceil((type.minimum?.value ?? -1000) / step);
  const most = Math.floor((type.maximum?.value ?? least + 1000) / step);
  return fc
    .integer({ min: least, max: most })
    .map((steps) => steps * step)
    .filter((value) => isWithin(value, type));
}

function isWithin(value: number, { minimum, maximum }: { minimum?: NumericLimit; maximum?: NumericLimit }): boolean {
  const above = minimum === undefined || value > minimum.value || (!minimum.exclusive && value === minimum.value);
  return above && (maximum === undefined || value < maximum.value || (!maximum.exclusive && value === maximum.value));
}

/** Date-times in this range are valid with any of the offsets below. */
const INSTANTS = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-31"), noInvalidDate: true });

const PLAIN = {
  any: fc.constantFrom<JsonValue>("anything", 1, true, null),
  boolean: fc.boolean(),
  date: INSTANTS.map((instant) => instant.toISOString().slice(0, 10)),
  datetime: fc
    .tuple(INSTANTS, fc.constantFrom("Z", "z", ".000Z", "+01:00", "-05:30"))
    .map(([instant, end]) => `${instant.toISOString().slice(0, 19)}${end}`),
  time: fc
    .tuple(INSTANTS, fc.constantFrom(5, 8, 12))
    .map(([instant, length]) => instant.toISOString().slice(11, 11 + length)),
};
