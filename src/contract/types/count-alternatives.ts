import type { AttrPath } from "../../json/attr.ts";
import type { FieldType, UnionType } from "./field-type.ts";
import type { Findings } from "../contract-findings.ts";
import { childTypes } from "./type-tree.ts";

/** The most options of one schema, those of alternatives directly inside its alternatives counted. */
export const MAX_OPTIONS = 10_000;

/** The number of ways through the alternatives of a schema at which `contract check` warns. */
const MANY_WAYS = 10_000;

/** The options of a type: those of a union that is an option are counted in its place. */
export function countOptions(options: readonly FieldType[], known: ReadonlyMap<UnionType, UnionPlace>): number {
  return options.reduce((sum, option) => sum + ((option.kind === "union" && known.get(option)?.options) || 1), 0);
}

/** Where a union is written, and how many options it has (`countOptions`). */
export interface UnionPlace {
  readonly path: AttrPath;
  readonly options: number;
}

/**
 * Warns of the innermost alternatives through which one value can be read in many ways: each level of alternatives inside
 * alternatives multiplies the work on a record.
 */
export function reportManyWays(unions: ReadonlyMap<UnionType, UnionPlace>, findings: Findings): void {
  const ways = new Map<FieldType, number>();
  for (const [union, { path }] of unions) {
    const within = union.options.reduce((most, option) => Math.max(most, countWays(option, ways)), 0);
    if (countWays(union, ways) <= MANY_WAYS || within > MANY_WAYS) continue;
    const message = `there are more than ${MANY_WAYS.toLocaleString("en")} ways through these alternatives and those inside them; a record may take long to check, and is refused where it takes too long`;
    findings.add("warning", "many-alternatives", message, path);
  }
}

/** Types inside themselves are counted once. */
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
