import { type Expression, isCondition, type PathExpression, type PathStep } from "../../language/expression.ts";
import type { RuleContext } from "../rule-context.ts";
import type { FieldNode, FieldTree } from "./field-tree.ts";
import { all, any, type Possible } from "./possible.ts";

/** Where an expression is evaluated. Undefined: anywhere, so that everything is possible. */
export interface PossiblePlace {
  readonly here: FieldNode | undefined;
  /** `this`. */
  readonly self: FieldNode | undefined;
  readonly top: FieldNode | undefined;
}

export interface PossibleContext extends Pick<RuleContext, "declarations" | "settings"> {
  readonly tree: FieldTree;
}

/** Determines what the expressions of rules can be, given the fields of a payload. */
export interface PossibleValues {
  /** Whether the expression can have a value. */
  readonly exists: (expression: Expression, place: PossiblePlace) => Possible;
  /** Whether the expression can be true as a condition. */
  readonly holds: (expression: Expression, place: PossiblePlace) => Possible;
  /** Whether the expression can be false as a condition. */
  readonly fails: (expression: Expression, place: PossiblePlace) => Possible;
  /** Whether the path can lead to a value for whose place `end` is possible. */
  readonly reaches: (
    path: PathExpression,
    place: PossiblePlace,
    end: (node: FieldNode | undefined) => Possible,
  ) => Possible;
}

export function possibleValues(context: PossibleContext): PossibleValues {
  const { declarations, settings, tree } = context;
  /** Named values that are being compiled. A value that uses itself can be anything. */
  const open = new Set<string>();

  function named(
    name: string,
    place: PossiblePlace,
    of: (value: Expression, place: PossiblePlace) => Possible,
  ): Possible {
    const value = declarations.values.get(name);
    if (value === undefined) return false;
    if (open.has(name)) return true;
    open.add(name);
    const found = of(value, place);
    open.delete(name);
    return found;
  }

  function follow(
    node: FieldNode | undefined,
    [step, ...steps]: readonly PathStep[],
    place: PossiblePlace,
    end: (node: FieldNode | undefined) => Possible,
  ): Possible {
    if (step === undefined) return end(node);
    if (step.kind === "field" && node !== undefined) {
      const field = tree.field(node, step.name);
      const inside = follow(field, steps, place, end);
      // The presence of a field implies that of the object that contains it.
      return steps[0]?.kind === "field" ? inside : all([isPresent(field, tree), inside]);
    }
    if (step.kind === "parent" && node !== undefined) {
      return node.parent === undefined ? false : follow(node.parent, steps, place, end);
    }
    const inside = follow(step.kind === "items" ? node : undefined, steps, place, end);
    if (step.kind !== "items" || step.filter === undefined) return inside;
    return all([inside, holds(step.filter, { ...place, here: node })]);
  }

  function reaches(
    path: PathExpression,
    place: PossiblePlace,
    end: (node: FieldNode | undefined) => Possible,
  ): Possible {
    const steps = path.steps.filter(({ kind }) => kind !== "named");
    if (path.base === "here") return follow(place.here, steps, place, end);
    if (path.base === "this") return follow(place.self, steps, place, end);
    if (path.base === "top") return follow(place.top, steps, place, end);
    if (path.base !== "above" || place.here === undefined) return follow(undefined, steps, place, end);
    const isNamedAbove = path.steps[0]?.kind !== "field";
    return any(enclosing(place.here).map((node) => (isNamedAbove ? end(node) : follow(node, steps, place, end))));
  }

  function exists(expression: Expression, place: PossiblePlace): Possible {
    switch (expression.kind) {
      case "missing":
        return false;
      case "setting":
        return settings.get(expression.name) !== undefined;
      case "path":
        return pathExists(expression, place);
      case "arithmetic":
        return all([expression.left, expression.right].map((part) => exists(part, place)));
      case "call":
        return callExists(expression, place);
      default:
        return true;
    }
  }

  function pathExists(path: PathExpression, place: PossiblePlace): Possible {
    const last = path.steps.at(-1);
    if (last?.kind !== "named") return reaches(path, place, () => true);
    return reaches(path, place, (here) => named(last.name, { ...place, here }, exists));
  }

  function callExists(call: Extract<Expression, { kind: "call" }>, place: PossiblePlace): Possible {
    const [first, ...others] = call.operands;
    switch (call.name) {
      case "min":
      case "max":
      case "first":
        return any(call.operands.map((operand) => exists(operand, place)));
      case "join":
        return any(others.map((operand) => exists(operand, place)));
      case "lower":
      case "upper":
      case "trim":
      case "date":
        return first === undefined ? false : exists(first, place);
      default:
        return true;
    }
  }

  function holds(expression: Expression, place: PossiblePlace): Possible {
    switch (expression.kind) {
      case "comparison":
        if (expression.operator === "!=") return true;
        return all([exists(expression.left, place), exists(expression.right, place)]);
      case "in":
        return expression.negated ? true : isMember(expression, place);
      case "presence":
        return expression.present ? exists(expression.value, place) : true;
      case "and":
        return all([holds(expression.left, place), holds(expression.right, place)]);
      case "or":
        return any([holds(expression.left, place), holds(expression.right, place)]);
      case "not":
        return fails(expression.operand, place);
      case "boolean":
        return expression.value;
      case "setting":
        return settings.get(expression.name) !== undefined && settings.get(expression.name) !== false;
      default:
        return valueHolds(expression, place);
    }
  }

  /** Whether a value can be present and not false. */
  function valueHolds(expression: Expression, place: PossiblePlace): Possible {
    const last = expression.kind === "path" ? expression.steps.at(-1) : undefined;
    if (expression.kind !== "path" || last?.kind !== "named") return exists(expression, place);
    return reaches(expression, place, (here) =>
      named(last.name, { ...place, here }, (value, at) => (isCondition(value) ? holds(value, at) : exists(value, at))),
    );
  }

  function isMember({ value, set }: Extract<Expression, { kind: "in" }>, place: PossiblePlace): Possible {
    return all([exists(value, place), any(set.map((member) => exists(member, place)))]);
  }

  function fails(expression: Expression, place: PossiblePlace): Possible {
    switch (expression.kind) {
      case "comparison":
        if (expression.operator !== "!=") return true;
        return all([exists(expression.left, place), exists(expression.right, place)]);
      case "in":
        return expression.negated ? isMember(expression, place) : true;
      case "presence":
        return expression.present ? true : exists(expression.value, place);
      case "and":
        return any([fails(expression.left, place), fails(expression.right, place)]);
      case "or":
        return all([fails(expression.left, place), fails(expression.right, place)]);
      case "not":
        return holds(expression.operand, place);
      default:
        return true;
    }
  }

  return { exists, holds, fails, reaches };
}

function isPresent(field: FieldNode, tree: FieldTree): Possible {
  return () => field.presentIn === tree.current();
}

function enclosing(node: FieldNode): readonly FieldNode[] {
  return node.parent === undefined ? [] : [node.parent, ...enclosing(node.parent)];
}
