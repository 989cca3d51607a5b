import { z } from "zod";
import { isJsonObject } from "../json/json-value.ts";
import { STATUSES } from "../model/outcome.ts";
import { SUPPLIER_STATUSES } from "../model/supplier-status.ts";
import { isIsoDate } from "../time/calendar.ts";
import {
  AUTH_SCHEMES,
  type FileValues,
  isCode,
  type Kind,
  kindOf,
  MAX_RATE,
  MAX_CONCURRENCY,
  MAX_THREADS,
  MIN_RATE,
  type OptionRow,
  type OptionTable,
  type RecordedValues,
} from "./option-row.ts";

interface ValueKind {
  /** A description that completes "it must be ...". */
  readonly words: string;
  readonly schema: z.ZodType;
  /** The schema in the configuration file, if it is stricter than `schema`. */
  readonly file?: z.ZodType;
  /** The schema of recorded values, if their form differs from that of given values. */
  readonly recorded?: z.ZodType;
}

const text = z.string();
const texts = z.array(text);
const path = text.min(1, "expected a path");
const THREADS_WORDS = `a whole number from 1 to ${MAX_THREADS}, or "auto"`;
const CONCURRENCY_WORDS = `a whole number from 1 to ${MAX_CONCURRENCY}, or "auto"`;
const CODE_WORDS = "a code without whitespace at its start or end";
const TIMEOUT_WORDS = "a number of seconds above 0, up to 3600";
const LIST_WORDS = "a list of at least one string";
const PATHS_WORDS = "a path (a string) or a list of at least one path";
const RULE_SETTING_WORDS = "true, false, a number, a string or a list of strings";
const auto = z.literal("auto");
const TEXT: ValueKind = { words: "a string", schema: text };
const TEXTS_BY_NAME: ValueKind = { words: "an object of strings", schema: z.record(text, text) };

const KINDS: Readonly<Record<Kind, ValueKind | ((range: NonNullable<OptionRow["range"]>) => ValueKind)>> = {
  text: TEXT,
  code: { words: CODE_WORDS, schema: text.refine(isCode, expected(CODE_WORDS)) },
  path: { words: "a path (a string)", schema: path },
  day: { words: "a date such as 2026-01-31", schema: text.refine(isIsoDate) },
  switch: { words: "true or false", schema: z.boolean() },
  paths: {
    words: PATHS_WORDS,
    schema: z.union([path, z.array(path).min(1, expected(PATHS_WORDS))], { error: expected(PATHS_WORDS) }),
    recorded: texts,
  },
  keys: ([least]) => ({
    words: least > 0 ? LIST_WORDS : "a list of strings",
    schema: texts.min(least, expected(LIST_WORDS)),
  }),
  number: ([min, max]) => {
    const words = `a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`;
    return { words, schema: within(words, min, max).schema.int() };
  },
  amount: { words: "a number of at least 0", schema: z.number().min(0, expected("a number of at least 0")) },
  rate: within(`a number from ${MIN_RATE} to ${MAX_RATE}`, MIN_RATE, MAX_RATE),
  seconds: ([min, max = Infinity]) => within(`a number of seconds from ${min} to ${max}`, min, max),
  timeout: ([min, max]) =>
    max === undefined
      ? { words: TIMEOUT_WORDS, schema: within(TIMEOUT_WORDS, 0, 3600).schema.positive(expected(TIMEOUT_WORDS)) }
      : within(`a number of seconds from ${min} to ${max}`, min, max),
  threads: {
    words: THREADS_WORDS,
    schema: z.union([auto, within(THREADS_WORDS, 1, MAX_THREADS).schema.int()], { error: expected(THREADS_WORDS) }),
  },
  concurrency: {
    words: CONCURRENCY_WORDS,
    schema: z.union([auto, within(CONCURRENCY_WORDS, 1, MAX_CONCURRENCY).schema.int()], {
      error: expected(CONCURRENCY_WORDS),
    }),
  },
  maxErrors: {
    words: "{ count } or { share }, a share from 0 to 1",
    schema: z.union([
      z.strictObject({ count: z.number().min(0) }),
      z.strictObject({ share: z.number().min(0).max(1) }),
    ]),
  },
  authScheme: { words: quoted(AUTH_SCHEMES), schema: z.enum(AUTH_SCHEMES) },
  supplierStatus: { words: quoted(SUPPLIER_STATUSES), schema: z.enum(SUPPLIER_STATUSES) },
  supplierStatuses: {
    words: `${quoted(SUPPLIER_STATUSES)} by supplier, for at least one supplier`,
    schema: z.record(text, z.enum(SUPPLIER_STATUSES)).refine((statuses) => Object.keys(statuses).length > 0),
  },
  statuses: { words: "a list of statuses", schema: z.array(z.enum(STATUSES)) },
  textsByName: TEXTS_BY_NAME,
  pathsByName: { words: "an object of paths", schema: z.record(text, path) },
  listsByName: {
    words: "an object of lists of at least one string",
    schema: z.record(text, texts.min(1, expected(LIST_WORDS))),
  },
  ruleSettings: {
    words: "an object of settings",
    schema: z.record(text, z.union([z.boolean(), z.number(), text, texts], { error: expected(RULE_SETTING_WORDS) })),
  },
  object: { words: "an object of settings", schema: z.custom((value) => isJsonObject(value)) },
  signal: {
    words: "an AbortSignal",
    schema: z.custom(
      (value) =>
        isJsonObject(value) &&
        "aborted" in value &&
        ["addEventListener", "removeEventListener"].every((name) => typeof Reflect.get(value, name) === "function"),
    ),
  },
  function: { words: "a function", schema: z.custom((value) => typeof value === "function") },
};

