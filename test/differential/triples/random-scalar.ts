import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import { definedMembers } from "../../../src/json/defined-members.ts";
import { type Draw, times } from "./draw.ts";
import { digits, letters, words } from "./random-texts.ts";

type ScalarKind =
  | "text"
  | "decimal"
  | "integer"
  | "number"
  | "boolean"
  | "date"
  | "datetime"
  | "time"
  | "choice"
  | "any"
  | "union";

export interface ScalarSpec {
  readonly kind: ScalarKind;
  readonly schema: JsonObject;
  /** Generates a valid value as the text of a cell. */
  readonly good: (draw: Draw) => string;
  /** Whether almost any text is valid. */
  readonly isLoose: boolean;
}

/** Generates a valid value as a constant of a mapping. */
export function constantFor(spec: ScalarSpec, draw: Draw): string | number | boolean {
  const text = spec.good(draw);
  if (spec.kind === "integer" || spec.kind === "number") return Number(text);
  if (spec.kind === "boolean") return text.toLowerCase() === "true";
  return text;
}

export function randomScalar(draw: Draw): ScalarSpec {
  const make = draw.pick([
    randomText,
    randomText,
    randomText,
    randomText,
    formattedText,
    randomDecimal,
    randomDecimal,
    randomInteger,
    randomNumber,
    randomBoolean,
    randomTime,
    randomTime,
    randomChoice,
    randomChoice,
    randomAny,
  ]);
  const spec = make(draw);
  draw.note(`type ${spec.kind}`);
  return spec;
}

interface PatternCase {
  readonly pattern: string;
  readonly good: (draw: Draw) => string;
}

const PATTERNS: readonly PatternCase[] = [
  { pattern: "^[A-Z]{2,4}$", good: (draw) => letters(draw, 2, 4).toUpperCase() },
  { pattern: "^\\d{3,6}$", good: (draw) => digits(draw, 3, 6) },
  { pattern: "^[a-z]+(?:-[a-z]+)*$", good: (draw) => `${letters(draw, 1, 3)}-${letters(draw, 1, 3)}` },
  { pattern: "[0-9]", good: (draw) => `${letters(draw, 0, 3)}${digits(draw, 1, 2)}` },
  { pattern: "^.{2,8}$", good: (draw) => words(draw, 2, 8) },
  { pattern: "^\\S+$", good: (draw) => letters(draw, 1, 9) },
  { pattern: "^(?:AB|CD)\\d?$", good: (draw) => `${draw.pick(["AB", "CD"])}${digits(draw, 0, 1)}` },
  { pattern: "^\\p{Lu}\\p{L}*$", good: (draw) => `${draw.pick(["A", "É", "Ω"])}${letters(draw, 0, 4)}` },
  { pattern: "^$|^x", good: (draw) => `x${letters(draw, 0, 3)}` },
];

export function randomText(draw: Draw): ScalarSpec {
  return draw.chance(0.2) ? textWithPattern(draw) : textWithLimits(draw);
}

function textWithPattern(draw: Draw): ScalarSpec {
  const { pattern, good } = draw.pick(PATTERNS);
  draw.note("text pattern");
  const longest = draw.chance(0.2) ? { maxLength: 8 } : {};
  return { kind: "text", schema: { type: "string", pattern, ...longest }, good, isLoose: false };
}

function textWithLimits(draw: Draw): ScalarSpec {
  const minLength = draw.chance(0.25) ? draw.pick([0, 1, 2, 3]) : undefined;
  const lowest = Math.max(1, minLength ?? 1);
  const maxLength = draw.chance(0.5) ? Math.max(lowest, draw.pick([1, 2, 3, 5, 8, 12, 30])) : undefined;
  if (minLength !== undefined) draw.note("text minLength");
  if (maxLength !== undefined) draw.note("text maxLength");
  const refused = draw.chance(0.04) ? { not: { enum: ["abc", "x"] } } : {};
  return {
    kind: "text",
    schema: { type: "string", ...definedMembers({ minLength, maxLength }), ...refused },
    good: (from) => words(from, lowest, Math.min(maxLength ?? 12, 12)),
    isLoose: lowest < 2 && (maxLength ?? 30) >= 30,
  };
}

const HEX_DIGITS = "0123456789abcdef".split("");

function hex(draw: Draw, count: number): string {
  return times(count, () => draw.pick(HEX_DIGITS)).join("");
}

function formattedText(draw: Draw): ScalarSpec {
  const format = draw.pick(["email", "uuid", "uri", "document"]);
  draw.note(`text ${format}`);
  const schema: JsonObject =
    format === "document" ? { type: "string", "x-document-path": true } : { type: "string", format };
  const good: Readonly<Record<string, ScalarSpec["good"]>> = {
    email: (from) => `${letters(from, 1, 5)}.${letters(from, 1, 3)}@${letters(from, 2, 5)}.example`,
    uuid: (from) => [8, 4, 4, 4, 12].map((count) => hex(from, count)).join("-"),
    uri: (from) => `https://${letters(from, 2, 5)}.example/${digits(from, 1, 3)}?q=${letters(from, 1, 3)}`,
    document: (from) => `${letters(from, 1, 4)}/${digits(from, 1, 3)}.pdf`,
  };
  return { kind: "text", schema, good: good[format] ?? (() => ""), isLoose: false };
}

