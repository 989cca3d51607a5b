import { type Scalar, parseDocument, visit } from "yaml";
import { parseJson } from "../../json/parse-json.ts";

/** Returns an edited JSON document with its new names and strings in JSON notation. Other documents are unchanged. */
export function inStyleOf(before: string, made: string): string {
  if (parseJson(before) === undefined) return made;
  const scalars: { readonly scalar: Scalar; readonly isKey: boolean }[] = [];
  visit(parseDocument(made, { uniqueKeys: false }), {
    Scalar: (place, scalar) => void scalars.push({ scalar, isKey: place === "key" }),
  });
  return scalars.reduceRight((text, { scalar, isKey }) => {
    const [start = 0, end = start] = scalar.range ?? [];
    const written = parseJson(text.slice(start, end));
    if (typeof written === "string" || (written !== undefined && !isKey)) return text;
    const value = isKey ? (scalar.source ?? String(scalar.value)) : scalar.value;
    return text.slice(0, start) + JSON.stringify(value) + text.slice(end);
  }, made);
}
