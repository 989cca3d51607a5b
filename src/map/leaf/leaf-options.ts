import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { listed } from "../../text/suggestion.ts";
import type { Addressable } from "../../contract/document/yaml-document.ts";
import { formatCount } from "../../text/count.ts";
import { refuseUnknown, scalarTexts, type Issues } from "../document/mapping-issues.ts";
import { LEAF_PROPERTIES } from "../schema/leaf-schema.ts";
import type { NumberSeparators } from "./number-text.ts";
import { readReplacements, type Replacement } from "./replacement.ts";

const LEAF_OPTIONS: readonly string[] = Object.keys(LEAF_PROPERTIES);

export function hasOnlyLeafOptions(entry: JsonObject): boolean {
  return Object.keys(entry).every((name) => LEAF_OPTIONS.includes(name));
}

/** The validated options of one leaf, not yet checked against the contract. */
export interface LeafOptions {
  /** Path of the leaf in the mapping file. */
  readonly path: AttrPath;
  /** Columns or paths; empty for a constant. */
  readonly from: readonly string[];
  readonly value: JsonValue | undefined;
  readonly default: JsonValue | undefined;
  readonly when: Condition | undefined;
  readonly trim: boolean;
  readonly join: string | undefined;
  readonly split: string | undefined;
  readonly replace: readonly Replacement[];
  readonly letters: "upper" | "lower" | undefined;
  readonly keepEmpty: boolean;
  /** The conversion of the cell's text to a value; undefined if the mapping names none. */
  readonly transform: Transform | undefined;
}

export type Transform =
  | { readonly kind: "lookup"; readonly table: string | JsonObject; readonly otherwise: "keep" | "empty" | "error" }
  | { readonly kind: "boolean"; readonly true: readonly string[]; readonly false: readonly string[] }
  | ({ readonly kind: "date" } & WrittenDate)
  | ({ readonly kind: "datetime"; readonly zone: string | undefined } & WrittenDate)
  | { readonly kind: "number"; readonly separators: NumberSeparators }
  | { readonly kind: "call"; readonly name: string };

/** The notations of a date in a cell. */
interface WrittenDate {
  /** Contains at least one pattern. */
  readonly patterns: readonly string[];
  /** The highest two-digit year that is read as 20yy. */
  readonly pivot: number | undefined;
}

interface WrittenAt {
  /** Path of the leaf in the mapping file. */
  readonly path: AttrPath;
  readonly document: Addressable;
  readonly issues: Issues;
}

/**
 * Reads a leaf's entry: a column's name, or an object of options. Adds an issue for each error. Returns undefined if
 * the entry is neither.
 */
export function readLeafOptions(entry: JsonValue, { path, document, issues }: WrittenAt): LeafOptions | undefined {
  const options = typeof entry === "string" && entry !== "" ? { from: entry } : entry;
  if (!isJsonObject(options)) {
    return issues.add(path, "must be a column (a string) or an object of options", hintFor(options));
  }
  refuseUnknown(options, LEAF_OPTIONS, path, issues);
  const option = optionReader(options, path, issues);
  const leaf: LeafOptions = {
    path,
    from: option.texts("from") ?? [],
    value: options["value"],
    default: options["default"],
    when: readWhen(options["when"], [...path, "when"], issues),
    trim: option.flag("trim") ?? true,
    join: option.text("join"),
    split: option.text("split"),
    replace: readReplacements(options["replace"], [...path, "replace"], document, issues),
    letters: readLetters(option),
    keepEmpty: option.flag("keepEmpty") ?? false,
    transform: readTransform(options, option, path, issues),
  };
  if (leaf.value === undefined) refuseContradictions(options, path, issues);
  else refuseWithValue(options, path, issues);
  return leaf;
}

function hintFor(entry: JsonValue): string {
  const columns = isJsonArray(entry) ? entry.filter((column) => typeof column === "string") : [];
  if (columns.length < 2) {
    return "write { value: ... } for a constant, or put a column name that is a number in quotes";
  }
  const from = `{ from: [${columns.slice(0, 3).join(", ")}${columns.length > 3 ? ", ..." : ""}]`;
  return `write ${from}, join: " " } to join them, or ${from} } for the first column that is not empty`;
}