function randomDecimal(draw: Draw): ScalarSpec {
  const [whole, places] = [draw.between(1, 6), draw.between(0, 3)];
  const form = draw.pick(["pattern", "digits", "limits", "other pattern", "open"]);
  draw.note(`decimal ${form}`);
  const sign = draw.chance(0.6) ? "-?" : "";
  const extra: Readonly<Record<string, JsonObject>> = {
    pattern: { pattern: `^${sign}\\d{0,${whole}}(?:\\.\\d{0,${places}})?$` },
    digits: { "x-max-digits": whole + places, "x-max-decimal-places": places },
    limits: { minimum: 0, maximum: 10 ** whole, ...(draw.chance(0.3) && { multipleOf: 0.5 }) },
    "other pattern": { pattern: "^\\d+\\.\\d{2}$" },
    open: {},
  };
  const good = (from: Draw): string => {
    if (form === "other pattern") return `${from.between(0, 999)}.${digits(from, 2, 2)}`;
    const isStepped = form === "limits" && extra["limits"]?.["multipleOf"] !== undefined;
    const fraction = isStepped
      ? from.pick(["", ".5", ".50"])
      : places === 0 || from.chance(0.4)
        ? ""
        : `.${digits(from, 1, places)}`;
    const minus = (form === "pattern" && sign !== "") || form === "open" ? from.pick(["", "", "-"]) : "";
    return `${minus}${from.between(0, 10 ** from.between(1, whole) - 1)}${fraction}`;
  };
  return { kind: "decimal", schema: { type: "string", format: "decimal", ...extra[form] }, good, isLoose: false };
}

function limits(draw: Draw): { readonly schema: JsonObject; readonly low: number; readonly high: number } {
  const low = draw.chance(0.4) ? draw.pick([-5, 0, 1, 10]) : undefined;
  const high = draw.chance(0.4) ? (low ?? 0) + draw.pick([5, 100, 9999]) : undefined;
  const schema = { ...(low !== undefined && { minimum: low }), ...(high !== undefined && { maximum: high }) };
  return { schema, low: low ?? (high ?? 0) - 50, high: high ?? (low ?? 0) + 1000 };
}

function randomInteger(draw: Draw): ScalarSpec {
  const { schema, low, high } = limits(draw);
  const format = draw.chance(0.2) ? { format: draw.pick(["int32", "int64"]) } : {};
  const good = (from: Draw): string => String(from.chance(0.15) ? from.pick([low, high]) : from.between(low, high));
  return { kind: "integer", schema: { type: "integer", ...format, ...schema }, good, isLoose: false };
}

function randomNumber(draw: Draw): ScalarSpec {
  const { schema, low, high } = limits(draw);
  const step = draw.chance(0.2) ? { multipleOf: 0.25 } : {};
  const good = (from: Draw): string => String(Math.min(high, from.between(low, high) + from.pick([0, 0, 0.25, 0.5])));
  return { kind: "number", schema: { type: "number", ...schema, ...step }, good, isLoose: false };
}

const BOOLEANS = ["true", "false", "true", "false", "TRUE", "False"];

function randomBoolean(): ScalarSpec {
  return { kind: "boolean", schema: { type: "boolean" }, good: (draw) => draw.pick(BOOLEANS), isLoose: false };
}

export function isoDay(draw: Draw): string {
  const [month, day] = [draw.between(1, 12), draw.between(1, 28)];
  return `${draw.between(1970, 2030)}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

export function timeOfDay(draw: Draw): string {
  return `${String(draw.between(3, 22)).padStart(2, "0")}:${String(draw.between(0, 59)).padStart(2, "0")}`;
}

function randomTime(draw: Draw): ScalarSpec {
  const kind = draw.pick(["date", "date", "datetime", "datetime", "time"] as const);
  if (kind === "date") return { kind, schema: { type: "string", format: "date" }, good: isoDay, isLoose: false };
  if (kind === "time") return { kind, schema: { type: "string", format: "time" }, good: timeOfDay, isLoose: false };
  const isGiven = draw.chance(0.3);
  if (isGiven) draw.note("datetime x-sent-as-given");
  const ends = ["Z", "Z", "Z", "+01:00", "-05:30", ".5Z", ".000Z", "z"];
  const good = (from: Draw): string => `${isoDay(from)}T${timeOfDay(from)}:00${from.pick(ends)}`;
  const asGiven = isGiven ? { "x-sent-as-given": true } : {};
  return { kind, schema: { type: "string", format: "date-time", ...asGiven }, good, isLoose: false };
}

function randomChoice(draw: Draw): ScalarSpec {
  const [choices, type] = draw.pick<readonly [readonly JsonValue[], string]>([
    [["ONE", "TWO", "THREE"], "string"],
    [["A", "B", ""], "string"],
    [["Zoë", "a b", "1"], "string"],
    [[1, 2, 30], "integer"],
    [["ELECTRICITY"], "string"],
  ]);
  if (type === "integer") draw.note("choice of numbers");
  const texts = choices.map(String).filter((text) => text !== "");
  return { kind: "choice", schema: { type, enum: choices }, good: (from) => from.pick(texts), isLoose: false };
}

function randomAny(draw: Draw): ScalarSpec {
  const [kind, schema] = draw.pick<readonly [ScalarKind, JsonObject]>([
    ["any", {}],
    [
      "union",
      {
        anyOf: [
          { type: "integer", minimum: 0 },
          { type: "string", maxLength: 8 },
        ],
      },
    ],
    ["union", { oneOf: [{ type: "string", format: "date" }, { type: "boolean" }] }],
    [
      "union",
      {
        anyOf: [
          { type: "string", format: "date-time" },
          { type: "string", pattern: "^[A-Z]+$" },
        ],
      },
    ],
  ]);
  const { oneOf } = schema;
  const good = (from: Draw): string => (oneOf !== undefined ? isoDay(from) : letters(from, 1, 6).toUpperCase());
  return { kind, schema, good, isLoose: false };
}
