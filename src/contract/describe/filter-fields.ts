import { attrPattern } from "../../json/attr.ts";
import { suggest } from "../../text/suggestion.ts";
import { Failure } from "../../model/failure.ts";
import type { FieldRow } from "./field-table.ts";

/** Conditions on the fields of an operation. A selected field meets all of them. */
export interface FieldFilter {
  /** Only fields that must be present whenever `under` is present, or in every payload if `under` is not set. */
  readonly required?: boolean | undefined;
  /**
   * Only this attr and its descendants. An item number matches all items: `customers.0` is the same as `customers.*`.
   */
  readonly under?: string | undefined;
  /** Only fields with this text in their attr, type, rules, codes, description or condition (`when`); ignores case. */
  readonly search?: string | undefined;
}

export function isFiltered({ required, under, search }: FieldFilter): boolean {
  return required === true || under !== undefined || search !== undefined;
}

/** The rows of a field table that match the filter, in table order. */
export function filterFields(rows: readonly FieldRow[], filter: FieldFilter): readonly FieldRow[] {
  const under = filter.under === undefined ? "" : attrPattern(filter.under);
  const words = filter.search?.toLowerCase();
  const isRequired = filter.required === true ? requiredWithin(rows, under) : () => true;
  return rows.filter((row) => isWithin(row.attr, under) && isRequired(row) && (words === undefined || has(row, words)));
}

/** @throws Failure `usage` if no row has the attr or a descendant of it */
export function requireAttr(rows: readonly FieldRow[], attr: string): void {
  const wanted = attrPattern(attr);
  if (rows.some((row) => isWithin(row.attr, wanted))) return;
  throw new Failure("usage", `the operation has no field "${attr}"`, { hint: hintFor(wanted, rows) });
}

/**
 * Suggests the attr with the most similar last segment, because users often omit parents; otherwise the most similar
 * attr.
 */
function hintFor(wanted: string, rows: readonly FieldRow[]): string {
  const attrs = [...new Set(rows.map((row) => row.attr))];
  const byName = new Map(attrs.toReversed().map((attr) => [lastSegment(attr), attr]));
  const name = suggest(lastSegment(wanted), byName.keys());
  const near = (name === undefined ? undefined : byName.get(name)) ?? suggest(wanted, attrs);
  return near === undefined ? "search for part of its name with --search" : `did you mean "${near}"?`;
}

function lastSegment(attr: string): string {
  return attr.slice(attr.lastIndexOf(".") + 1);
}

function isWithin(attr: string, under: string): boolean {
  return under === "" || attr === under || attr.startsWith(`${under}.`);
}

/** A field inside an optional parent is not required, even if that parent requires it. */
function requiredWithin(rows: readonly FieldRow[], under: string): (row: FieldRow) => boolean {
  const optional = new Set(rows.flatMap(({ attr, required }) => (required ? [] : [attr])));
  for (const { attr, required } of rows) if (required) optional.delete(attr);
  return ({ attr, required }) =>
    required && partsAround(attr).every((part) => isWithin(under, part) || !optional.has(part));
}

/** The ancestors of an attr: `a` and `a.*` for `a.*.b`. */
function partsAround(attr: string): readonly string[] {
  const names = attr.split(".");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("."));
}

function has({ attr, type, rules, description = "", codes, when = "" }: FieldRow, words: string): boolean {
  return [attr, type, description, when, ...rules, ...codes].some((text) => text.toLowerCase().includes(words));
}
