import type { AttrPath } from "../json/attr.ts";
import { requestTypes, type Operation } from "./contract.ts";
import type { Findings } from "./contract-findings.ts";
import { FORMAT_NAMES, missingRegion } from "../rules/language/format-names.ts";
import { subexpressionsOf, type Expression, type PathExpression } from "../rules/language/expression.ts";
import { operandsOf } from "../rules/language/rule.ts";
import type { Rule, RuleDeclarations } from "../rules/language/rule.ts";
import { suggest } from "../text/suggestion.ts";
import { fieldNames, followPath, placesWithRules, type PathBases, type TypePlace } from "./types/type-place.ts";

/**
 * Finds what rules name and nobody defines: named values, settings and formats (errors), and fields that the contract
 * has at none of the places where a rule stands (warnings). Rules that no request can meet are not looked at.
 */
export function checkRules(operations: readonly Operation[], book: RuleDeclarations, findings: Findings): void {
  const uses: PathUses = new Map();
  const checked = new Set<Rule>();
  for (const [name, value] of book.values) checkNames(value, ["x-rule-values", name], book, findings);
  for (const type of operations.flatMap(requestTypes)) {
    for (const place of placesWithRules(type)) {
      for (const rule of place.type.rules ?? []) {
        if (!checked.has(rule))
          for (const { expression } of operandsOf(rule)) checkNames(expression, rule.place, book, findings);
        checked.add(rule);
        recordUses(rule, place, { book, uses });
      }
    }
  }
  for (const { known, place, message } of uses.values()) {
    if (!known) findings.add("warning", "bad-rule", message, place);
  }
}

function checkNames(expression: Expression, place: AttrPath, book: RuleDeclarations, findings: Findings): void {
  for (const fault of faultsOf(expression, book)) findings.add("error", "bad-rule", fault, place);
  for (const part of subexpressionsOf(expression)) checkNames(part, place, book, findings);
}

/** What is wrong with the expression itself, its parts apart. */
function faultsOf(expression: Expression, { settings, values }: RuleDeclarations): readonly string[] {
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
  return [`"${list.text}" gives several values: put it into sum(), min(), max() or count()`];
}

function unknownName(what: string, name: string, known: Iterable<string>, advice = ""): readonly string[] {
  const names = [...known];
  if (names.includes(name)) return [];
  const near = suggest(name, names);
  return [`there is no ${what} "${name}"${near === undefined ? advice : `; did you mean "${near}"?`}`];
}

function isMany(path: PathExpression): boolean {
  return path.steps.some(({ kind }) => kind === "items" || kind === "members");
}

/** Whether a path of a rule leads somewhere from any of the places where the rule stands, by rule and path. */
type PathUses = Map<string, PathUse>;

interface PathUse {
  readonly known: boolean;
  readonly place: AttrPath;
  readonly message: string;
}

interface UseContext {
  readonly book: RuleDeclarations;
  readonly uses: PathUses;
}

function recordUses(rule: Rule, place: TypePlace, noting: UseContext): void {
  const top = [place];
  const outside: PathBases = { here: top, self: top, top };
  if (rule.each !== undefined) recordUse(rule.each, outside, rule.place, noting);
  const here = rule.each === undefined ? top : (followPath(rule.each, outside) ?? []);
  const standing: PathBases = { here, self: here, top };
  for (const { expression, at } of operandsOf(rule)) {
    const items = at === undefined ? here : followPath(at, standing);
    if (items !== undefined && items.length > 0)
      recordUse(expression, { ...standing, here: items }, rule.place, noting);
  }
}

/** The paths in an expression; those in filters and named values are looked up from where these stand. */
function recordUse(expression: Expression, from: PathBases, place: AttrPath, noting: UseContext): void {
  if (expression.kind !== "path") {
    for (const part of subexpressionsOf(expression)) recordUse(part, from, place, noting);
    return;
  }
  const found = followPath(expression, from);
  if (found === undefined) return recordRowFilters(expression, from, place, noting);
  const key = [...place, expression.text].join("\n");
  const before = noting.uses.get(key);
  if (before?.known !== true) {
    noting.uses.set(key, { known: found.length > 0, place, message: unknownField(expression, from) });
  }
  recordFilters(expression, from, place, noting);
  const last = expression.steps.at(-1);
  const value = last?.kind === "named" ? noting.book.values.get(last.name) : undefined;
  if (value !== undefined && found.length > 0) {
    recordUse(value, { ...from, here: found }, ["x-rule-values", last?.kind === "named" ? last.name : ""], noting);
  }
}

/** Of the filters of rows: what names fields of the payload, not columns. */
function recordRowFilters(expression: Expression, from: PathBases, place: AttrPath, noting: UseContext): void {
  for (const part of subexpressionsOf(expression)) {
    if (part.kind === "path" && part.base !== "here") recordUse(part, from, place, noting);
    else recordRowFilters(part, from, place, noting);
  }
}

function recordFilters(path: PathExpression, from: PathBases, place: AttrPath, noting: UseContext): void {
  for (const [index, step] of path.steps.entries()) {
    if (step.kind !== "items" || step.filter === undefined) continue;
    const items = followPath({ ...path, steps: path.steps.slice(0, index + 1) }, from);
    if (items !== undefined && items.length > 0) recordUse(step.filter, { ...from, here: items }, place, noting);
  }
}

/** Names the first step that leads nowhere. */
function unknownField(path: PathExpression, from: PathBases): string {
  let holders: readonly TypePlace[] = from.here;
  for (const [index, step] of path.steps.entries()) {
    const reached = followPath({ ...path, steps: path.steps.slice(0, index + 1) }, from) ?? [];
    if (reached.length > 0) {
      holders = reached;
      continue;
    }
    const near = step.kind === "field" ? suggest(step.name, fieldNames(holders)) : undefined;
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    return `"${path.text}" leads to no field of the contract${hint}`;
  }
  return "";
}
