import type { Discriminator, FieldType, ObjectType } from "../../../src/contract/types/field-type.ts";
import { definedMembers } from "../../../src/json/defined-members.ts";
import { publishedSentence } from "../../../src/contract/describe/published-codes.ts";
import { acceptedOptions, tagText, typesLeadingTo, untaggedOptions } from "../../../src/contract/types/type-tree.ts";
import { createOptionChoice } from "../../../src/validate/compile-validator.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import type { RuleProblem } from "../../../src/model/problem.ts";
import { shapeOf } from "../../../src/text/shape.ts";
import { type AttrPath, formatAttr } from "../../../src/json/attr.ts";
import { createRuleCompiler } from "./expressions/compile-expression.ts";
import { compileRule, type BrokenRule, type CompiledRule } from "./compile-rule.ts";
import type { Rule } from "../../../src/rules/language/rule.ts";
import { skipReason } from "../../../src/rules/engine/rule-requirements.ts";
import type { RuleContext, Scope } from "../../../src/rules/engine/rule-context.ts";
import type { Cursor } from "./expressions/cursor.ts";

/** A rule problem without its source cell. `path` is the path of the value concerned. */
type FoundRuleProblem = Omit<RuleProblem, "place"> & { readonly path: AttrPath };

/**
 * Finds the violations of the rules in one payload, each once. `reported`: attrs that already have a problem; a rule
 * that reads one of them reports nothing. Not re-entrant. Returns one shared empty array for a valid payload.
 */
export type RuleValidator = (payload: JsonObject, reported: ReadonlySet<string>) => readonly FoundRuleProblem[];

export interface RuleValidatorOptions {
  /** Whether problems include the value itself: only if the user asked to see values. */
  readonly keepValues: boolean;
}

/**
 * Compiles the rules of a request body's type; undefined if it has no rules that can be checked. Rules that depend on a
 * missing setting or reference list are omitted.
 */
export function compileRules(
  body: FieldType,
  context: RuleContext,
  { keepValues }: RuleValidatorOptions,
): RuleValidator | undefined {
  const { visitorOf, askedBy } = createVisitors(body, context);
  const visit = visitorOf(body);
  if (visit === undefined) return undefined;
  // Keyed by code, attr and path, so that a problem found by several rules is reported only once.
  const found = new Map<string, FoundRuleProblem>();
  const scope: Scope = {
    top: { value: null },
    self: { value: null },
    other: undefined,
    found: undefined,
    reported: undefined,
    readsReported: false,
  };
  const add = (broken: BrokenRule): void => addProblem(broken, askedBy, found, keepValues);
  return (payload, reported) => {
    const root: Cursor = { value: payload };
    scope.reported = reported.size === 0 ? undefined : reported;
    visit(root, scope, add);
    if (found.size === 0) return NO_PROBLEMS;
    const problems = [...found.values()];
    found.clear();
    return problems;
  };
}

const NO_PROBLEMS: readonly FoundRuleProblem[] = Object.freeze([]);

function addProblem(
  broken: BrokenRule,
  askedBy: Visitors["askedBy"],
  problems: Map<string, FoundRuleProblem>,
  keepValues: boolean,
): void {
  const { rule, attr, path, value } = broken;
  const key = [rule.code, attr, ...path].join("\n");
  if (problems.has(key)) return;
  const { code, severity, about, message } = rule;
  const isScalar = value !== undefined && typeof value !== "object";
  problems.set(key, {
    attr,
    path,
    severity,
    by: "local",
    code,
    rule: wordingOf(rule),
    fields: about,
    ...definedMembers({ at: attrBelow(broken) }),
    ...definedMembers(message === undefined ? { asked: askedBy(rule) } : { message }),
    ...(isScalar && { shape: shapeOf(value) }),
    ...(isScalar && keepValues && { value: String(value) }),
  });
}

function wordingOf(rule: Rule): string {
  if (rule.kind === "in-set" && rule.negate) return "in-set: negate";
  if (rule.kind !== "contiguous") return rule.kind;
  return `contiguous${rule.overlaps ? ": overlaps" : ""}${rule.lastIsOpen ? ": open" : ""}`;
}

/**
 * Returns the attr of the value concerned, or of the list item that lacks a value; undefined if the problem's attr
 * names it.
 */
function attrBelow({ attr, path, value }: BrokenRule): string | undefined {
  const end = value === undefined ? path.findLastIndex((segment) => typeof segment === "number") + 1 : path.length;
  const below = formatAttr(path.slice(0, end));
  return end === 0 || `${attr}.`.startsWith(`${below}.`) ? undefined : below;
}

type Visit = (cursor: Cursor, scope: Scope, add: (broken: BrokenRule) => void) => void;

function visitNothing(): void {}

interface Visitors {
  /** Compiles each type once; undefined if neither the type nor a nested type has rules. */
  readonly visitorOf: (type: FieldType) => Visit | undefined;
  /** Returns the requirement in the operator's document, if the document publishes the rule's code. */
  readonly askedBy: (rule: Rule) => string | undefined;
}

