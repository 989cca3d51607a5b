import type { SourceFinding } from "../../model/problem.ts";
import { formatPointer } from "../../json/json-pointer.ts";
import { survivesDouble } from "../../json/exact-json.ts";
import { isJsonArray, type JsonValue } from "../../json/json-value.ts";
import { isSpace } from "./json-splitter.ts";

/** The reason why a string is not JSON (RFC 8259), and the zero-based offset at which the scan stopped. */
interface JsonError {
  readonly offset: number;
  /** Never quotes the text. */
  readonly reason: string;
}

/** A problem that `JSON.parse` silently ignores. */
interface JsonFinding {
  /** A pointer (RFC 6901) from the root of the text. */
  readonly pointer: string;
  readonly finding: SourceFinding;
}

/** Maximum depth of a document. No payload is this deep, and each level uses stack space. */
const DEPTH_LIMIT = 64;

/** Names that change the meaning of an object in JavaScript. */
export const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Scans `text` as one JSON document, more strictly than `JSON.parse`. The findings are duplicate names in an object,
 * numbers that lose digits as a double, unpaired surrogates, forbidden names and excessive depth. If there is no error
 * and no `source_too_deep` finding, `JSON.parse` accepts the text. Findings are reported one by one, because there may
 * be millions of them. This is a separate parser, because `JSON.parse` and the tokeniser of exact-json.ts do not report
 * the path and the offset of a value.
 * @returns the syntax error that stopped the scan; undefined for valid JSON, and if the text is too deep
 */
export function scanJson(text: string, onFinding: (found: JsonFinding) => void = () => {}): JsonError | undefined {
  const scan: Scan = { text, at: 0, path: [], onFinding };
  try {
    value(scan);
    skipSpace(scan);
    if (scan.at < text.length) fail(scan, "text follows the end of the document");
    return undefined;
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { offset: scan.at, reason: error.message };
  }
}

/**
 * Parses text without scanning it, if `scanJson` would certainly find nothing. Most text needs no scan, and a scan
 * takes longer than `JSON.parse`.
 * @returns undefined if the text needs a scan
 */
