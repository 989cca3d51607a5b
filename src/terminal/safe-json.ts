import { DECEPTIVE } from "../text/invisible.ts";

/** Text that needs no escapes in JSON or on a terminal. */
const PLAIN = /^[ !#-[\]-~]*$/;
const UNSAFE = new RegExp(String.raw`[\p{Cc}${DECEPTIVE}]`, "gu");

/**
 * The text as a JSON string. Exact, yet safe on a terminal: control characters, marks that turn the writing direction
 * and invisible characters stand as `\u` escapes, which every JSON parser turns back.
 */
export function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text).replace(UNSAFE, escaped);
}

/**
 * Valid JSON made safe on a terminal: what `jsonText` escapes stands as `\u` escapes here, too. Line feeds stay, which in
 * valid JSON stand between tokens alone.
 */
export function safeJson(json: string): string {
  return json.replace(UNSAFE_IN_JSON, escaped);
}

/**
 * A value as safe JSON, on one line or indented by two spaces. What JSON has no word for is left out, as by
 * `JSON.stringify`.
 */
export function printableJson(value: object, layout: "line" | "indented" = "line"): string {
  return safeJson(JSON.stringify(value, undefined, layout === "line" ? undefined : 2));
}

const UNSAFE_IN_JSON = new RegExp(String.raw`(?!\n)[\p{Cc}${DECEPTIVE}]`, "gu");

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
