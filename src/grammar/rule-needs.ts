import { partsOf, type Expression, type PathExpression } from "./expression.ts";
import { operandsOf } from "./rule-operands.ts";
import type { Rule, RuleBook } from "./rule.ts";

/** What a rule depends on, also through named values. */
export interface RuleNeeds {
  readonly settings: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  /** Reference lists. */
  readonly lists: ReadonlyMap<string, ListNeeds>;
}

interface ListNeeds {
  /** Columns by which rows are found: a list without them is not the list that the rule means. */
  readonly keys: ReadonlySet<string>;
  /** Columns of the row that was found: where a list has none of these, the rule has nothing to say. */
  readonly read: ReadonlySet<string>;
}

export function needsOf(rule: Rule, book: RuleBook): RuleNeeds {
  const needs: Collected = { settings: new Set(), formats: new Set(), lists: new Map() };
  if (rule.kind === "matches-format" && "name" in rule.format) needs.formats.add(rule.format.name);
  const found = rule.kind === "lookup" ? listIn(needs, rule.source) : undefined;
  if (rule.kind === "lookup") for (const column of rule.by) found?.keys.add(column);
  if (rule.kind === "in-set" && "source" in rule.set) {
    const { keys } = listIn(needs, rule.set.source);
    for (const column of rule.set.columns) keys.add(column);
  }
  const gather: Gather = { needs, book, found, seen: new Set() };
  for (const { expression } of operandsOf(rule)) visit(expression, undefined, gather);
  if (rule.each !== undefined) visit(rule.each, undefined, gather);
  return needs;
}

interface Collected {
  readonly settings: Set<string>;
  readonly formats: Set<string>;
  readonly lists: Map<string, CollectedList>;
}

interface CollectedList {
  readonly keys: Set<string>;
  readonly read: Set<string>;
}

interface Gather {
  readonly needs: Collected;
  readonly book: RuleBook;
  /** The list that `found` is a row of. */
  readonly found: CollectedList | undefined;
  readonly seen: Set<Expression>;
}

function listIn({ lists }: Collected, name: string): CollectedList {
  const list = lists.get(name) ?? { keys: new Set(), read: new Set() };
  lists.set(name, list);
  return list;
}

/** @param rows the list whose rows the expression is worked out for, if it is in a filter of one */
function visit(expression: Expression, rows: CollectedList | undefined, gather: Gather): void {
  const { needs, seen } = gather;
  if (seen.has(expression)) return;
  seen.add(expression);
  if (expression.kind === "setting") needs.settings.add(expression.name);
  if (expression.kind === "call" && expression.name === "is-format") {
    const [, format] = expression.operands;
    if (format?.kind === "text") needs.formats.add(format.text);
  }
  if (expression.kind === "path") visitPath(expression, rows, gather);
  else for (const part of partsOf(expression)) visit(part, rows, gather);
}

function visitPath(path: PathExpression, rows: CollectedList | undefined, gather: Gather): void {
  const { book, needs, found } = gather;
  const [first, column] = path.steps.flatMap((step) => (step.kind === "field" ? [step.name] : []));
  const list = path.base === "listed" ? listIn(needs, first ?? "") : undefined;
  if (path.base === "listed") note(column, list?.keys);
  if (path.base === "here") note(first, rows?.keys);
  if (path.base === "found") note(first, found?.read);
  for (const filter of partsOf(path)) visit(filter, list, gather);
  const value = book.values.get(nameOfValue(path) ?? "");
  if (value !== undefined) visit(value, undefined, gather);
}

function note(column: string | undefined, columns: Set<string> | undefined): void {
  if (column !== undefined) columns?.add(column);
}

/** The named value that a path ends with. */
function nameOfValue({ steps }: PathExpression): string | undefined {
  const last = steps.at(-1);
  return last?.kind === "named" ? last.name : undefined;
}
