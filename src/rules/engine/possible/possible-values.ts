import {
  type Condition,
  type Expression,
  type PathExpression,
  type PathStep,
  isCondition,
  isLiteral,
  namedValueOf,
} from "../../language/expression.ts";
import type { RuleConfiguration } from "../rule-context.ts";
import type { FieldNode, FieldTree } from "./field-tree.ts";
import { all, any, type Possible } from "./possible.ts";

/**
 * The nodes at which an expression is evaluated. An undefined node can be any field, so at such a node everything is
 * possible.
 */
export interface PossiblePlace {
  readonly here: FieldNode | undefined;
  /** The node of `this`. */
  readonly self: FieldNode | undefined;
  readonly top: FieldNode | undefined;
}

export interface PossibleContext extends RuleConfiguration {
  readonly tree: FieldTree;
}

/** Determines the possible values of rule expressions, given the fields of a payload. */
export interface PossibleValues {
  /** Whether the expression can have a value. */
  readonly exists: (expression: Expression, place: PossiblePlace) => Possible;
  /** Whether the expression can be true as a condition. */
  readonly holds: (expression: Expression, place: PossiblePlace) => Possible;
  /** Whether the expression can be false as a condition. */
  readonly fails: (expression: Expression, place: PossiblePlace) => Possible;
  /** Whether the path can lead to a node for which `end` is possible. */
  readonly reaches: (path: PathExpression, place: PossiblePlace, end: End) => Possible;
}

type End = (node: FieldNode | undefined) => Possible;

/** Evaluates a named value (`$name`) at a place. */
type Named = (name: string, place: PossiblePlace, of: PossibleValues["exists"]) => Possible;

export function possibleValues({ declarations, settings, tree }: PossibleContext): PossibleValues {
  const named = namedValues(declarations.values);
  const values: PossibleValues = {
    exists,
    holds: (expression, place) =>
      isCondition(expression) ? canBe(true, expression, place, values) : valueHolds(expression, place),
    fails: (expression, place) => (isCondition(expression) ? canBe(false, expression, place, values) : true),
    reaches: pathReader(tree, (filter, place) => values.holds(filter, place)),
  };

  function exists(expression: Expression, place: PossiblePlace): Possible {
    if (isLiteral(expression)) return expression.kind !== "missing";
    if (isCondition(expression)) return true;
    if (expression.kind === "setting") return settings.get(expression.name) !== undefined;
    if (expression.kind === "path") return pathExists(expression, place);
    if (expression.kind === "call") return callExists(expression, (operand) => exists(operand, place));
    return all([expression.left, expression.right].map((part) => exists(part, place)));
  }

  function pathExists(path: PathExpression, place: PossiblePlace): Possible {
    const name = namedValueOf(path);
    return values.reaches(path, place, (here) => name === undefined || named(name, { ...place, here }, exists));
  }

  /** Whether a value can be present and not false. */
  function valueHolds(expression: Exclude<Expression, Condition>, place: PossiblePlace): Possible {
    if (expression.kind === "boolean") return expression.value;
    if (expression.kind === "setting" && settings.get(expression.name) === false) return false;
    const name = expression.kind === "path" ? namedValueOf(expression) : undefined;
    if (expression.kind !== "path" || name === undefined) return exists(expression, place);
    return values.reaches(expression, place, (here) =>
      named(name, { ...place, here }, (value, at) =>
        isCondition(value) ? values.holds(value, at) : exists(value, at),
      ),
    );
  }

  return values;
}

function namedValues(values: ReadonlyMap<string, Expression>): Named {
  /** Named values that are being compiled. A value that refers to itself can be anything. */
  const open = new Set<string>();
  return (name, place, of) => {
    const value = values.get(name);
    if (value === undefined) return false;
    if (open.has(name)) return true;
    open.add(name);
    const found = of(value, place);
    open.delete(name);
    return found;
  };
}

function pathReader(tree: FieldTree, holdsFilter: PossibleValues["holds"]): PossibleValues["reaches"] {
  return (path, place, end) => {
    const follow = (node: FieldNode | undefined, [step, ...steps]: readonly PathStep[]): Possible => {
      if (step === undefined) return end(node);
      if (step.kind === "field" && node !== undefined) {
        const field = tree.field(node, step.name);
        const inside = follow(field, steps);
        // If a field is present, the object that contains it is present too.
        return steps[0]?.kind === "field" ? inside : all([isPresent(field, tree), inside]);
      }
      if (step.kind === "parent" && node !== undefined) {
        return node.parent === undefined ? false : follow(node.parent, steps);
      }
      const inside = follow(step.kind === "items" ? node : undefined, steps);
      if (step.kind !== "items" || step.filter === undefined) return inside;
      return all([inside, holdsFilter(step.filter, { ...place, here: node })]);
    };

    const steps = path.steps.filter(({ kind }) => kind !== "named");
    if (path.base === "here") return follow(place.here, steps);
    if (path.base === "this") return follow(place.self, steps);
    if (path.base === "top") return follow(place.top, steps);
    if (path.base !== "above" || place.here === undefined) return follow(undefined, steps);
    const isNamedAbove = path.steps[0]?.kind !== "field";
    return any(enclosing(place.here).map((node) => (isNamedAbove ? end(node) : follow(node, steps))));
  };
}

/**
 * Whether a call can have a value. The functions listed here have no value without their operands. A call of any other
 * function may always have a value.
 */
function callExists(
  { name, operands }: Extract<Expression, { kind: "call" }>,
  exists: (operand: Expression) => Possible,
): Possible {
  const [first, ...others] = operands;
  if (name === "min" || name === "max" || name === "first") return any(operands.map(exists));
  if (name === "join") return any(others.map(exists));
  if (name === "lower" || name === "upper" || name === "trim" || name === "date") {
    return first === undefined ? false : exists(first);
  }
  return true;
}

/** Whether the condition can have this result. */
function canBe(result: boolean, condition: Condition, place: PossiblePlace, values: PossibleValues): Possible {
  const exists = (operand: Expression): Possible => values.exists(operand, place);
  const operandCanBe = (wanted: boolean, operand: Expression): Possible =>
    wanted ? values.holds(operand, place) : values.fails(operand, place);
  switch (condition.kind) {
    case "comparison":
      return (condition.operator === "!=") === result ? true : all([condition.left, condition.right].map(exists));
    case "in":
      return condition.negated === result ? true : all([exists(condition.value), any(condition.set.map(exists))]);
    case "presence":
      return condition.present === result ? exists(condition.value) : true;
    case "not":
      return operandCanBe(!result, condition.operand);
    case "and":
    case "or":
      break;
  }
  const operands = [condition.left, condition.right].map((operand) => operandCanBe(result, operand));
  return (condition.kind === "and") === result ? all(operands) : any(operands);
}

function isPresent(field: FieldNode, tree: FieldTree): Possible {
  return () => tree.isPresent(field);
}

function enclosing(node: FieldNode): readonly FieldNode[] {
  return node.parent === undefined ? [] : [node.parent, ...enclosing(node.parent)];
}
