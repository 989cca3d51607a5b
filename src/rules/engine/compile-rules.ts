import type { FieldType } from "../../contract/types/field-type.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { publishedSentence } from "../../contract/describe/published-codes.ts";
import { childTypes, typesLeadingTo } from "../../contract/types/type-tree.ts";
import type { JsonObject } from "../../json/json-value.ts";
import type { RuleProblem, Unplaced } from "../../model/problem.ts";
import { shapeOf } from "../../text/shape.ts";
import { formatAttr } from "../../json/attr.ts";
import { createRuleCompiler } from "./expressions/compile-expression.ts";
import { compileRule, type BrokenRule, type CompiledRule } from "./compile-rule.ts";
import type { Rule } from "../language/rule.ts";
import { possibleBreaks } from "./possible/can-break.ts";
import { createFieldTree, type FieldNode, type FieldTree, type PresentFields } from "./possible/field-tree.ts";
import type { Possible } from "./possible/possible.ts";
import { skipReason } from "./rule-requirements.ts";
import type { RuleContext, Scope } from "./rule-context.ts";
import { createOptionChoice } from "../../validate/compile-validator.ts";
import { visitInside, type Visit, type VisitorOf } from "./visit-type.ts";
import { getOrAdd } from "../../model/groups.ts";

export type FoundRuleProblem = Unplaced<RuleProblem>;

/**
 * Returns the problems of one payload, without duplicates. `reported`: attrs that already have a problem; a rule that
 * reads one of these attrs reports nothing. Not re-entrant. Returns one shared empty array for a valid payload.
 */
export type RuleValidator = (payload: JsonObject, reported: ReadonlySet<string>) => readonly FoundRuleProblem[];

export interface RuleValidatorOptions {
  /** Whether problems include the value itself. True only if the user asked to see values. */
  readonly keepValues: boolean;
}

/**
 * Compiles the rules of a request body's type. Omits rules that depend on a missing setting, reference list or column.
 * Returns undefined if no rule remains.
 */
export function compileRules(
  body: FieldType,
  context: RuleContext,
  { keepValues }: RuleValidatorOptions,
): RuleValidator | undefined {
  const visitors = createVisitors(body, context);
  if (visitors === undefined) return undefined;
  const { visitorFor, requirementOf } = visitors;
  // The problems are keyed by code, attr and path, so that a problem found by several rules is reported only once.
  const found = new Map<string, FoundRuleProblem>();
  const scope: Scope = {
    top: { value: null },
    self: { value: null },
    other: undefined,
    found: undefined,
    reported: undefined,
    readsReported: false,
  };
  const add = (broken: BrokenRule): void => addProblem(broken, requirementOf, found, keepValues);
  return (payload, reported) => {
    scope.reported = reported.size === 0 ? undefined : reported;
    visitorFor(payload)?.({ value: payload }, scope, add);
    if (found.size === 0) return NO_PROBLEMS;
    const problems = [...found.values()];
    found.clear();
    return problems;
  };
}

const NO_PROBLEMS: readonly FoundRuleProblem[] = Object.freeze([]);

function addProblem(
  broken: BrokenRule,
  requirementOf: Visitors["requirementOf"],
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
    ...definedMembers(message === undefined ? { asked: requirementOf(rule) } : { message }),
    ...(isScalar && { shape: shapeOf(value) }),
    ...(isScalar && keepValues && { value: String(value) }),
  });
}

/** Returns the kind of a rule, with the options that change the wording of its problems. */
function wordingOf(rule: Rule): string {
  if (rule.kind === "in-set" && rule.negate) return "in-set: negate";
  if (rule.kind !== "contiguous") return rule.kind;
  return `contiguous${rule.overlaps ? ": overlaps" : ""}${rule.lastIsOpen ? ": open" : ""}`;
}

/**
 * Returns the attr of the invalid value, or of the list item that lacks a value. Returns undefined if the attr of the
 * problem already identifies the value or item.
 */
function attrBelow({ attr, path, value }: BrokenRule): string | undefined {
  const end = value === undefined ? path.findLastIndex((segment) => typeof segment === "number") + 1 : path.length;
  const below = formatAttr(path.slice(0, end));
  return end === 0 || `${attr}.`.startsWith(`${below}.`) ? undefined : below;
}

interface Visitors {
  /**
   * Returns a function that runs only the rules that a payload with the same fields can break; undefined if there are
   * none.
   */
  readonly visitorFor: (payload: JsonObject) => Visit | undefined;
  /** The requirement in the operator's document, if the document publishes the rule's code. */
  readonly requirementOf: (rule: Rule) => string | undefined;
}

