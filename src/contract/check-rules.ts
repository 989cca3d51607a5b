import { type AttrPath, type AttrSegment, formatAttr, NON_FIELD_ERRORS } from "../json/attr.ts";
import {
  type Expression,
  namedValueOf,
  type PathExpression,
  type PathStep,
  subexpressionsOf,
} from "../rules/language/expression.ts";
import { type Rule, type RuleDeclarations, operandsOf } from "../rules/language/rule.ts";
import { getOrAdd } from "../model/groups.ts";
import { didYouMean } from "../text/suggestion.ts";
import type { Findings } from "./contract-findings.ts";
import { expressionIssues, operandIssues } from "./expression-issues.ts";
import { type Operation, requestTypes } from "./operations/operation.ts";
import { type FieldType, type ObjectType, memberType } from "./types/field-type.ts";
import { childTypes } from "./types/type-tree.ts";

/**
 * Reports errors in the expressions of rules, such as unknown named values, settings and formats, formats without the
 * required region, and lists where a single value is needed. Warns about each path and `attr` that does not resolve at
 * any place where its rule applies. Skips rules of schemas that no request uses.
 */
export function checkRules(operations: readonly Operation[], declarations: RuleDeclarations, findings: Findings): void {
  const uses: PathUses = new Map();
  const checked = new Set<Rule>();
  for (const [name, value] of declarations.values) {
    for (const issue of expressionIssues(value, declarations)) {
      findings.add("error", "bad-rule", issue, ["x-rule-values", name]);
    }
  }
  for (const type of operations.flatMap(requestTypes)) {
    for (const place of placesWithRules(type)) {
      for (const rule of place.type.rules ?? []) {
        if (!checked.has(rule)) checkOperands(rule, declarations, findings);
        checked.add(rule);
        recordUses(rule, place, { declarations, uses });
      }
    }
  }
  for (const { known, place, message } of uses.values()) {
    if (!known) findings.add("warning", "bad-rule", message, place);
  }
}

function checkOperands(rule: Rule, declarations: RuleDeclarations, findings: Findings): void {
  const each = rule.each === undefined ? [] : [{ member: "each", expression: rule.each }];
  for (const { member, expression } of [...operandsOf(rule), ...each]) {
    for (const issue of operandIssues(member, expression, declarations)) {
      findings.add("error", "bad-rule", issue, rule.place);
    }
    const test = rule.kind === "lookup" && member === "test";
    for (const { base, text } of pathsIn(expression, declarations)) {
      if (base === "other" && member !== "unless") {
        findings.add("error", "bad-rule", `"${text}" is allowed only in "unless"`, rule.place);
      }
      if (base === "found" && !test) {
        findings.add("error", "bad-rule", `"${text}" is allowed only in the "test" of a lookup`, rule.place);
      }
    }
  }
}

/** Returns the paths in an expression, in its filters and in its named values. */
function pathsIn(expression: Expression, { values }: RuleDeclarations): readonly PathExpression[] {
  const found: PathExpression[] = [];
  const open = new Set([expression]);
  for (const part of open) {
    for (const inner of subexpressionsOf(part)) open.add(inner);
    if (part.kind !== "path") continue;
    found.push(part);
    const value = values.get(namedValueOf(part) ?? "");
    if (value !== undefined) open.add(value);
  }
  return found;
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
  if (rule.attr !== undefined && place.type.kind === "object") {
    recordUse(pathOfAttr(rule.attr), outside, rule.place, context);
  }
  const here = rule.each === undefined ? top : (followPath(rule.each, outside) ?? []);
  const bases: PathBases = { here, self: here, top };
  for (const { expression, at } of operandsOf(rule)) {
    const items = at === undefined ? here : followPath(at, bases);
    if (items !== undefined && items.length > 0) recordUse(expression, { ...bases, here: items }, rule.place, context);
  }
}

/** Returns the path of the value to which an attr belongs. */
function pathOfAttr(attr: readonly AttrSegment[]): PathExpression {
  const segments = attr.at(-1) === NON_FIELD_ERRORS ? attr.slice(0, -1) : attr;
  const steps = segments.map((segment): PathStep => {
    const isItem = segment === "[]" || typeof segment === "number";
    return isItem ? { kind: "items" } : { kind: "field", name: segment };
  });
  return { kind: "path", base: "here", steps, text: formatAttr(attr).replaceAll(".[]", "[]") };
}

/**
 * Records whether each path in an expression resolves. Paths in a filter start at the filtered items. Paths in a named
 * value start at the path before its name: for `a.$name`, at `a`.
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
  const name = namedValueOf(expression) ?? "";
  const value = context.declarations.values.get(name);
  if (value !== undefined && found.length > 0) {
    recordUse(value, { ...from, here: found }, ["x-rule-values", name], context);
  }
}

/**
 * Records the paths that lead from filters of reference rows into the payload. All other paths in these filters name
 * columns.
 */
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

