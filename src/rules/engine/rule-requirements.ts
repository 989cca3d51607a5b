import type { FieldType } from "../../contract/types/field-type.ts";
import { typesWithin } from "../../contract/types/type-tree.ts";
import { type Expression, namedValueOf, type PathExpression, subexpressionsOf } from "../language/expression.ts";
import { operandsOf, type Rule, type RuleDeclarations } from "../language/rule.ts";
import type { RuleConfiguration } from "./rule-context.ts";
import { getOrAdd } from "../../model/groups.ts";

/** The setting, the list, or the column (`list.column`) without which a rule cannot be checked. */
interface SkipReason {
  readonly kind: "setting" | "reference";
  readonly name: string;
}

/** Returns the first missing setting, list or column that a rule requires, or undefined if none is missing. */
export function skipReason(
  rule: Rule,
  { declarations, settings, references }: RuleConfiguration,
): SkipReason | undefined {
  const needs = requirementsOf(rule, declarations);
  for (const name of needs.settings) if (!settings.has(name)) return { kind: "setting", name };
  for (const [name, { read }] of needs.lists) {
    const list = references.get(name);
    if (list === undefined) return { kind: "reference", name };
    const missing = [...read].find((column) => !list.columns.includes(column));
    if (missing !== undefined) return { kind: "reference", name: `${name}.${missing}` };
  }
  return undefined;
}

/** Returns the rules that apply to a payload of the type, without duplicates. */
export function rulesWithin(body: FieldType): readonly Rule[] {
  return [...new Set(typesWithin(body).flatMap(({ rules }) => rules ?? []))];
}

/** The dependencies of a rule, direct or through named values. */
interface RuleRequirements {
  readonly settings: Set<string>;
  readonly formats: Set<string>;
  /** The required reference lists, by name. */
  readonly lists: Map<string, ListRequirements>;
}

interface ListRequirements {
  /** Columns that are used to look up rows. A list without one of these columns is rejected. */
  readonly keys: Set<string>;
  /** Columns that are read from matching rows. If the list lacks one of these columns, the rule is skipped. */
  readonly read: Set<string>;
}

export function requirementsOf(rule: Rule, declarations: RuleDeclarations): RuleRequirements {
  const needs: RuleRequirements = { settings: new Set(), formats: new Set(), lists: new Map() };
  if (rule.kind === "matches-format" && "name" in rule.format) needs.formats.add(rule.format.name);
  const found = rule.kind === "lookup" ? listIn(needs, rule.source) : undefined;
  if (rule.kind === "lookup") for (const column of rule.by) found?.keys.add(column);
  if (rule.kind === "in-set" && "source" in rule.set) {
    const { keys } = listIn(needs, rule.set.source);
    for (const column of rule.set.columns) keys.add(column);
  }
  const gather: Traversal = { needs, declarations, found, seen: new Set() };
  for (const { expression } of operandsOf(rule)) visit(expression, undefined, gather);
  if (rule.each !== undefined) visit(rule.each, undefined, gather);
  return needs;
}

interface Traversal {
  readonly needs: RuleRequirements;
  readonly declarations: RuleDeclarations;
  /** The list to which the row `found` belongs. */
  readonly found: ListRequirements | undefined;
  readonly seen: Set<Expression>;
}

function listIn({ lists }: RuleRequirements, name: string): ListRequirements {
  return getOrAdd(lists, name, () => ({ keys: new Set(), read: new Set() }));
}

/** @param rows the list whose rows the expression filters, if the expression is inside the filter of a list */
function visit(expression: Expression, rows: ListRequirements | undefined, gather: Traversal): void {
  const { needs, seen } = gather;
  if (seen.has(expression)) return;
  seen.add(expression);
  if (expression.kind === "setting") needs.settings.add(expression.name);
  if (expression.kind === "call" && expression.name === "is-format") {
    const [, format] = expression.operands;
    if (format?.kind === "text") needs.formats.add(format.text);
  }
  if (expression.kind === "path") visitPath(expression, rows, gather);
  else for (const part of subexpressionsOf(expression)) visit(part, rows, gather);
}

function visitPath(path: PathExpression, rows: ListRequirements | undefined, gather: Traversal): void {
  const { declarations, needs, found } = gather;
  const [first, column] = path.steps.flatMap((step) => (step.kind === "field" ? [step.name] : []));
  const list = path.base === "listed" ? listIn(needs, first ?? "") : undefined;
  if (path.base === "listed") addColumn(column, list?.read);
  if (path.base === "here") addColumn(first, rows?.keys);
  if (path.base === "found") addColumn(first, found?.read);
  for (const filter of subexpressionsOf(path)) visit(filter, list, gather);
  const value = declarations.values.get(namedValueOf(path) ?? "");
  if (value !== undefined) visit(value, undefined, gather);
}

function addColumn(column: string | undefined, columns: Set<string> | undefined): void {
  if (column !== undefined) columns?.add(column);
}