export function parseWithoutScan(text: string): JsonValue | undefined {
  if (text.includes("\\") || NEEDS_SCAN.test(text)) return undefined;
  try {
    const parsed: JsonValue = JSON.parse(text);
    return countNames(parsed, 0) === countColonsAfterQuotes(text) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Matches forbidden names, numbers of 15 or more characters, and exponents. May also match the content of strings. */
const NEEDS_SCAN = /__proto__|constructor|prototype|[:,[\s]-?(?:[\d.]{15}|[\d.]+[eE])/;

/** Counts the names in a value. Returns NaN if the value is too deep. */
function countNames(found: JsonValue, depth: number): number {
  if (typeof found !== "object" || found === null) return 0;
  if (depth >= DEPTH_LIMIT) return Number.NaN;
  let count = 0;
  if (isJsonArray(found)) {
    for (const item of found) count += countNames(item, depth + 1);
    return count;
  }
  for (const name in found) count += 1 + countNames(found[name] ?? null, depth + 1);
  return count;
}

/**
 * Counts the colons that follow a quotation mark. In text without escapes, such a colon follows every name. A colon at
 * the start of a string also counts. If the count equals the number of names in the parsed value, no name is repeated.
 */
function countColonsAfterQuotes(text: string): number {
  let count = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let at = colon - 1;
    while (isSpace(text.charCodeAt(at))) at -= 1;
    if (text.charCodeAt(at) === QUOTE) count += 1;
  }
  return count;
}

class JsonSyntaxError extends Error {}
class TooDeep extends Error {}

interface Scan {
  readonly text: string;
  at: number;
  readonly path: (string | number)[];
  readonly onFinding: (found: JsonFinding) => void;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

function value(scan: Scan): void {
  skipSpace(scan);
  const code = scan.text.charCodeAt(scan.at);
  if (code === QUOTE) readString(scan);
  else if (code === OPEN_OBJECT) object(scan);
  else if (code === OPEN_LIST) list(scan);
  else scalar(scan);
}

function object(scan: Scan): void {
  enter(scan);
  const names = new Set<string>();
  if (closes(scan, CLOSE_OBJECT)) return;
  do {
    skipSpace(scan);
    if (scan.text.charCodeAt(scan.at) !== QUOTE) fail(scan, "expected a name in double quotes");
    const name = readString(scan);
    scan.path.push(name);
    if (names.has(name)) report(scan, { code: "source_duplicate_name", name });
    else if (FORBIDDEN_NAMES.has(name)) report(scan, { code: "source_forbidden_name", name });
    names.add(name);
    expect(scan, COLON, "expected a colon");
    value(scan);
    scan.path.pop();
  } while (hasMore(scan, CLOSE_OBJECT, "expected a comma or }"));
}

function list(scan: Scan): void {
  enter(scan);
  if (closes(scan, CLOSE_LIST)) return;
  let index = 0;
  do {
    scan.path.push(index);
    value(scan);
    scan.path.pop();
    index += 1;
  } while (hasMore(scan, CLOSE_LIST, "expected a comma or ]"));
}

function enter(scan: Scan): void {
  if (scan.path.length >= DEPTH_LIMIT) {
    report(scan, { code: "source_too_deep", limit: DEPTH_LIMIT });
    throw new TooDeep();
  }
  scan.at += 1;
}

function closes(scan: Scan, close: number): boolean {
  skipSpace(scan);
  if (scan.text.charCodeAt(scan.at) !== close) return false;
  scan.at += 1;
  return true;
}

function hasMore(scan: Scan, close: number, reason: string): boolean {
  if (closes(scan, close)) return false;
  expect(scan, COMMA, reason);
  return true;
}

function expect(scan: Scan, code: number, reason: string): void {
  skipSpace(scan);
  if (scan.text.charCodeAt(scan.at) !== code) fail(scan, reason);
  scan.at += 1;
}

/** Reads a string and returns the text between its quotes with escapes decoded. */
function readString(scan: Scan): string {
  const { text } = scan;
  const start = scan.at;
  let escaped = false;
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      scan.at = at + 1;
      return escaped ? unescaped(scan, start) : text.slice(start + 1, at);
    }
    if (code === BACKSLASH) {
      escaped = true;
      at += escapeLength(scan, at) - 1;
    } else if (!(code >= 0x20)) {
      scan.at = at;
      fail(scan, at >= text.length ? "the text ends inside a string" : "a string contains a control character");
    }
  }
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

function escapeLength(scan: Scan, at: number): number {
  const escape = tokenAt(scan, at, ESCAPE);
  if (escape !== undefined) return escape.length;
  scan.at = at;
  return fail(scan, "an invalid escape sequence");
}

function unescaped(scan: Scan, start: number): string {
  const text: unknown = JSON.parse(scan.text.slice(start, scan.at));
  const string = String(text);
  if (/\p{Surrogate}/u.test(string)) report(scan, { code: "source_lone_surrogate" });
  return string;
}

const LITERAL = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function scalar(scan: Scan): void {
  const number = tokenAt(scan, scan.at, NUMBER);
  const token = number ?? tokenAt(scan, scan.at, LITERAL) ?? fail(scan, "expected a value");
  if (number !== undefined && !survivesDouble(number)) report(scan, { code: "source_unsafe_number" });
  scan.at += token.length;
}

/** @param token a sticky expression */
function tokenAt({ text }: Scan, at: number, token: RegExp): string | undefined {
  token.lastIndex = at;
  return token.exec(text)?.[0];
}

function skipSpace(scan: Scan): void {
  while (isSpace(scan.text.charCodeAt(scan.at))) scan.at += 1;
}

function report(scan: Scan, finding: SourceFinding): void {
  scan.onFinding({ pointer: formatPointer(scan.path), finding });
}

function fail(scan: Scan, reason: string): never {
  throw new JsonSyntaxError(scan.at >= scan.text.length ? "the text ends too early" : reason);
}