function createVisitors(body: FieldType, context: RuleContext): Visitors {
  const compiler = createRuleCompiler(context);
  const isChecked = (rule: Rule): boolean => skipReason(rule, context) === undefined;
  const bearing = typesLeadingTo(body, ({ rules }) => rules?.some(isChecked) === true);
  const compiled = new Map<FieldType, Visit>();
  const compiledRules = new Map<Rule, CompiledRule>();
  const attachedTo = new Map<Rule, FieldType>();
  const asked = new Map<Rule, string | undefined>();
  const visitorOf = (type: FieldType): Visit | undefined => {
    if (!bearing.has(type)) return undefined;
    const known = compiled.get(type);
    if (known !== undefined) return known;
    let visit: Visit = visitNothing;
    compiled.set(type, (cursor, scope, add) => visit(cursor, scope, add));
    const own = (type.rules ?? []).filter(isChecked).map((rule) => {
      const compiledRule = compiledRules.get(rule) ?? compileRule(rule, compiler);
      compiledRules.set(rule, compiledRule);
      attachedTo.set(rule, type);
      return compiledRule;
    });
    const inside = insideVisit(type, visitorOf);
    visit = (cursor, scope, add) => {
      for (const compiledRule of own) compiledRule(cursor, scope, add);
      inside?.(cursor, scope, add);
    };
    compiled.set(type, visit);
    return visit;
  };
  const askedBy = (rule: Rule): string | undefined => {
    if (!asked.has(rule)) {
      const { code, attr } = rule;
      asked.set(rule, publishedSentence(body, { code, attr, type: attachedTo.get(rule) ?? body }));
    }
    return asked.get(rule);
  };
  return { visitorOf, askedBy };
}

function insideVisit(type: FieldType, visitorOf: (type: FieldType) => Visit | undefined): Visit | undefined {
  if (type.kind === "object") {
    const fields = [...type.properties.values()].flatMap(({ name, type: of }) => {
      const visit = visitorOf(of);
      return visit === undefined ? [] : [{ name, visit }];
    });
    const others = type.additional === "closed" ? undefined : visitorOf(type.additional);
    const visit = fields.length === 0 ? undefined : fieldsVisit(fields);
    return others === undefined ? visit : othersVisit(type, visit, others);
  }
  if (type.kind === "list") {
    const visit = visitorOf(type.items);
    return visit && itemsVisit(visit);
  }
  return type.kind === "union" ? unionVisit(acceptedOptions(type), type.discriminator, visitorOf) : undefined;
}

function fieldsVisit(fields: readonly { readonly name: string; readonly visit: Visit }[]): Visit {
  return (cursor, scope, add) => {
    const { value } = cursor;
    if (!isJsonObject(value)) return;
    for (const { name, visit } of fields) {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member !== undefined && member !== null) visit({ value: member, parent: cursor, key: name }, scope, add);
    }
  };
}

/** Visits the documented fields, then all other fields. */
function othersVisit({ properties }: ObjectType, visit: Visit | undefined, others: Visit): Visit {
  return (cursor, scope, add) => {
    visit?.(cursor, scope, add);
    for (const [key, value] of Object.entries(isJsonObject(cursor.value) ? cursor.value : {})) {
      if (value !== null && !properties.has(key)) others({ value, parent: cursor, key }, scope, add);
    }
  };
}

function itemsVisit(visit: Visit): Visit {
  return (cursor, scope, add) => {
    if (!isJsonArray(cursor.value)) return;
    for (const [index, value] of cursor.value.entries()) {
      if (value !== null) visit({ value, parent: cursor, key: index }, scope, add);
    }
  };
}

/**
 * Visits the option that the discriminator selects or, without a discriminator, the first option that allows the
 * value's fields.
 */
function unionVisit(
  options: readonly FieldType[],
  discriminator: Discriminator | undefined,
  visitorOf: (type: FieldType) => Visit | undefined,
): Visit {
  if (discriminator !== undefined) {
    const visits = new Map([...discriminator.mapping].map(([tag, type]) => [tag, visitorOf(type)]));
    const untagged = firstFitVisit(untaggedOptions(discriminator), visitorOf);
    return (cursor, scope, add) => {
      if (!isJsonObject(cursor.value)) return;
      const tag = tagText(cursor.value[discriminator.property]);
      const visit = tag === "null" && !visits.has(tag) ? untagged : visits.get(tag);
      visit?.(cursor, scope, add);
    };
  }
  return firstFitVisit(options, visitorOf);
}

function firstFitVisit(options: readonly FieldType[], visitorOf: (type: FieldType) => Visit | undefined): Visit {
  const visits = new Map(options.map((type) => [type, visitorOf(type)]));
  const choose = createOptionChoice()(options);
  return (cursor, scope, add) => {
    const chosen = choose(cursor.value) ?? options.find((type) => canBeOfType(cursor.value, type));
    if (chosen !== undefined) visits.get(chosen)?.(cursor, scope, add);
  };
}

function canBeOfType(value: JsonValue, type: FieldType): boolean {
  if (type.kind === "object") {
    if (!isJsonObject(value)) return type.untyped === true;
    const needed = [...type.properties.values()].every(({ name, required }) => !required || Object.hasOwn(value, name));
    if (type.additional !== "closed" || type.namePatterns !== undefined) return needed;
    return needed && Object.keys(value).every((name) => type.properties.has(name));
  }
  if (type.kind === "union" || type.kind === "any" || type.untyped === true) return true;
  return type.kind === "list" ? isJsonArray(value) : typeof value !== "object";
}
