import { isJsonArray, type JsonValue } from "./json-value.ts";
import { survivesDouble } from "./number-precision.ts";

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Reads JSON without losing a digit: a number that a JavaScript number cannot hold, and every number that a member of
 * `decimals` has, becomes text with exactly the digits that stand in the JSON.
 * @returns undefined when the text is not JSON
 */
export function parseExact(text: string, decimals: ReadonlySet<string> = NO_NAMES): JsonValue | undefined {
  try {
    // Refuses what is not JSON: the tokens may then be counted on.
    JSON.parse(text);
    const value: JsonValue = JSON.parse(withExactNumbers(text, decimals));
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

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

/** JSON without the white space between its tokens; otherwise as it stands. */
export function compactJson(text: string): string {
  return [...tokens(text)].join("");
}

/**
 * The elements of the list that the member `name` of a JSON object holds, each as it was written, without white space:
 * the order of members, repeated names, every digit. None where there is no such list.
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

/** True when the value is a list of as many elements as texts were cut. */
export function isListOf(value: JsonValue | undefined, texts: readonly string[]): value is readonly JsonValue[] {
  return isJsonArray(value) && value.length === texts.length;
}

/** What stands between the brackets of the list. */
function listTokens(text: string, name: string): readonly string[] {
  let found: string[] = [];
  let member = "";
  let depth = 0;
  for (const token of tokens(text)) {
    if (closes(token)) depth -= 1;
    if (depth === 1 && token.startsWith(QUOTE)) member = nameIn(token);
    if (depth > 1 && member === name) found.push(token);
    // A name that stands twice: the parser takes the last one, too.
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

function nameIn(token: string): string {
  const name: unknown = JSON.parse(token);
  return String(name);
}

const QUOTE = '"';
const STRUCTURE = "{}[],:";
const SPACE = " \t\n\r";

/**
 * The tokens of a valid JSON text, each as it was written. A tokeniser of its own: `JSON.parse` gives no digits, and the
 * strict scanner of `read/` gives paths and findings, not tokens; this one relies on `JSON.parse` having accepted the text.
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
