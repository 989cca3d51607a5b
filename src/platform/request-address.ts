import type { Lookup, RequestForm } from "../contract/operations/operation.ts";
import { namesInPath } from "../contract/operations/request-parameters.ts";
import { formatAttr } from "../json/attr.ts";
import { type JsonObject, type JsonValue, valueAt } from "../json/json-value.ts";
import type { MappedValues } from "../model/record.ts";
import { strip } from "../text/unicode-text.ts";
import { filledPath, isPathSegment, joinPath } from "../transport/base-url.ts";

/** Returns the address of an operation's request, with its parameters in the path, the query and the headers. */
export function requestAddress(
  baseUrl: URL,
  { path, parameters = [] }: { readonly path: string } & RequestForm,
  values: JsonObject = NO_VALUES,
): { readonly url: URL; readonly headers: Readonly<Record<string, string>> } {
  const url = joinPath(
    baseUrl,
    filledPath(path, (name) => values[name]),
  );
  const headers: Record<string, string> = {};
  for (const { name, in: where } of parameters) {
    const value = values[name];
    if (value === undefined || value === null || typeof value === "object") continue;
    if (where === "query") url.searchParams.append(name, String(value));
    // Whitespace around a header value is not part of it, and the HTTP client refuses line breaks.
    if (where === "header") headers[name.toLowerCase()] = String(value).trim();
  }
  return { url, headers };
}

const NO_VALUES: JsonObject = {};

/** The path of a query, or the reason why the record has no such path. */
export type LookupPath = { readonly path: string } | { readonly reason: string };

/**
 * Returns the path of an operation that queries a record. Its parameters come from the payload, without the whitespace
 * that the platform removes, or from the parameters of the record's requests. A path with a missing parameter would
 * lead to another resource, and its reply would be about another record.
 */
export function lookupPath(
  { operation: { path }, parameters }: Lookup,
  { payload, parameters: values = NO_VALUES }: MappedValues,
): LookupPath {
  const segmentOf = (name: string): string => {
    const attr = parameters[name];
    return attr === undefined ? scalarText(values[name]) : strip(scalarText(valueAt(payload, attr)));
  };
  const unusable = namesInPath(path).find((name) => !isPathSegment(segmentOf(name)));
  if (unusable === undefined) return { path: filledPath(path, segmentOf) };
  const from = formatAttr(parameters[unusable] ?? ["parameters", unusable]);
  return { reason: `the path parameter "${unusable}" (${from}) is missing, blank, "." or ".."` };
}

function scalarText(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
