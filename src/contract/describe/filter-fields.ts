import { attrPattern } from "../../json/attr.ts";
import { suggest } from "../../text/suggestion.ts";
import { Failure } from "../../model/failure.ts";
import type { FieldRow } from "./field-table.ts";

/** Which fields of an operation are wanted; all of these together. */
export interface FieldFilter {
  /** What has to be given wherever `under`, or the payload, is given. */
  readonly required?: boolean | undefined;
  /** Only what this attr holds, and itself: `customers`, `customers.0` is the same as `customers.*`. */
  readonly under?: string | undefined;
  /** Only what has this text in its attr, type, rules, codes or description; case does not count. */
  readonly search?: string | undefined;
}

export function isFiltered({ required, under, search }: FieldFilter): boolean {
  return required === true || under !== undefined || search !== undefined;
}

/** The rows of a field table that are wanted, in its order. */
export function filterFields(rows: readonly FieldRow[], filter: FieldFilter): readonly FieldRow[] {
  const under = filter.under === undefined ? "" : attrPattern(filter.under);
  const words = filter.search?.toLowerCase();
  const isRequired = filter.required === true ? requiredWithin(rows, under) : () => true;
  return rows.filter((row) => isWithin(row.attr, under) && isRequired(row) && (words === undefined || has(row, words)));
}

/**
 * @throws Failure `usage` for an attr that none of the rows has
 */
export function requireAttr(rows: readonly FieldRow[], attr: string): void {
  const wanted = attrPattern(attr);
  if (rows.some((row) => isWithin(row.attr, wanted))) return;
  throw new Failure("usage", `the operation has no field "${attr}"`, { hint: hintFor(wanted, rows) });
}

/** A slip in the whole attr, or in its last name where those around it were left out. */
function hintFor(wanted: string, rows: readonly FieldRow[]): string {
  const attrs = [...new Set(rows.map((row) => row.attr))];
  const byName = new Map(attrs.toReversed().map((attr) => [lastName(attr), attr]));
  const name = suggest(lastName(wanted), byName.keys());
  const near = (name === undefined ? undefined : byName.get(name)) ?? suggest(wanted, attrs);
  return near === undefined ? "look for a word of it with --search" : `did you mean "${near}"?`;
}

function lastName(attr: string): string {
  return attr.slice(attr.lastIndexOf(".") + 1);
}

function isWithin(attr: string, under: string): boolean {
  return under === "" || attr === under || attr.startsWith(`${under}.`);
}

/** A field of a part that may be left out is not asked for, whatever it is inside of that part. */
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
