import type { AttrPath } from "../model/attr.ts";
import { requestTypes, type Operation } from "./contract.ts";
import type { Findings } from "./findings.ts";
import { FORMAT_NAMES, missingRegion } from "../grammar/format-names.ts";
import { partsOf, type Expression, type PathExpression } from "../grammar/expression.ts";
import { operandsOf } from "../grammar/rule-operands.ts";
import type { Rule, RuleBook } from "../grammar/rule.ts";
import { suggest } from "../model/suggest.ts";
import { fieldNames, follow, placesWithRules, type Standpoints, type TypePlace } from "./type-place.ts";

/**
 * Finds what rules name and nobody defines: named values, settings and formats (errors), and fields that the contract
 * has at none of the places where a rule stands (warnings). Rules that no request can meet are not looked at.
 */
export function checkRules(operations: readonly Operation[], book: RuleBook, findings: Findings): void {
  const uses: Uses = new Map();
  const checked = new Set<Rule>();
  for (const [name, value] of book.values) checkNames(value, ["x-rule-values", name], book, findings);
  for (const type of operations.flatMap(requestTypes)) {
    for (const place of placesWithRules(type)) {
      for (const rule of place.type.rules ?? []) {
        if (!checked.has(rule))
          for (const { expression } of operandsOf(rule)) checkNames(expression, rule.place, book, findings);
        checked.add(rule);
        noteUses(rule, place, { book, uses });
      }
    }
  }
  for (const { known, place, message } of uses.values()) {
    if (!known) findings.add("warning", "bad-rule", message, place);
  }
}

function checkNames(expression: Expression, place: AttrPath, book: RuleBook, findings: Findings): void {
  for (const fault of faultsOf(expression, book)) findings.add("error", "bad-rule", fault, place);
  for (const part of partsOf(expression)) checkNames(part, place, book, findings);
}

/** What is wrong with the expression itself, its parts apart. */
function faultsOf(expression: Expression, { settings, values }: RuleBook): readonly string[] {
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
type Uses = Map<string, Use>;

interface Use {
  readonly known: boolean;
  readonly place: AttrPath;
  readonly message: string;
}

interface Noting {
  readonly book: RuleBook;
  readonly uses: Uses;
}

function noteUses(rule: Rule, place: TypePlace, noting: Noting): void {
  const top = [place];
  const outside: Standpoints = { here: top, self: top, top };
  if (rule.each !== undefined) noteUse(rule.each, outside, rule.place, noting);
  const here = rule.each === undefined ? top : (follow(rule.each, outside) ?? []);
  const standing: Standpoints = { here, self: here, top };
  for (const { expression, at } of operandsOf(rule)) {
    const items = at === undefined ? here : follow(at, standing);
    if (items !== undefined && items.length > 0) noteUse(expression, { ...standing, here: items }, rule.place, noting);
  }
}

/** The paths in an expression; those in filters and named values are looked up from where these stand. */
function noteUse(expression: Expression, from: Standpoints, place: AttrPath, noting: Noting): void {
  if (expression.kind !== "path") {
    for (const part of partsOf(expression)) noteUse(part, from, place, noting);
    return;
  }
  const found = follow(expression, from);
  if (found === undefined) return noteRows(expression, from, place, noting);
  const key = [...place, expression.text].join("\n");
  const before = noting.uses.get(key);
  if (before?.known !== true) {
    noting.uses.set(key, { known: found.length > 0, place, message: unknownField(expression, from) });
  }
  noteFilters(expression, from, place, noting);
  const last = expression.steps.at(-1);
  const value = last?.kind === "named" ? noting.book.values.get(last.name) : undefined;
  if (value !== undefined && found.length > 0) {
    noteUse(value, { ...from, here: found }, ["x-rule-values", last?.kind === "named" ? last.name : ""], noting);
  }
}

/** Of the filters of rows: what names fields of the payload, not columns. */
function noteRows(expression: Expression, from: Standpoints, place: AttrPath, noting: Noting): void {
  for (const part of partsOf(expression)) {
    if (part.kind === "path" && part.base !== "here") noteUse(part, from, place, noting);
    else noteRows(part, from, place, noting);
  }
}

function noteFilters(path: PathExpression, from: Standpoints, place: AttrPath, noting: Noting): void {
  for (const [index, step] of path.steps.entries()) {
    if (step.kind !== "items" || step.filter === undefined) continue;
    const items = follow({ ...path, steps: path.steps.slice(0, index + 1) }, from);
    if (items !== undefined && items.length > 0) noteUse(step.filter, { ...from, here: items }, place, noting);
  }
}

/** Names the first step that leads nowhere. */
function unknownField(path: PathExpression, from: Standpoints): string {
  let holders: readonly TypePlace[] = from.here;
  for (const [index, step] of path.steps.entries()) {
    const reached = follow({ ...path, steps: path.steps.slice(0, index + 1) }, from) ?? [];
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
