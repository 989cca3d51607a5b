import type { AttrPath } from "../../json/attr.ts";
import { formatCount } from "../../text/count.ts";
import type { FieldType, UnionType } from "./field-type.ts";
import type { Findings } from "../contract-findings.ts";
import { childTypes } from "./type-tree.ts";

/** Maximum number of options in one union, including the options of unions directly inside it. */
export const MAX_OPTIONS = 10_000;

/** `contract check` warns if there are more paths than this through the alternatives of a schema. */
const MANY_WAYS = 10_000;

/** Returns the number of options. For an option that is a union, counts the options of the union. */
export function countOptions(options: readonly FieldType[], known: ReadonlyMap<UnionType, UnionPlace>): number {
  return options.reduce((sum, option) => sum + ((option.kind === "union" && known.get(option)?.options) || 1), 0);
}

/** The place of a union, and its number of options (`countOptions`). */
export interface UnionPlace {
  readonly path: AttrPath;
  readonly options: number;
}

/**
 * Warns about the innermost alternatives that allow many interpretations of one value, because each level of nested
 * alternatives multiplies the work on a record.
 */
export function reportManyWays(unions: ReadonlyMap<UnionType, UnionPlace>, findings: Findings): void {
  const ways = new Map<FieldType, number>();
  for (const [union, { path }] of unions) {
    const within = union.options.reduce((max, option) => Math.max(max, countWays(option, ways)), 0);
    if (countWays(union, ways) <= MANY_WAYS || within > MANY_WAYS) continue;
    const message = `these alternatives and the alternatives inside them allow more than ${formatCount(MANY_WAYS)} interpretations of a value; validation of a record may be slow, and fails if it takes too long`;
    findings.add("warning", "many-alternatives", message, path);
  }
}

/** Counts the paths through the alternatives of a type. Counts a recursive type once. */
function countWays(type: FieldType, ways: Map<FieldType, number>): number {
  const known = ways.get(type);
  if (known !== undefined) return known;
  ways.set(type, 0);
  const children = type.kind === "union" ? type.options : childTypes(type);
  const below = children.reduce((sum, child) => sum + countWays(child, ways), 0);
  const count = type.kind === "union" ? type.options.length + below : below;
  ways.set(type, count);
  return count;
}