/** Returns the message for a path that does not resolve, with a suggestion for the first step that does not resolve. */
function unknownField(path: PathExpression, from: PathBases): string {
  const reachedBy = (steps: number): readonly TypePlace[] =>
    followPath({ ...path, steps: path.steps.slice(0, steps) }, from) ?? [];
  const index = path.steps.findIndex((_, before) => reachedBy(before + 1).length === 0);
  const step = path.steps[index];
  const hint = step?.kind === "field" ? didYouMean(step.name, fieldNames(reachedBy(index))) : "";
  return `"${path.text}" does not resolve to a field of the contract${hint}`;
}

/** A type and its enclosing object types: one position at which a payload can contain a value of this type. */
interface TypePlace {
  readonly type: FieldType;
  /** The object that contains the value; lists are skipped. */
  readonly holder?: TypePlace;
}

/**
 * Returns every position at which a payload of the type can contain a value with rules. Enters each type only once per
 * enclosing object type, because types may be recursive.
 */
function placesWithRules(body: FieldType): readonly TypePlace[] {
  const places: TypePlace[] = [];
  const seen = new Map<FieldType, Set<FieldType | undefined>>();
  const open: TypePlace[] = [{ type: body }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const holders = getOrAdd(seen, place.type, () => new Set<FieldType | undefined>());
    if (holders.has(place.holder?.type)) continue;
    holders.add(place.holder?.type);
    if (place.type.rules !== undefined) places.push(place);
    for (const below of placesBelow(place)) open.push(below);
  }
  return places;
}

function placesBelow(place: TypePlace): readonly TypePlace[] {
  const { type } = place;
  if (type.kind === "list") return [itemPlace(place, type.items)];
  if (type.kind === "union") return optionsOf(place);
  return type.kind === "object" ? memberPlaces(type, place) : [];
}

function memberPlaces(type: ObjectType, holder: TypePlace): readonly TypePlace[] {
  const fields = [...type.properties.values()].map((property) => ({ type: property.type, holder }));
  return type.additional === "closed" ? fields : [...fields, { type: type.additional, holder }];
}

function itemPlace({ holder }: TypePlace, type: FieldType): TypePlace {
  return holder === undefined ? { type } : { type, holder };
}

/**
 * Returns one place for each possible type of the value. Visits each type only once, because alternatives may contain
 * themselves.
 */
function optionsOf(place: TypePlace): readonly TypePlace[] {
  const types = new Set<FieldType>([place.type]);
  for (const type of types) {
    if (type.kind !== "union") continue;
    for (const option of childTypes(type)) types.add(option);
  }
  if (place.type.kind !== "union") return [place];
  return [...types].filter(({ kind }) => kind !== "union").map((type) => itemPlace(place, type));
}

/** The places at which the paths of a rule start. */
interface PathBases {
  readonly here: readonly TypePlace[];
  readonly self: readonly TypePlace[];
  readonly top: readonly TypePlace[];
}

/**
 * Returns the places to which a path leads, or an empty list if the contract has no such field. Returns undefined for a
 * path into a reference list. If the path ends in a named value, the caller handles that step.
 */
function followPath(path: PathExpression, from: PathBases): readonly TypePlace[] | undefined {
  const steps = path.steps.filter(({ kind }) => kind !== "named");
  switch (path.base) {
    case "found":
    case "listed":
      return undefined;
    case "above":
      return from.here.flatMap(({ holder }) => holdersOf(holder)).flatMap((place) => followSteps([place], steps));
    case "this":
      return followSteps(from.self, steps);
    case "top":
      return followSteps(from.top, steps);
    case "here":
    case "other":
      break;
  }
  return followSteps(from.here, steps);
}

function holdersOf(place: TypePlace | undefined): readonly TypePlace[] {
  return place === undefined ? [] : [place, ...holdersOf(place.holder)];
}

function followSteps(from: readonly TypePlace[], steps: readonly PathStep[]): readonly TypePlace[] {
  return steps.reduce<readonly TypePlace[]>((places, step) => places.flatMap((place) => followStep(step, place)), from);
}

function followStep(step: PathStep, place: TypePlace): readonly TypePlace[] {
  if (step.kind === "parent") return place.holder === undefined ? [] : [place.holder];
  return optionsOf(place).flatMap((option) => {
    const { type } = option;
    if (type.kind === "any") return [option];
    if (step.kind === "members") return type.kind === "object" ? memberPlaces(type, option) : [];
    if (step.kind === "items") return type.kind === "list" ? [itemPlace(option, type.items)] : [];
    const member = step.kind === "field" && type.kind === "object" ? memberType(type, step.name) : undefined;
    return member === undefined ? [] : [{ type: member, holder: option }];
  });
}

function fieldNames(places: readonly TypePlace[]): readonly string[] {
  return places.flatMap(optionsOf).flatMap(({ type }) => (type.kind === "object" ? [...type.properties.keys()] : []));
}
