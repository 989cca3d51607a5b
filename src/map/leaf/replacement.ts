import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { regularExpression } from "../../text/linear-pattern.ts";
import { slowPatternReason } from "../../text/slow-pattern.ts";
import { checkCellLength } from "../node/payload-size.ts";
import type { Addressable } from "../../contract/document/yaml-document.ts";
import { type Issues, refuseUnknown } from "../document/mapping-issues.ts";

/**
 * Replaces every match in a string.
 * @throws TooLarge if the result is too long
 */
export type Replacement = (text: string) => string;

/**
 * Reads the option `replace`. The replacements run in order. The pairs of an object are in the order of the file, which
 * `Object.entries` does not keep for names that consist of digits. Forms of the option:
 * - `{from, to}`: literal text
 * - `{pattern, to}`: a regular expression with linear running time; `$1` in `to` is its first group
 * - a list of these objects or of pairs
 * - an object of literal pairs
 */
export function readReplacements(
  entry: JsonValue | undefined,
  path: AttrPath,
  { pointOf }: Addressable,
  issues: Issues,
): readonly Replacement[] {
  if (entry === undefined) return [];
  if (typeof entry === "object" && entry !== null && Object.keys(entry).length === 0)
    issues.add(path, "has no effect without entries");
  if (isJsonObject(entry) && entry["from"] === undefined && entry["pattern"] === undefined) {
    return Object.entries(entry)
      .map(([from, to]) => ({ from, to, point: pointOf([...path, from]) }))
      .toSorted((one, other) => one.point.line - other.point.line || one.point.column - other.point.column)
      .flatMap(({ from, to }) => literal(from, to, [...path, from], issues));
  }
  if (!isJsonArray(entry)) return readOne(entry, path, issues);
  return entry.flatMap((one, index) => readOne(one, [...path, index], issues));
}

function readOne(entry: JsonValue, path: AttrPath, issues: Issues): readonly Replacement[] {
  if (isJsonArray(entry) && entry.length === 2) return literal(entry[0], entry[1], path, issues);
  if (!isJsonObject(entry)) {
    issues.add(path, "must be { from: <text>, to: <text> } or { pattern: <regular expression>, to: <text> }");
    return [];
  }
  refuseUnknown(entry, ["from", "pattern", "to"], path, issues);
  const { from, pattern, to } = entry;
  if (pattern === undefined) return literal(from, to, path, issues);
  if (from !== undefined) issues.add(path, "`from` and `pattern` cannot be used together");
  return byPattern(pattern, to, path, issues);
}

function literal(
  from: JsonValue | undefined,
  to: JsonValue | undefined,
  path: AttrPath,
  issues: Issues,
): readonly Replacement[] {
  if (typeof from === "string" && from !== "" && typeof to === "string") {
    return [(text) => (text.includes(from) ? replaceAll(text, from, to) : text)];
  }
  issues.add(path, "must replace a string with a string; put numbers in quotes");
  return [];
}

function replaceAll(text: string, from: string, to: string): string {
  const parts = text.split(from);
  checkReplaced(text.length + (parts.length - 1) * (to.length - from.length), text);
  return parts.join(to);
}

/**
 * Checks only results that are longer than the string, because a string from a JSON source may already exceed the
 * limit.
 */
function checkReplaced(characters: number, text: string): void {
  if (characters > text.length) checkCellLength(characters, "replace");
}

function replaceMatches(text: string, expression: RegExp, to: string): string {
  let result = "";
  let end = 0;
  for (const match of text.matchAll(expression)) {
    result += text.slice(end, match.index);
    end = match.index + match[0].length;
    result += expanded(to, match, { end, before: result.length });
    checkReplaced(result.length, text);
  }
  return result + text.slice(end);
}

interface MatchSpan {
  /** End of the match in the text. */
  readonly end: number;
  /** Number of characters produced so far. */
  readonly before: number;
}

/** Expands `to` for a match, as `String.prototype.replace` does. */
function expanded(to: string, match: RegExpExecArray, { end, before }: MatchSpan): string {
  if (!to.includes("$")) return to;
  let characters = before;
  return to.replaceAll(SUBSTITUTE, (written, sign: string) => {
    const part = substitute(written, sign, match, end);
    characters += part.length;
    checkReplaced(characters, match.input);
    return part;
  });
}

function substitute(written: string, sign: string, match: RegExpExecArray, end: number): string {
  const { 0: whole, index, input, groups } = match;
  if (sign === "$") return "$";
  if (sign === "&") return whole;
  if (sign === "`") return input.slice(0, index);
  if (sign === "'") return input.slice(end);
  if (sign.startsWith("<")) return groups === undefined ? written : (groups[sign.slice(1, -1)] ?? "");
  return numberedGroup(sign, match) ?? written;
}

/**
 * Expands a group reference of one or two digits: `$12` is group 12 or, if there is no such group, group 1 followed by
 * "2".
 */
function numberedGroup(digits: string, match: RegExpExecArray): string | undefined {
  const isGroup = (group: number): boolean => group > 0 && group < match.length;
  if (isGroup(Number(digits))) return match[Number(digits)] ?? "";
  const first = Number(digits[0]);
  return isGroup(first) ? (match[first] ?? "") + digits.slice(1) : undefined;
}

const SUBSTITUTE = /\$([$&`']|\d\d?|<[^>]*>)/g;

function byPattern(
  pattern: JsonValue,
  to: JsonValue | undefined,
  path: AttrPath,
  issues: Issues,
): readonly Replacement[] {
  if (typeof pattern !== "string" || typeof to !== "string") {
    issues.add(path, "must be { pattern: <regular expression>, to: <text> }");
    return [];
  }
  const expression = compileReplacePattern(pattern);
  if (typeof expression === "string") {
    issues.add([...path, "pattern"], expression, "replace literal text instead, or use a function (call)");
    return [];
  }
  const unknown = unknownGroup(to, expression);
  if (unknown !== undefined) {
    const hint = "number the groups from $1; $& is the whole match, and $$ a dollar sign";
    issues.add([...path, "to"], `the expression has no group ${unknown}`, hint);
  }
  return [(text) => replaceMatches(text, expression, to)];
}

/** Returns the first reference in `to` to a group that the expression lacks. It would remain in the text, or vanish. */
function unknownGroup(to: string, { source, flags }: RegExp): string | undefined {
  const match = new RegExp(`${source}|`, flags).exec("");
  const isUnknown = ([, sign = ""]: RegExpExecArray): boolean =>
    sign.startsWith("<")
      ? !Object.hasOwn(match?.groups ?? {}, sign.slice(1, -1))
      : /^\d/.test(sign) && match !== null && numberedGroup(sign, match) === undefined;
  return [...to.matchAll(SUBSTITUTE)].find(isUnknown)?.[0];
}

/**
 * Compiles a user's regular expression. Returns an error message if the expression is invalid or too long, could take
 * more than linear time (`slowPatternReason`), or matches an empty string.
 */
export function compileReplacePattern(source: string): RegExp | string {
  if (source.length > MAX_PATTERN_LENGTH) return `the expression is longer than ${MAX_PATTERN_LENGTH} characters`;
  const expression = regularExpression(source, "gu");
  if (expression === undefined) return "the expression is invalid";
  return slowPatternReason(source) ?? (expression.test("") ? "the expression also matches empty text" : expression);
}

const MAX_PATTERN_LENGTH = 200;