/**
 * Reads options of an entry by name. For a value of the wrong kind, each function adds an issue and returns undefined.
 */
interface OptionReader {
  readonly text: (name: string) => string | undefined;
  readonly texts: (name: string) => readonly string[] | undefined;
  readonly patterns: (name: string) => readonly string[] | undefined;
  readonly flag: (name: string) => boolean | undefined;
}

function optionReader(entry: JsonObject, path: AttrPath, issues: Issues): OptionReader {
  const refuse = (name: string, expected: string): undefined => {
    if (entry[name] !== undefined) issues.add([...path, name], `must be ${expected}`);
    return undefined;
  };
  return {
    text: (name) => {
      const value = entry[name];
      return typeof value === "string" ? value : refuse(name, "a string");
    },
    texts: (name) => {
      const texts = scalarTexts(entry[name]);
      return texts === undefined || texts.length === 0 ? refuse(name, "a string or a list of strings") : texts;
    },
    patterns: (name) => {
      const written = entry[name];
      const patterns = written !== undefined && isJsonArray(written) ? written : [written];
      const texts = patterns.filter((pattern) => typeof pattern === "string");
      return texts.length === patterns.length && texts.length > 0
        ? texts
        : refuse(name, "a pattern, such as dd/MM/yyyy, or a list of them");
    },
    flag: (name) => {
      const value = entry[name];
      return typeof value === "boolean" ? value : refuse(name, "true or false");
    },
  };
}

function readLetters(option: OptionReader): LeafOptions["letters"] {
  const [upper, lower] = [option.flag("upper"), option.flag("lower")];
  if (upper === true) return "upper";
  return lower === true ? "lower" : undefined;
}

/** Selects the rows whose trimmed cell in the column is one of the values. */
export interface Condition {
  readonly column: string;
  readonly in: readonly string[];
}

export function readWhen(entry: JsonValue | undefined, path: AttrPath, issues: Issues): Condition | undefined {
  if (entry === undefined) return undefined;
  const object = isJsonObject(entry) ? entry : {};
  refuseUnknown(object, ["column", "in"], path, issues);
  const { column, in: values } = object;
  const texts = scalarTexts(values);
  const padded = texts?.find((text) => text !== text.trim());
  if (padded !== undefined)
    issues.add([...path, "in"], `"${padded}" never matches: cells are compared without the whitespace around them`);
  if (typeof column === "string" && texts !== undefined && texts.length > 0) return { column, in: texts };
  return issues.add(path, "must be { column: <name>, in: [<value>, ...] }");
}

function readTransform(entry: JsonObject, option: OptionReader, path: AttrPath, issues: Issues): Transform | undefined {
  const lookup = entry["lookup"];
  if (lookup !== undefined) return readLookup(lookup, option.text("otherwise") ?? "error", path, issues);
  const yes = option.texts("true");
  const no = option.texts("false");
  if (yes !== undefined || no !== undefined) return { kind: "boolean", true: yes ?? [], false: no ?? [] };
  const pivot = readPivot(entry["pivot"], [...path, "pivot"], issues);
  const date = option.patterns("date");
  if (date !== undefined) return { kind: "date", patterns: date, pivot };
  const datetime = option.patterns("datetime");
  const zone = option.text("zone");
  if (datetime !== undefined) return { kind: "datetime", patterns: datetime, pivot, zone };
  if (entry["number"] !== undefined) return readNumber(entry["number"], [...path, "number"], issues);
  const name = option.text("call");
  return name === undefined ? undefined : { kind: "call", name };
}

/** Reads the option `pivot`. Adds an issue and returns undefined if the value is invalid. */
export function readPivot(entry: JsonValue | undefined, path: AttrPath, issues: Issues): number | undefined {
  if (entry === undefined) return undefined;
  if (typeof entry === "number" && Number.isInteger(entry) && entry >= 0 && entry <= 99) return entry;
  return issues.add(path, "must be a whole number from 0 to 99: the highest two-digit year that is read as 20yy");
}

