import { DECEPTIVE } from "../text/invisible.ts";

/** Text that needs no escapes in JSON or on a terminal. */
const PLAIN = /^[ !#-[\]-~]*$/;
const UNSAFE = new RegExp(String.raw`[\p{Cc}${DECEPTIVE}]`, "gu");

/**
 * Returns the text as a JSON string that is exact and safe on a terminal. Control characters, bidirectional marks and
 * invisible characters become `\u` escapes, which every JSON parser decodes.
 */
export function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text).replace(UNSAFE, escaped);
}

/**
 * Makes valid JSON safe on a terminal, with the escapes of `jsonText`. Keeps line feeds, because valid JSON contains
 * them only between tokens.
 * @param json must not contain tabs or carriage returns between tokens; `JSON.stringify` writes neither by default
 */
export function safeJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, escaped);
}

/** Returns a value as safe JSON on one line. Omits values that JSON cannot represent, as `JSON.stringify` does. */
export function printableJson(value: object): string {
  return safeJson(JSON.stringify(value));
}

/** Returns a value as safe JSON, indented by two spaces, with a final line feed. */
export function indentedJson(value: object): string {
  return `${safeJson(JSON.stringify(value, undefined, 2))}\n`;
}

const UNSAFE_IN_JSON = new RegExp(String.raw`(?!\n)[\p{Cc}${DECEPTIVE}]`, "gu");

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
