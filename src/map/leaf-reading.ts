import type { FieldType } from "../contract/field-type.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { Expected, WrittenForm } from "../model/problem.ts";
import { isoDate, isoDateTime } from "./local-time.ts";
import { constantOf, conversionTo, type Content, type Conversion } from "./contract-value.ts";
import { compileDatePattern, type DatePattern, type PatternTime } from "./date-pattern.ts";
import type { LeafContext } from "./leaf-context.ts";
import type { LeafOptions, Reading } from "./leaf-options.ts";
import { callerOf } from "./mapping-function.ts";
import type { OriginKind } from "./mapping.ts";
import type { LeafNode } from "./mapping-node.ts";
import { numberExample, numberReader } from "./number-text.ts";
import { notA, Unfit } from "./unfit.ts";
import { isZone, utcAtOffset, utcInZone } from "./zone-time.ts";

/** How a leaf makes a value of its cell. */
export interface CompiledReading {
  readonly finish: LeafNode["finish"];
  readonly origin: OriginKind;
  /** An empty cell means something here. */
  readonly takesEmpty: boolean;
}

/** Compiles what a leaf says of its cell's text, and checks that the contract's type can hold what comes of it. */
export function compileReading(options: LeafOptions, type: FieldType, context: LeafContext): CompiledReading {
  const { reading } = options;
  const convert = conversionTo(type);
  if (reading === undefined) {
    return { finish: convert, origin: options.value === undefined ? "column" : "value", takesEmpty: false };
  }
  refuseOtherTypes(reading, type, options, context);
  if (reading.kind === "lookup") return lookupReading(reading, { options, type, context });
  if (reading.kind === "boolean") return booleanReading(reading, options, context);
  if (reading.kind === "number")
    return textReading(
      numberReader(reading.marks),
      { expected: numberExpected(type), written: { as: numberExample(reading.marks) } },
      convert,
    );
  if (reading.kind === "call") {
    return { finish: callerOf(reading.name, options, convert, context), origin: "call", takesEmpty: true };
  }
  const zone = reading.kind === "datetime" ? reading.zone : undefined;
  const written = { as: reading.pattern, ...(zone !== undefined && { zone }) };
  return textReading(dateReader(reading, options, context), { expected: reading.kind, written }, (isoText) => isoText);
}

type Kind = FieldType["kind"];
type LookupReading = Extract<Reading, { kind: "lookup" }>;
type BooleanReading = Extract<Reading, { kind: "boolean" }>;
type DateReading = Extract<Reading, { kind: "date" | "datetime" }>;

interface Leaf {
  readonly options: LeafOptions;
  readonly type: FieldType;
  readonly context: LeafContext;
}

const MADE_FOR: Readonly<Record<Reading["kind"], readonly Kind[] | undefined>> = {
  boolean: ["boolean", "any", "union"],
  date: ["date", "text", "any", "union"],
  datetime: ["datetime", "text", "any", "union"],
  number: ["number", "integer", "decimal", "text", "choice", "any", "union"],
  lookup: undefined,
  call: undefined,
};

function refuseOtherTypes(reading: Reading, type: FieldType, options: LeafOptions, context: LeafContext): void {
  if (MADE_FOR[reading.kind]?.includes(type.kind) ?? true) return;
  const [option, made] = reading.kind === "boolean" ? ["true/false", "true or false"] : [reading.kind, reading.kind];
  context.issues.add(options.path, `${option} makes ${made}, and the contract wants ${type.kind} here`);
}

function lookupReading(reading: LookupReading, { options, type, context }: Leaf): CompiledReading {
  const table = lookupTable(reading.table, { options, type, context });
  const convert = conversionTo(type);
  const choices = [...table.keys()].slice(0, MOST_CHOICES);
  const takesEmpty = table.has("");
  refuseDefault(takesEmpty, options, context);
  return {
    origin: "lookup",
    takesEmpty,
    finish: (content) => {
      const value = typeof content === "string" ? table.get(content) : undefined;
      if (value !== undefined) return value === "" ? undefined : value;
      if (reading.otherwise === "keep") return convert(content);
      return reading.otherwise === "empty" ? undefined : new Unfit(content, { code: "invalid_choice", choices });
    },
  };
}

