import type { Lookup, RequestForm } from "../contract/operations/operation.ts";
import { type JsonObject, valueAt } from "../json/json-value.ts";
import { filledPath, joinPath } from "../transport/base-url.ts";

/** The parts of a record from which an address is built. */
interface SentRecord {
  readonly payload: JsonObject;
  /** The values of the request parameters, by name. */
  readonly parameters?: JsonObject | undefined;
}

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

/**
 * Returns the path of an operation that queries a record; its parameters come from the payload or from the parameters
 * of the record's requests.
 */
export function lookupPath(
  { operation, parameters }: Lookup,
  { payload, parameters: values = NO_VALUES }: SentRecord,
): string {
  return filledPath(operation.path, (name) => {
    const attr = parameters[name];
    return attr === undefined ? values[name] : valueAt(payload, attr);
  });
}
