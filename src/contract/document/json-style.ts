import { type Scalar, parseDocument, visit } from "yaml";
import { parseJson } from "../../json/parse-json.ts";

/**
 * Returns the edited text. If the original text is JSON, converts the names and values that the edit wrote as YAML to
 * JSON notation.
 */
export function withJsonNotation(original: string, edited: string): string {
  if (parseJson(original) === undefined) return edited;
  const scalars: { readonly scalar: Scalar; readonly isKey: boolean }[] = [];
  visit(parseDocument(edited, { uniqueKeys: false }), {
    Scalar: (place, scalar) => void scalars.push({ scalar, isKey: place === "key" }),
  });
  return scalars.reduceRight((text, { scalar, isKey }) => {
    const [start = 0, end = start] = scalar.range ?? [];
    const written = parseJson(text.slice(start, end));
    if (typeof written === "string" || (written !== undefined && !isKey)) return text;
    const value = isKey ? (scalar.source ?? String(scalar.value)) : scalar.value;
    return text.slice(0, start) + JSON.stringify(value) + text.slice(end);
  }, edited);
}