/** Returns the kind of a number between two limits, which are valid values. */
function within(
  words: string,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): { readonly words: string; readonly schema: z.ZodNumber } {
  return { words, schema: z.number().min(min, expected(words)).max(max, expected(words)) };
}

function expected(words: string): string {
  return `expected ${words}`;
}

function kindFor(row: OptionRow): ValueKind {
  const { choices, range = [0] } = row;
  if (choices !== undefined) return { words: quoted(choices), schema: z.enum(choices) };
  const kind = KINDS[kindOf(row)];
  return typeof kind === "function" ? kind(range) : kind;
}

/** Lists choices as `"a", "b" or "c"`. */
function quoted(choices: readonly string[]): string {
  const all = choices.map((choice) => `"${choice}"`);
  return [all.slice(0, -1).join(", "), ...all.slice(-1)].join(" or ");
}

/** Describes the values of a row, such as "a whole number of at least 1". */
export function valueWords(row: OptionRow): string {
  return kindFor(row).words;
}

/** Whether an option of the library may have this value. Strings must not contain NUL, because paths cannot. */
export function isValue(row: OptionRow, value: unknown): boolean {
  const isPlain = kindOf(row) !== "object";
  return !(isPlain && hasNul(value)) && kindFor(row).schema.safeParse(value).success;
}

function hasNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  return typeof value === "object" && value !== null && Object.values(value).some(hasNul);
}

type Shape<Values> = { readonly [Name in keyof Values]-?: z.ZodType<Values[Name]> };

/** Returns the schemas for a table's settings in the configuration file. */
export function fileShape<Table extends OptionTable>(table: Table): Shape<FileValues<Table>>;
export function fileShape(table: OptionTable): Readonly<Record<string, z.ZodType>> {
  const rows = Object.entries(table).filter(([, { file }]) => file !== undefined);
  return Object.fromEntries(
    rows.map(([name, row]) => {
      const schema = row.file === "required" ? schemaOf(row, "file") : schemaOf(row, "file").optional();
      // The help of a group describes its flag, not the group.
      const description = row.members === undefined ? row.help : row.docs?.replace(/, see .*/, "");
      return [name, description === undefined ? schema : schema.describe(description)];
    }),
  );
}

/** Returns the schemas for a table's recorded values. These schemas ignore members that this version does not know. */
export function recordedShape<Table extends OptionTable>(table: Table): Shape<RecordedValues<Table>>;
export function recordedShape(table: OptionTable): Readonly<Record<string, z.ZodType>> {
  const rows = Object.entries(table).filter(([, { recorded }]) => recorded !== undefined);
  return Object.fromEntries(
    rows.map(([name, row]) => {
      const schema = schemaOf(row, "recorded");
      return [name, row.recorded === "always" ? schema : schema.optional()];
    }),
  );
}

function schemaOf(row: OptionRow, form: "file" | "recorded"): z.ZodType {
  const kind = kindFor(row);
  if (row.members === undefined) return kind[form] ?? kind.schema;
  const shape = Object.entries(row.members).map(([name, member]) => [name, schemaOf(member, form).optional()]);
  return form === "file" ? z.strictObject(Object.fromEntries(shape)) : z.object(Object.fromEntries(shape));
}
