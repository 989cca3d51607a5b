import { invalidChoice } from "../../text/invalid-choice.ts";
import type { FieldType } from "../../contract/types/field-type.ts";
import { KIND_NAMES } from "../../contract/types/schema-keywords.ts";
import { type JsonObject, type JsonValue } from "../../json/json-value.ts";
import type { WrittenForm } from "../../model/problem.ts";
import { isZone, isoDate } from "../../time/zoned-time.ts";
import {
  type CellContent,
  type Constant,
  ConversionFailure,
  constantOf,
  conversionTo,
  notConvertible,
} from "./conversion.ts";
import { type DatePattern, type PatternTime, readDatePattern, utcWriter } from "./date-pattern.ts";
import type { LeafContext } from "../compile-context.ts";
import type { LeafOptions, Transform } from "./leaf-options.ts";
import type { LeafNode, OriginKind } from "../node/mapping-node.ts";
import { compileCall } from "./mapping-function.ts";
import { numberExample, numberReader, type NumberSeparators } from "./number-text.ts";

export interface CompiledTransform {
  readonly finish: LeafNode["finish"];
  readonly origin: OriginKind;
  /** Whether the conversion also applies to an empty cell. */
  readonly takesEmpty: boolean;
}

/** Compiles the conversion of a leaf's cell, and checks that the result fits the contract's type. */
export function compileTransform(options: LeafOptions, type: FieldType, context: LeafContext): CompiledTransform {
  const { transform } = options;
  const convert = conversionTo(type);
  if (transform === undefined) {
    return { finish: convert, origin: options.value === undefined ? "column" : "value", takesEmpty: false };
  }
  refuseOtherTypes(transform, type, options, context);
  if (transform.kind === "lookup") return lookupTransform(transform, options, type, context);
  if (transform.kind === "boolean") return booleanTransform(transform, options, context);
  if (transform.kind === "number") return numberTransform(transform.separators, type);
  if (transform.kind === "call") {
    return { finish: compileCall(transform.name, options, convert, context), origin: "call", takesEmpty: true };
  }
  return dateTransform(transform, options, context);
}

type LookupTransform = Extract<Transform, { kind: "lookup" }>;
type BooleanTransform = Extract<Transform, { kind: "boolean" }>;
type DateTransform = Extract<Transform, { kind: "date" | "datetime" }>;

interface TransformResult {
  readonly text: string;
  /** The kinds of contract types that accept the result. */
  readonly kinds: readonly FieldType["kind"][];
}

/** Absent for a transform whose result may have any type. */
const RESULTS: Readonly<Partial<Record<Transform["kind"], TransformResult>>> = {
  boolean: { text: "`true`/`false` produce a boolean", kinds: ["boolean", "any", "union"] },
  date: { text: "`date` produces a date", kinds: ["date", "text", "any", "union"] },
  datetime: { text: "`datetime` produces a date-time", kinds: ["datetime", "text", "any", "union"] },
  number: {
    text: "`number` produces a number",
    kinds: ["number", "integer", "decimal", "text", "choice", "any", "union"],
  },
};

function refuseOtherTypes(transform: Transform, type: FieldType, options: LeafOptions, context: LeafContext): void {
  const result = RESULTS[transform.kind];
  if (result === undefined || result.kinds.includes(type.kind)) return;
  if (transform.kind === "boolean" && isBooleanChoice(type)) return;
  const message = `${result.text}, but the contract requires ${KIND_NAMES[type.kind]} here`;
  context.issues.add(options.path, message, hintForType(transform, type));
}

/** Whether true or false is a choice of the contract. */
function isBooleanChoice(type: FieldType): boolean {
  return type.kind === "choice" && type.choices.some((choice) => typeof choice === "boolean");
}

function hintForType(transform: Transform, type: FieldType): string | undefined {
  if (transform.kind === "date" && type.kind === "datetime") {
    const [pattern = "dd/MM/yyyy HH:mm"] = transform.patterns;
    return `use \`datetime: ${JSON.stringify(pattern)}\` with \`zone: Europe/London\` (or another time zone)`;
  }
  return transform.kind === "datetime" && type.kind === "date" ? "use `date:` without `zone:`" : undefined;
}

function lookupTransform(
  transform: LookupTransform,
  options: LeafOptions,
  type: FieldType,
  context: LeafContext,
): CompiledTransform {
  const table = lookupTable(transform.table, options, type, context);
  const convert = conversionTo(type);
  const choices = [...table.keys()].slice(0, MAX_CHOICES);
  const takesEmpty = table.has("");
  refuseDefault(takesEmpty, options, context);
  return {
    origin: "lookup",
    takesEmpty,
    finish: (content) => {
      const value = typeof content === "string" ? table.get(content) : undefined;
      if (value !== undefined) return value === "" ? undefined : value;
      if (transform.otherwise === "keep") return convert(content);
      return transform.otherwise === "empty"
        ? undefined
        : new ConversionFailure(content, invalidChoice(content, choices));
    },
  };
}

/** Maximum number of choices in a message. */
const MAX_CHOICES = 50;

function lookupTable(
  written: string | JsonObject,
  options: LeafOptions,
  type: FieldType,
  context: LeafContext,
): ReadonlyMap<string, JsonValue> {
  const path = [...options.path, "lookup"];
  const read = typeof written === "string" ? context.values.lookups.get(written) : undefined;
  if (typeof written === "string" && read === undefined) context.issues.add(path, `the table ${written} was not read`);
  const entries = typeof written === "string" ? (read ?? []) : Object.entries(written);
  const table = new Map<string, JsonValue>();
  for (const [code, value] of entries) {
    const constant: Constant = value === "" ? { value } : constantOf(type, value);
    if ("value" in constant) table.set(code, constant.value);
    else context.issues.add([...path, code], `the value for "${code}" ${constant.fault}`);
  }
  return table;
}

