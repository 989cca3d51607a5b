import { addToGroup } from "../../../model/groups.ts";
import type { Expression, PathExpression } from "../../language/expression.ts";
import { valuesOf, type RuleCompiler } from "./rule-compiler.ts";
import type { ReferenceList, Scope } from "../rule-context.ts";
import type { Cursor } from "./cursor.ts";
import { KEY_SEPARATOR, keyText, type Value } from "./rule-value.ts";
import { compileWalk, type Walk } from "./walk-path.ts";

/** Looks up the rows of a list by their cells in the index columns. */
export type RowIndex = (cells: readonly Value[]) => readonly Cursor[];

export function rowIndex(list: ReferenceList | undefined, columns: readonly string[]): RowIndex {
  const rows = new Map<string, Cursor[]>();
  for (const row of cursorsOf(list)) {
    addToGroup(rows, rowKey(columns.map((column) => row.value[column])), row);
  }
  return (cells) => rows.get(rowKey(cells)) ?? [];
}

/** Returns the key of a row in the index, built from its cells. */
export function rowKey(cells: readonly Value[]): string {
  return cells.map(cellKey).join(KEY_SEPARATOR);
}

/**
 * Converts a value to text for comparison with cells. Cells are text, so a number matches a cell that contains the same
 * digits.
 */
export function cellKey(value: Value): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.trim() : keyText(value);
}

/** Creates cursors for rows, which are not part of the payload and have no parent. */
function cursorsOf(
  list: ReferenceList | undefined,
): readonly (Cursor & { readonly value: ReferenceList["rows"][number] })[] {
  return (list?.rows ?? []).map((value) => ({ value, key: "listed" }));
}

/**
 * Compiles `listed.<list>[...]`. Uses an index if the filter requires a column to equal a text literal or a value of
 * the payload.
 */
export function walkReferenceRows(path: PathExpression, compiler: RuleCompiler): Walk {
  const [list, items, ...steps] = path.steps;
  const name = list?.kind === "field" ? list.name : "";
  const filter = items?.kind === "items" ? items.filter : undefined;
  const find = finder(compiler.context.references.get(name), filter, compiler);
  const follow = compileWalk({ ...path, base: "here", steps }, compiler.test);
  return (here, scope, visit, missing) => {
    let found = false;
    for (const row of find(here, scope)) {
      found = true;
      follow(row, scope, visit, missing);
    }
    if (!found) missing?.();
  };
}

type Find = (here: Cursor, scope: Scope) => Iterable<Cursor>;

function finder(list: ReferenceList | undefined, filter: Expression | undefined, compiler: RuleCompiler): Find {
  const rows = cursorsOf(list);
  if (filter === undefined) return () => rows;
  const conditions = conditionsIn(filter);
  const keyed = conditions.map(rowKeyCondition).find((key) => key !== undefined);
  const tests = conditions.filter((each) => each !== keyed?.condition).map(compiler.test);
  const passes = (row: Cursor, scope: Scope): boolean => tests.every((test) => test(row, scope));
  if (keyed === undefined) return (_here, scope) => rows.filter((row) => passes(row, scope));
  const index = rowIndex(list, [keyed.column]);
  const wanted = compiler.collect(keyed.value);
  return (here, scope) => {
    const keys = new Set(valuesOf(wanted, here, scope));
    return [...keys].flatMap((key) => index([key])).filter((row) => passes(row, scope));
  };
}

/** Returns the conditions joined by `and`. */
function conditionsIn(filter: Expression): readonly Expression[] {
  return filter.kind === "and" ? [...conditionsIn(filter.left), ...conditionsIn(filter.right)] : [filter];
}

/** Returns the column and the value of a condition that compares them, if the value does not depend on the row. */
function rowKeyCondition(condition: Expression) {
  if (condition.kind !== "comparison" || condition.operator !== "=") return undefined;
  const { left, right } = condition;
  const [column, value] = columnOf(left) === undefined ? [columnOf(right), left] : [columnOf(left), right];
  return column !== undefined && isOutside(value) ? { condition, column, value } : undefined;
}

function columnOf(expression: Expression): string | undefined {
  if (expression.kind !== "path" || expression.base !== "here") return undefined;
  const [only, second] = expression.steps;
  return only?.kind === "field" && second === undefined ? only.name : undefined;
}

function isOutside(value: Expression): boolean {
  return value.kind === "text" || (value.kind === "path" && (value.base === "this" || value.base === "top"));
}