function createVisitors(body: FieldType, context: RuleContext): Visitors | undefined {
  const isChecked = (rule: Rule): boolean => skipReason(rule, context) === undefined;
  const bearing = typesLeadingTo(body, ({ rules }) => rules?.some(isChecked) === true);
  if (!bearing.has(body)) return undefined;
  const tree = createFieldTree();
  const choose = createOptionChoice();
  const rulesOf = createRuleList(tree, context, isChecked);
  const anywhere = new Map<FieldType, Visit>();
  const visitors = new WeakMap<PresentFields, { readonly visit: Visit | undefined }>();

  function visitorAt(type: FieldType, node: FieldNode | undefined, inside: VisitorOf): Visit | undefined {
    const own = rulesOf(type, node);
    tree.update();
    const runs = own.flatMap(({ possible, run }) =>
      (typeof possible === "function" ? possible() : possible) ? [run] : [],
    );
    return bothVisits(runs, visitInside(type, { node, tree, visitorOf: inside, choose }));
  }

  /** Returns a visitor that runs all rules of a type, regardless of the payload's fields. */
  function visitorAnywhere(type: FieldType): Visit {
    // The type is compiled when a payload first contains a value of this type, because types may contain themselves.
    let visit: Visit | undefined = (cursor, scope, add) => {
      visit = visitorAt(type, undefined, (each) => (bearing.has(each) ? visitorAnywhere(each) : undefined));
      visit?.(cursor, scope, add);
    };
    return getOrAdd(anywhere, type, (): Visit => (cursor, scope, add) => visit?.(cursor, scope, add));
  }

  /**
   * Compiles the rules of a type for the fields of the current payload. `open`: the types that are being compiled at
   * the same node.
   */
  function visitorWithin(type: FieldType, node: FieldNode | undefined, open: Open | undefined): Visit | undefined {
    if (!bearing.has(type)) return undefined;
    if (node === undefined || node.depth >= MAX_LEVELS) return visitorAnywhere(type);
    tree.update();
    if (!tree.isPresent(node)) return undefined;
    const outer = open?.node === node ? open.types : [];
    if (outer.includes(type)) return visitorAnywhere(type);
    const here = { node, types: [...outer, type] };
    return visitorAt(type, node, (each, at) => visitorWithin(each, at, here));
  }

  function visitorFor(payload: JsonObject): Visit | undefined {
    const fields = tree.note(payload);
    const known = visitors.get(fields);
    if (known !== undefined) return known.visit;
    const visit = visitorWithin(body, tree.root, undefined);
    // The visitor is not cached if compilation added nodes, because `fields` does not include these nodes.
    if (!tree.update()) visitors.set(fields, { visit });
    return visit;
  }

  return { visitorFor, requirementOf: publishedSentences(body, bearing) };
}

interface Open {
  readonly node: FieldNode;
  readonly types: readonly FieldType[];
}

type RulesOf = (type: FieldType, node: FieldNode | undefined) => readonly OwnRule[];

/** Creates a function that compiles the rules of a type at a node. Compiles each rule once. */
function createRuleList(tree: FieldTree, context: RuleContext, isChecked: (rule: Rule) => boolean): RulesOf {
  const compiler = createRuleCompiler(context);
  const canBreak = possibleBreaks({ ...context, tree });
  const compiled = new Map<Rule, CompiledRule>();
  const found = new Map<FieldNode | undefined, Map<FieldType, readonly OwnRule[]>>();

  const ownRule = (rule: Rule, node: FieldNode | undefined): OwnRule => ({
    possible: canBreak(rule, node),
    run: getOrAdd(compiled, rule, () => compileRule(rule, compiler)),
  });
  return (type, node) => {
    const here = getOrAdd(found, node, () => new Map<FieldType, readonly OwnRule[]>());
    return getOrAdd(here, type, () => (type.rules ?? []).filter(isChecked).map((rule) => ownRule(rule, node)));
  };
}

function publishedSentences(body: FieldType, bearing: ReadonlySet<FieldType>): Visitors["requirementOf"] {
  const attachedTo = rulesWithTypes(body, bearing);
  const requirements = new Map<Rule, string | undefined>();
  return (rule) => {
    if (!requirements.has(rule)) {
      const { code, attr } = rule;
      requirements.set(rule, publishedSentence(body, { code, attr, type: attachedTo.get(rule) ?? body }));
    }
    return requirements.get(rule);
  };
}

/**
 * Returns the type to which each rule is attached. For a rule that is attached to several types, returns the last type.
 */
function rulesWithTypes(body: FieldType, bearing: ReadonlySet<FieldType>): ReadonlyMap<Rule, FieldType> {
  const attachedTo = new Map<Rule, FieldType>();
  const seen = new Set<FieldType>();
  const visit = (type: FieldType): void => {
    if (!bearing.has(type) || seen.has(type)) return;
    seen.add(type);
    for (const rule of type.rules ?? []) attachedTo.set(rule, type);
    for (const child of childTypes(type)) visit(child);
  };
  visit(body);
  return attachedTo;
}

/** Nesting depth from which rules are always checked, even if the payload cannot break them. */
const MAX_LEVELS = 30;

interface OwnRule {
  readonly possible: Possible;
  readonly run: CompiledRule;
}

function bothVisits(runs: readonly CompiledRule[], inside: Visit | undefined): Visit | undefined {
  if (runs.length === 0) return inside;
  return (cursor, scope, add) => {
    for (const run of runs) run(cursor, scope, add);
    inside?.(cursor, scope, add);
  };
}