function booleanTransform(transform: BooleanTransform, options: LeafOptions, context: LeafContext): CompiledTransform {
  const both = transform.true.find((token) => transform.false.includes(token));
  if (both !== undefined)
    context.issues.add([...options.path, "false"], `"${both}" is also one of the values for true`);
  const tokens = new Map<CellContent, boolean>([
    ...transform.true.map((token) => [token, true] as const),
    ...transform.false.map((token) => [token, false] as const),
  ]);
  const choices = [...transform.true, ...transform.false];
  const takesEmpty = choices.includes("");
  refuseDefault(takesEmpty, options, context);
  return {
    origin: "column",
    takesEmpty,
    finish: (content) => tokens.get(content) ?? new ConversionFailure(content, invalidChoice(content, choices)),
  };
}

function refuseDefault(takesEmpty: boolean, options: LeafOptions, context: LeafContext): void {
  if (!takesEmpty || options.default === undefined) return;
  const message = 'never applies: the mapping defines a value for an empty cell ("")';
  context.issues.add([...options.path, "default"], message);
}

/** Converts a number to its plain notation, which is then converted to the contract's type. */
function numberTransform(separators: NumberSeparators, type: FieldType): CompiledTransform {
  const read = numberReader(separators);
  const convert = conversionTo(type);
  const expected = type.kind === "integer" || type.kind === "decimal" ? type.kind : "number";
  const written = { as: numberExample(separators) };
  return {
    origin: "column",
    takesEmpty: false,
    finish: (content) => {
      const text = typeof content === "string" ? read(content) : undefined;
      if (text === undefined) return notConvertible(expected, content, written);
      const value = convert(text);
      return value instanceof ConversionFailure ? new ConversionFailure(content, value.finding) : value;
    },
  };
}

/**
 * With several patterns, the first match determines the value. If another pattern produces a different value, the cell
 * is ambiguous and cannot be converted.
 */
function dateTransform(transform: DateTransform, options: LeafOptions, context: LeafContext): CompiledTransform {
  const { kind, patterns } = transform;
  const zone = kind === "datetime" ? transform.zone : undefined;
  const written: WrittenForm = { as: patterns.join(" or "), ...(zone !== undefined && { zone }) };
  const readers = dateReaders(transform, options, context);
  return {
    origin: "column",
    takesEmpty: false,
    finish: (content) => firstThatFits(readers, content, { kind, written }),
  };
}

function firstThatFits(
  readers: readonly DateReader[],
  content: CellContent,
  { kind, written }: { readonly kind: DateTransform["kind"]; readonly written: WrittenForm },
): JsonValue | ConversionFailure {
  let result: string | null | undefined;
  let as = "";
  for (const { pattern, read } of readers) {
    const text = typeof content === "string" ? read(content) : undefined;
    if (text === undefined || text === result) continue;
    if (result !== undefined) return notConvertible(kind, content, { ...written, readings: [as, pattern] });
    [result, as] = [text, pattern];
  }
  return result ?? notConvertible(kind, content, written);
}

interface DateReader {
  readonly pattern: string;
  /**
   * `undefined` for a string that does not match; `null` for a string that matches but is not a valid time in the zone.
   */
  readonly read: (text: string) => string | null | undefined;
}

function dateReaders(transform: DateTransform, options: LeafOptions, context: LeafContext): readonly DateReader[] {
  const { kind, patterns, pivot } = transform;
  const compiled = patterns.flatMap((written) => {
    const pattern = readDatePattern(written, [...options.path, kind], context.issues, pivot);
    return pattern === undefined ? [] : [{ written, pattern }];
  });
  if (pivot !== undefined && compiled.length > 0 && !compiled.some(({ pattern }) => pattern.hasShortYear)) {
    context.issues.add([...options.path, "pivot"], "has no effect without yy in the pattern");
  }
  const all = compiled.map(({ pattern }) => pattern);
  const write = kind === "date" ? isoDate : momentWriter(all, transform.zone, options, context);
  return compiled.map(({ written, pattern }) => ({
    pattern: written,
    read: (text) => {
      const time = pattern.read(text);
      return time && (write(time) ?? null);
    },
  }));
}

function momentWriter(
  patterns: readonly DatePattern[],
  zone: string | undefined,
  options: LeafOptions,
  context: LeafContext,
): (time: PatternTime) => string | undefined {
  const needsZone = patterns.some(({ hasOffset }) => !hasOffset);
  const refuse = (option: string, message: string, hint?: string): void =>
    context.issues.add([...options.path, option], message, hint);
  if (zone !== undefined && patterns.length > 0 && !needsZone) {
    refuse("zone", "cannot be used with XXX in the pattern, which already gives the offset");
  } else if (zone === undefined && needsZone) {
    const hint =
      'add zone: Europe/London (or UTC), or XXX to the pattern if the cells contain an offset such as "+01:00"';
    refuse("datetime", "has no time zone", hint);
  } else if (zone !== undefined && !isZone(zone)) {
    refuse("zone", `"${zone}" is not a time zone`, "use a name such as Europe/London, or UTC");
  }
  return utcWriter(zone);
}
