import { isExactNumber } from "./decimal-arithmetic.ts";
import { type JsonValue, isJsonArray } from "./json-value.ts";

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Parses JSON without losing digits. Every number that would change if it were converted to a double, and every number
 * that is the value of a member named in `decimals`, becomes a string with exactly the digits of the JSON.
 * @returns the value; undefined if the text is not JSON
 */
export function parseExact(text: string, decimals: ReadonlySet<string> = NO_NAMES): JsonValue | undefined {
  try {
    // Rejects invalid JSON, so that the tokeniser can rely on valid input.
    const value: JsonValue = JSON.parse(text);
    if (decimals.size === 0 && !LONG_NUMBER.test(text)) return value;
    const exact: JsonValue = JSON.parse(withExactNumbers(text, decimals));
    return exact;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Occurs in every text with a number that does not survive the conversion to a double (`survivesDouble`). */
const LONG_NUMBER = /[\d.]{15}|\d[eE]/;

function withExactNumbers(text: string, decimals: ReadonlySet<string>): string {
  let exact = "";
  let before = "";
  let name = "";
  for (const token of tokens(text)) {
    if (token === ":") name = before;
    const isNumber = /^[-\d]/.test(token);
    const isDecimal = isNumber && before === ":" && decimals.has(name.slice(1, -1));
    exact += isDecimal || (isNumber && !survivesDouble(token)) ? `"${token}"` : token;
    before = token;
  }
  return exact;
}

/** Removes the whitespace between the tokens of a JSON text, and changes nothing else. */
export function compactJson(text: string): string {
  return [...tokens(text)].join("");
}

/**
 * Returns the elements of the list in member `name` of a JSON object, as JSON text without whitespace. Keeps the order
 * of members, repeated names and every digit. Returns an empty list if there is no such member. Use the result only if
 * `isListOf` confirms that the member is a list.
 * @param text a valid JSON object
 */
export function elementTexts(text: string, name: string): readonly string[] {
  const elements: string[] = [];
  let element = "";
  let depth = 0;
  for (const token of listTokens(text, name)) {
    if (closes(token)) depth -= 1;
    if (depth === 0 && token === ",") {
      elements.push(element);
      element = "";
    } else element += token;
    if (opens(token)) depth += 1;
  }
  return element === "" ? elements : [...elements, element];
}

/** Whether the value is a list with the same number of elements as `texts`. */
export function isListOf(value: JsonValue | undefined, texts: readonly string[]): value is readonly JsonValue[] {
  return isJsonArray(value) && value.length === texts.length;
}

/** Returns the tokens between the brackets of the list in member `name`. */
function listTokens(text: string, name: string): readonly string[] {
  let found: string[] = [];
  let member = "";
  let depth = 0;
  for (const token of tokens(text)) {
    if (closes(token)) depth -= 1;
    if (depth === 1 && token.startsWith(QUOTE)) member = String(JSON.parse(token));
    if (depth > 1 && member === name) found.push(token);
    // If a name is repeated, the last value counts, as in `JSON.parse`.
    if (depth === 1 && opens(token) && member === name) found = [];
    if (opens(token)) depth += 1;
  }
  return found;
}

function opens(token: string): boolean {
  return token === "[" || token === "{";
}

function closes(token: string): boolean {
  return token === "]" || token === "}";
}

const QUOTE = '"';
const STRUCTURE = "{}[],:";
const SPACE = " \t\n\r";

/**
 * Yields the unchanged tokens of a JSON text that `JSON.parse` has accepted. This is a separate tokeniser, because
 * `JSON.parse` does not return the digits of numbers, and the strict scanner in `read/` returns problems instead of
 * tokens.
 */
function* tokens(text: string): Generator<string, void, undefined> {
  let at = 0;
  while (at < text.length) {
    const first = text.charAt(at);
    const end = SPACE.includes(first) || STRUCTURE.includes(first) ? at + 1 : tokenEnd(text, at);
    if (!SPACE.includes(first)) yield text.slice(at, end);
    at = end;
  }
}

function tokenEnd(text: string, start: number): number {
  let at = start + 1;
  if (text.charAt(start) === QUOTE) {
    while (text.charAt(at) !== QUOTE) at += text.charAt(at) === "\\" ? 2 : 1;
    return at + 1;
  }
  while (at < text.length && !SPACE.includes(text.charAt(at)) && !STRUCTURE.includes(text.charAt(at))) at += 1;
  return at;
}

/**
 * Decimals of at most this many characters lose no digit when they are converted to JavaScript numbers. Different
 * values therefore become different numbers.
 */
export const MAX_EXACT_LENGTH = 15;

/**
 * Whether the number `token` (RFC 8259) keeps its value when it is converted to a double and back. Always false for an
 * integer without an exponent whose absolute value is 2^53 or more, because adjacent integers may become the same
 * double.
 */
export function survivesDouble(token: string): boolean {
  if (token.length <= MAX_EXACT_LENGTH && !/[eE]/.test(token)) return true;
  const value = Number(token);
  return /^-?\d+$/.test(token) ? Number.isSafeInteger(value) : isExactNumber(value, token);
}
