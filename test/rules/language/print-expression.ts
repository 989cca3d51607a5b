import {
  type Condition,
  type Expression,
  isCondition,
  isLiteral,
  type Literal,
  type PathExpression,
  type PathStep,
} from "../../../src/rules/language/expression.ts";

/** Levels of precedence, from the lowest (docs/rules.md, "Expressions"). */
const OR = 0;
const AND = 1;
const NOT = 2;
const COMPARISON = 3;
const SUM = 4;
const PRODUCT = 5;
const OPERAND = 6;

/** Writes an expression with only the brackets that the precedence of the operators requires. */
export function printExpression(expression: Expression, least: number = OR): string {
  const [level, text] = levelAndText(expression);
  return level < least ? `(${text})` : text;
}

function levelAndText(expression: Expression): readonly [level: number, text: string] {
  if (isLiteral(expression)) return [OPERAND, printLiteral(expression)];
  if (isCondition(expression)) return conditionText(expression);
  switch (expression.kind) {
    case "arithmetic": {
      const { operator, left, right } = expression;
      const level = operator === "+" || operator === "-" ? SUM : PRODUCT;
      return [level, `${printExpression(left, level)} ${operator} ${printExpression(right, level + 1)}`];
    }
    case "call":
      return [OPERAND, `${expression.name}(${printList(expression.operands)})`];
    case "setting":
      return [OPERAND, `config.${expression.name}`];
    case "path":
      break;
  }
  return [OPERAND, printPath(expression)];
}

function conditionText(condition: Condition): readonly [level: number, text: string] {
  switch (condition.kind) {
    case "or":
      return [OR, `${printExpression(condition.left, OR)} or ${printExpression(condition.right, AND)}`];
    case "and":
      return [AND, `${printExpression(condition.left, AND)} and ${printExpression(condition.right, NOT)}`];
    case "not":
      return [NOT, `not ${printExpression(condition.operand, NOT)}`];
    case "presence":
      return [COMPARISON, `${printExpression(condition.value, SUM)} is ${condition.present ? "present" : "absent"}`];
    case "in": {
      const { negated, value, set } = condition;
      return [COMPARISON, `${printExpression(value, SUM)} ${negated ? "not in" : "in"} (${printList(set)})`];
    }
    case "comparison":
      break;
  }
  const { operator, left, right } = condition;
  return [COMPARISON, `${printExpression(left, SUM)} ${operator} ${printExpression(right, SUM)}`];
}

function printLiteral(literal: Literal): string {
  if (literal.kind === "text") return `"${literal.text}"`;
  if (literal.kind === "number") return literal.digits;
  if (literal.kind === "boolean") return String(literal.value);
  if (literal.kind === "days") return `${literal.count} ${literal.count === 1 ? "day" : "days"}`;
  return literal.kind === "today" ? "today" : "null";
}

function printList(expressions: readonly Expression[]): string {
  return expressions.map((each) => printExpression(each)).join(", ");
}

function printPath({ base, steps }: PathExpression): string {
  if (base === "here" && steps.length === 0) return ".";
  return steps.reduce<string>(
    (written, step) => {
      const text = printStep(step);
      return written === "" || text.startsWith("[") || text === "{}" ? `${written}${text}` : `${written}.${text}`;
    },
    base === "here" ? "" : base,
  );
}

function printStep(step: PathStep): string {
  if (step.kind === "field") return step.name;
  if (step.kind === "named") return `$${step.name}`;
  if (step.kind === "items") return step.filter === undefined ? "[]" : `[${printExpression(step.filter)}]`;
  return step.kind === "members" ? "{}" : "parent";
}
