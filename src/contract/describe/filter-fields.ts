import { attrPattern } from "../../json/attr.ts";
import { suggest } from "../../text/suggestion.ts";
import { Failure } from "../../model/failure.ts";
import type { FieldRow } from "./field-table.ts";

/** Selects fields of an operation that meet all conditions. */
export interface FieldFilter {
  /** Only fields that are required whenever `under`, or the payload, is present. */
  readonly required?: boolean | undefined;
  /** Only this attr and its descendants: `customers`; `customers.0` means `customers.*`. */
  readonly under?: string | undefined;
  /** Only fields with this text in their attr, type, rules, codes or description; ignores case. */
  readonly search?: string | undefined;
}

export function isFiltered({ required, under, search }: FieldFilter): boolean {
  return required === true || under !== undefined || search !== undefined;
}

/** The selected rows of a field table, in its order. */
export function filterFields(rows: readonly FieldRow[], filter: FieldFilter): readonly FieldRow[] {
  const under = filter.under === undefined ? "" : attrPattern(filter.under);
  const words = filter.search?.toLowerCase();
  const isRequired = filter.required === true ? requiredWithin(rows, under) : () => true;
  return rows.filter((row) => isWithin(row.attr, under) && isRequired(row) && (words === undefined || has(row, words)));
}

/** @throws Failure `usage` for an attr that none of the rows has */
export function requireAttr(rows: readonly FieldRow[], attr: string): void {
  const wanted = attrPattern(attr);
  if (rows.some((row) => isWithin(row.attr, wanted))) return;
  throw new Failure("usage", `the operation has no field "${attr}"`, { hint: hintFor(wanted, rows) });
}

/** Suggests a correction of the whole attr, or of its last name if its parents were omitted. */
function hintFor(wanted: string, rows: readonly FieldRow[]): string {
  const attrs = [...new Set(rows.map((row) => row.attr))];
  const byName = new Map(attrs.toReversed().map((attr) => [lastName(attr), attr]));
  const name = suggest(lastName(wanted), byName.keys());
  const near = (name === undefined ? undefined : byName.get(name)) ?? suggest(wanted, attrs);
  return near === undefined ? "search for part of its name with --search" : `did you mean "${near}"?`;
}

function lastName(attr: string): string {
  return attr.slice(attr.lastIndexOf(".") + 1);
}

function isWithin(attr: string, under: string): boolean {
  return under === "" || attr === under || attr.startsWith(`${under}.`);
}

/** A field inside an optional part is not required, even if that part requires it. */
function requiredWithin(rows: readonly FieldRow[], under: string): (row: FieldRow) => boolean {
  const optional = new Set(rows.flatMap(({ attr, required }) => (required ? [] : [attr])));
  for (const { attr, required } of rows) if (required) optional.delete(attr);
  return ({ attr, required }) =>
    required && partsAround(attr).every((part) => isWithin(under, part) || !optional.has(part));
}

/** `a.*.b`: `a`, `a.*`. */
function partsAround(attr: string): readonly string[] {
  const names = attr.split(".");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("."));
}

function has({ attr, type, rules, description = "", codes, when = "" }: FieldRow, words: string): boolean {
  return [attr, type, description, when, ...rules, ...codes].some((text) => text.toLowerCase().includes(words));
}
