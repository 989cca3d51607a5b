import { type Expression, isLiteral, subexpressionsOf } from "../rules/language/expression.ts";
import { FORMAT_NAMES, missingRegion } from "../rules/language/format-names.ts";
import type { RuleDeclarations } from "../rules/language/rule.ts";
import { didYouMean } from "../text/suggestion.ts";

/** Members of a rule that must be expressions with a single value. */
const SINGLE_VALUES: ReadonlySet<string> = new Set(["sum", "equals", "tolerance", "min", "max", "from", "to"]);
/** Members of a rule that must be conditions. */
const CONDITIONS: ReadonlySet<string> = new Set(["when", "if", "test", "unless", "match"]);

/** Returns the error messages for the expression in a member of a rule. */
export function operandIssues(
  member: string,
  expression: Expression,
  declarations: RuleDeclarations,
): readonly string[] {
  const single = SINGLE_VALUES.has(member) ? listIssues([expression]) : [];
  const issues = [...single, ...(CONDITIONS.has(member) ? conditionIssues(expression) : []), ...daysIssues(expression)];
  return [...issues.map((issue) => `${member}: ${issue}`), ...expressionIssues(expression, declarations)];
}

/** Returns the error messages for an expression and its subexpressions. */
export function expressionIssues(expression: Expression, declarations: RuleDeclarations): readonly string[] {
  const parts = subexpressionsOf(expression);
  return [
    ...issuesOf(expression, declarations),
    ...(expression.kind === "arithmetic" ? [] : parts.flatMap(daysIssues)),
    ...parts.flatMap((part) => expressionIssues(part, declarations)),
  ];
}

function issuesOf(expression: Expression, { settings, values }: RuleDeclarations): readonly string[] {
  if (expression.kind === "setting") {
    return unknownName("setting", expression.name, settings.keys(), "; declare it in x-rule-settings");
  }
  if (expression.kind === "path") {
    const names = expression.steps.flatMap((step) =>
      step.kind === "named" ? unknownName("named value", step.name, values.keys()) : [],
    );
    const filters = subexpressionsOf(expression).flatMap(conditionIssues);
    return [...names, ...filters.map((issue) => `the brackets in "${expression.text}": ${issue}`)];
  }
  if (expression.kind === "arithmetic") {
    const operands = [expression.left, expression.right];
    return [...listIssues(operands), ...todayIssues(operands)];
  }
  if (expression.kind === "call") return callIssues(expression);
  const isLogic = expression.kind === "and" || expression.kind === "or" || expression.kind === "not";
  return isLogic ? subexpressionsOf(expression).flatMap(conditionIssues) : [];
}

function callIssues({ name, operands }: Extract<Expression, { kind: "call" }>): readonly string[] {
  const [first, format, region] = operands;
  if (name === "if" && first !== undefined) return conditionIssues(first);
  if (name !== "is-format") return [];
  const formatName = format?.kind === "text" ? format.text : "";
  const missing = region === undefined ? missingRegion(formatName) : undefined;
  return missing === undefined ? unknownName("format", formatName, FORMAT_NAMES) : [missing];
}

function conditionIssues(expression: Expression): readonly string[] {
  const isValue = expression.kind === "arithmetic" || (isLiteral(expression) && expression.kind !== "boolean");
  return isValue ? ["expected a condition, such as amount > 0, but found a value"] : [];
}

function daysIssues({ kind }: Expression): readonly string[] {
  return kind === "days" ? ["a number of days can only be added to a date, or subtracted from a date"] : [];
}

function todayIssues(operands: readonly Expression[]): readonly string[] {
  const isWrong = operands.some(({ kind }) => kind === "today") && !operands.some(({ kind }) => kind === "days");
  return isWrong ? ["only a number of days, such as 4 days, can be added to today or subtracted from it"] : [];
}

function listIssues(operands: readonly Expression[]): readonly string[] {
  const list = operands
    .filter((operand) => operand.kind === "path")
    .find(({ steps }) => steps.some(({ kind }) => kind === "items" || kind === "members"));
  if (list === undefined) return [];
  return [`"${list.text}" has several values: use it in a function such as sum(), min(), max() or count()`];
}

function unknownName(what: string, name: string, known: Iterable<string>, advice = ""): readonly string[] {
  const names = [...known];
  if (names.includes(name)) return [];
  return [`there is no ${what} "${name}"${didYouMean(name, names) || advice}`];
}