function readLookup(table: JsonValue, otherwise: string, path: AttrPath, issues: Issues): Transform | undefined {
  if (otherwise !== "keep" && otherwise !== "empty" && otherwise !== "error") {
    return issues.add([...path, "otherwise"], "must be `keep`, `empty` or `error`");
  }
  if (isJsonObject(table) && Object.keys(table).length === 0 && otherwise === "keep") {
    return issues.add([...path, "lookup"], "has no effect without entries, because `otherwise` is `keep`");
  }
  if (typeof table === "string" || isJsonObject(table)) return { kind: "lookup", table, otherwise };
  return issues.add([...path, "lookup"], "must be a table (code: value) or the path of a table");
}

function readNumber(entry: JsonValue, path: AttrPath, issues: Issues): Transform | undefined {
  const object = isJsonObject(entry) ? entry : { decimal: 0 };
  refuseUnknown(object, ["decimal", "group"], path, issues);
  const { decimal = ".", group } = object;
  if (isSeparator(decimal) && (group === undefined || isSeparator(group)) && decimal !== group) {
    return { kind: "number", separators: { decimal, ...(group === undefined ? {} : { group }) } };
  }
  return issues.add(
    path,
    'must be an object such as { decimal: ",", group: "." }: two different characters, neither digits nor signs; decimal is "." by default',
  );
}

function isSeparator(text: unknown): text is string {
  return typeof text === "string" && /^[^\d+-]$/u.test(text);
}

function refuseWithValue(entry: JsonObject, path: AttrPath, issues: Issues): void {
  const others = LEAF_OPTIONS.filter((name) => entry[name] !== undefined && name !== "value" && name !== "when");
  if (others.length > 0) issues.add(path, `a constant (value) cannot have ${listed(others)}`);
}

/** Maximum number of columns of one leaf. Each column is read for every row. */
const MAX_COLUMNS = 100;

/**
 * Adds an issue for a leaf without a source of its value, for options that exclude each other, and for options without
 * the option that they require.
 */
function refuseContradictions(entry: JsonObject, path: AttrPath, issues: Issues): void {
  const has = (name: string): boolean => entry[name] !== undefined && entry[name] !== false;
  if (!has("from") && !has("call")) issues.add(path, "has no column (from), constant (value) or function (call)");
  for (const [one, other] of EXCLUSIVE) {
    if (has(one) && has(other)) issues.add(path, `${asCode(one)} and ${asCode(other)} cannot be used together`);
  }
  for (const [name, ...needed] of NEEDS) {
    if (has(name) && !needed.some(has))
      issues.add([...path, name], `has no effect without ${needed.map(asCode).join(" or ")}`);
  }
  checkColumns(scalarTexts(entry["from"]) ?? [], has("join"), path, issues);
  refuseSeveralTransforms(entry, path, issues);
}

function checkColumns(columns: readonly string[], isJoined: boolean, path: AttrPath, issues: Issues): void {
  if (isJoined && columns.length < 2)
    issues.add([...path, "join"], "requires a list of at least two columns in `from`");
  if (columns.length > MAX_COLUMNS) {
    issues.add([...path, "from"], `names ${formatCount(columns.length)} columns; name at most ${MAX_COLUMNS}`);
  }
}

function refuseSeveralTransforms(entry: JsonObject, path: AttrPath, issues: Issues): void {
  const readings = TRANSFORMS.filter((names) => names.some((name) => entry[name] !== undefined));
  if (readings.length < 2) return;
  const names = readings.map((reading) => reading.map(asCode).join("/"));
  issues.add(path, `${listed(names)} cannot be used together: each converts the cell to a value`);
}

function asCode(name: string): string {
  return `\`${name}\``;
}

const TRANSFORMS: readonly (readonly string[])[] = [
  ["lookup"],
  ["true", "false"],
  ["date"],
  ["datetime"],
  ["number"],
  ["call"],
];
const EXCLUSIVE: readonly (readonly [string, string])[] = [
  ["upper", "lower"],
  ["join", "split"],
  ["keepEmpty", "default"],
  ["split", "default"],
  ["split", "keepEmpty"],
];
const NEEDS: readonly (readonly [string, ...string[]])[] = [
  ["otherwise", "lookup"],
  ["zone", "datetime"],
  ["pivot", "date", "datetime"],
];