/** A message that lists more than this helps nobody. */
const MOST_CHOICES = 50;

function lookupTable(written: string | JsonObject, { options, type, context }: Leaf): ReadonlyMap<string, JsonValue> {
  const path = [...options.path, "lookup"];
  const read = typeof written === "string" ? context.values.lookups.get(written) : undefined;
  if (typeof written === "string" && read === undefined) context.issues.add(path, `the table ${written} was not read`);
  const entries = typeof written === "string" ? (read ?? []) : Object.entries(written);
  const table = new Map<string, JsonValue>();
  for (const [code, value] of entries) {
    const constant: ReturnType<typeof constantOf> = value === "" ? { value } : constantOf(type, value);
    if ("value" in constant) table.set(code, constant.value);
    else context.issues.add([...path, code], `what "${code}" becomes ${constant.fault}`);
  }
  return table;
}

function booleanReading(reading: BooleanReading, options: LeafOptions, context: LeafContext): CompiledReading {
  const both = reading.true.find((token) => reading.false.includes(token));
  if (both !== undefined) context.issues.add([...options.path, "false"], `"${both}" means true as well`);
  const tokens = new Map<Content, boolean>([
    ...reading.true.map((token) => [token, true] as const),
    ...reading.false.map((token) => [token, false] as const),
  ]);
  const choices = [...reading.true, ...reading.false];
  const takesEmpty = choices.includes("");
  refuseDefault(takesEmpty, options, context);
  return {
    origin: "column",
    takesEmpty,
    finish: (content) => tokens.get(content) ?? new Unfit(content, { code: "invalid_choice", choices }),
  };
}

function refuseDefault(takesEmpty: boolean, options: LeafOptions, context: LeafContext): void {
  if (takesEmpty && options.default !== undefined) {
    context.issues.add([...options.path, "default"], 'never applies: the mapping says what an empty cell ("") means');
  }
}

/** Reads a text into another one that then goes through the contract's type. */
function textReading(
  read: (text: string) => string | undefined,
  wanted: { readonly expected: Expected; readonly written: WrittenForm },
  convert: Conversion,
): CompiledReading {
  return {
    origin: "column",
    takesEmpty: false,
    finish: (content) => {
      const text = typeof content === "string" ? read(content) : undefined;
      if (text === undefined) return notA(wanted.expected, content, wanted.written);
      const value = convert(text);
      return value instanceof Unfit ? new Unfit(content, value.finding) : value;
    },
  };
}

function numberExpected(type: FieldType): Expected {
  return type.kind === "integer" || type.kind === "decimal" ? type.kind : "number";
}

function dateReader(
  reading: DateReading,
  options: LeafOptions,
  context: LeafContext,
): (text: string) => string | undefined {
  const pattern = compileDatePattern(reading.pattern);
  if (typeof pattern === "string") {
    context.issues.add([...options.path, reading.kind], `"${reading.pattern}": ${pattern}`);
    return () => undefined;
  }
  const write = reading.kind === "date" ? isoDate : momentWriter(pattern, reading, options, context);
  return (text) => {
    const time = pattern.read(text);
    return time && write(time);
  };
}

function momentWriter(
  pattern: DatePattern,
  reading: DateReading,
  options: LeafOptions,
  context: LeafContext,
): (time: PatternTime) => string | undefined {
  const zone = reading.kind === "datetime" ? reading.zone : undefined;
  if (pattern.hasOffset) {
    if (zone !== undefined) context.issues.add([...options.path, "zone"], "the pattern's XXX says the zone already");
    return (time) => utcAtOffset(time, time.offset ?? 0);
  }
  if (zone === undefined) {
    const hint = 'add zone: Europe/London (or UTC), or XXX to the pattern where the cell says "+01:00"';
    context.issues.add([...options.path, "datetime"], "does not say in which zone the clock stood", hint);
  } else if (!isZone(zone)) {
    context.issues.add(
      [...options.path, "zone"],
      `"${zone}" is not a time zone`,
      "write it like Europe/London, or UTC",
    );
  }
  return zone === "UTC" ? isoDateTime : (time) => utcInZone(time, zone ?? "UTC");
}
