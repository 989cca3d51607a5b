/** Text that stands in JSON, and on a terminal, as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The text as a JSON string. Exact, yet safe on a terminal: control characters, marks that turn the writing direction
 * and invisible characters stand as `\u` escapes, which every JSON parser turns back.
 */
export function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text).replace(UNSAFE, escaped);
}

/**
 * JSON as it was received, made safe on a terminal: what `jsonText` escapes stands as `\u` escapes here, too.
 * @param json valid JSON without white space between its tokens
 */
export function safeJson(json: string): string {
  return json.replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
