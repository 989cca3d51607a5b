import type { AttrPath } from "../json/attr.ts";
import { requestTypes, type Operation } from "./operations/operation.ts";
import type { Findings } from "./contract-findings.ts";
import { FORMAT_NAMES, missingRegion } from "../rules/language/format-names.ts";
import { subexpressionsOf, type Expression, type PathExpression } from "../rules/language/expression.ts";
import { operandsOf, type Rule, type RuleDeclarations } from "../rules/language/rule.ts";
import { didYouMean } from "../text/suggestion.ts";
import { fieldNames, followPath, placesWithRules, type PathBases, type TypePlace } from "./types/type-place.ts";

/**
 * Reports errors for unknown named values, settings and formats in rules, and for lists used as numbers. Reports a
 * warning for a path that resolves at no place where its rule applies. Skips rules of schemas that no request uses.
 */
export function checkRules(operations: readonly Operation[], declarations: RuleDeclarations, findings: Findings): void {
  const uses: PathUses = new Map();
  const checked = new Set<Rule>();
  for (const [name, value] of declarations.values) checkNames(value, ["x-rule-values", name], declarations, findings);
  for (const type of operations.flatMap(requestTypes)) {
    for (const place of placesWithRules(type)) {
      for (const rule of place.type.rules ?? []) {
        if (!checked.has(rule))
          for (const { expression } of operandsOf(rule)) checkNames(expression, rule.place, declarations, findings);
        checked.add(rule);
        recordUses(rule, place, { declarations, uses });
      }
    }
  }
  for (const { known, place, message } of uses.values()) {
    if (!known) findings.add("warning", "bad-rule", message, place);
  }
}

function checkNames(expression: Expression, place: AttrPath, declarations: RuleDeclarations, findings: Findings): void {
  for (const issue of issuesOf(expression, declarations)) findings.add("error", "bad-rule", issue, place);
  for (const part of subexpressionsOf(expression)) checkNames(part, place, declarations, findings);
}

/** Error messages for the expression itself, excluding its subexpressions. */
function issuesOf(expression: Expression, { settings, values }: RuleDeclarations): readonly string[] {
  if (expression.kind === "setting") {
    return unknownName("setting", expression.name, settings.keys(), "; declare it in x-rule-settings");
  }
  if (expression.kind === "path") {
    return expression.steps.flatMap((step) =>
      step.kind === "named" ? unknownName("named value", step.name, values.keys()) : [],
    );
  }
  if (expression.kind === "call" && expression.name === "is-format") {
    const [, format, region] = expression.operands;
    const name = format?.kind === "text" ? format.text : "";
    const missing = region === undefined ? missingRegion(name) : undefined;
    return missing === undefined ? unknownName("format", name, FORMAT_NAMES) : [missing];
  }
  if (expression.kind !== "arithmetic") return [];
  const list = [expression.left, expression.right].find((side) => side.kind === "path" && isMany(side));
  if (list?.kind !== "path") return [];
  return [`"${list.text}" has several values: use it in sum(), min(), max() or count()`];
}

function unknownName(what: string, name: string, known: Iterable<string>, advice = ""): readonly string[] {
  const names = [...known];
  if (names.includes(name)) return [];
  return [`there is no ${what} "${name}"${didYouMean(name, names) || advice}`];
}

function isMany(path: PathExpression): boolean {
  return path.steps.some(({ kind }) => kind === "items" || kind === "members");
}

/** For each rule and path: whether the path resolves at any place where the rule applies. */
type PathUses = Map<string, { readonly known: boolean; readonly place: AttrPath; readonly message: string }>;

interface UseContext {
  readonly declarations: RuleDeclarations;
  readonly uses: PathUses;
}

function recordUses(rule: Rule, place: TypePlace, context: UseContext): void {
  const top = [place];
  const outside: PathBases = { here: top, self: top, top };
  if (rule.each !== undefined) recordUse(rule.each, outside, rule.place, context);
  const here = rule.each === undefined ? top : (followPath(rule.each, outside) ?? []);
  const bases: PathBases = { here, self: here, top };
  for (const { expression, at } of operandsOf(rule)) {
    const items = at === undefined ? here : followPath(at, bases);
    if (items !== undefined && items.length > 0) recordUse(expression, { ...bases, here: items }, rule.place, context);
  }
}

/**
 * Records whether each path in an expression resolves. Paths in a filter start at the filtered items. Paths in a named
 * value start at the place before its name.
 */
function recordUse(expression: Expression, from: PathBases, place: AttrPath, context: UseContext): void {
  if (expression.kind !== "path") {
    for (const part of subexpressionsOf(expression)) recordUse(part, from, place, context);
    return;
  }
  const found = followPath(expression, from);
  if (found === undefined) return recordRowFilters(expression, from, place, context);
  const key = [...place, expression.text].join("\n");
  const before = context.uses.get(key);
  if (before?.known !== true) {
    context.uses.set(key, { known: found.length > 0, place, message: unknownField(expression, from) });
  }
  recordFilters(expression, from, place, context);
  const last = expression.steps.at(-1);
  const value = last?.kind === "named" ? context.declarations.values.get(last.name) : undefined;
  if (value !== undefined && found.length > 0) {
    recordUse(value, { ...from, here: found }, ["x-rule-values", last?.kind === "named" ? last.name : ""], context);
  }
}

/** In filters of reference rows, records only paths into the payload, because all other paths name columns. */
function recordRowFilters(expression: Expression, from: PathBases, place: AttrPath, context: UseContext): void {
  for (const part of subexpressionsOf(expression)) {
    if (part.kind === "path" && part.base !== "here") recordUse(part, from, place, context);
    else recordRowFilters(part, from, place, context);
  }
}

function recordFilters(path: PathExpression, from: PathBases, place: AttrPath, context: UseContext): void {
  for (const [index, step] of path.steps.entries()) {
    if (step.kind !== "items" || step.filter === undefined) continue;
    const items = followPath({ ...path, steps: path.steps.slice(0, index + 1) }, from);
    if (items !== undefined && items.length > 0) recordUse(step.filter, { ...from, here: items }, place, context);
  }
}

/** The message for a path that does not resolve, with a suggestion for the first step that does not resolve. */
function unknownField(path: PathExpression, from: PathBases): string {
  let holders: readonly TypePlace[] = from.here;
  for (const [index, step] of path.steps.entries()) {
    const reached = followPath({ ...path, steps: path.steps.slice(0, index + 1) }, from) ?? [];
    if (reached.length > 0) {
      holders = reached;
      continue;
    }
    const hint = step.kind === "field" ? didYouMean(step.name, fieldNames(holders)) : "";
    return `"${path.text}" does not resolve to a field of the contract${hint}`;
  }
  return "";
}
