import { type Expression, isLiteral } from "../../language/expression.ts";
import type { Scope } from "../rule-context.ts";
import type { Cursor } from "./cursor.ts";
import { type RuleCompiler, valuesOf } from "./rule-compiler.ts";
import { equalsOnlyItself, type Value } from "./rule-value.ts";
import type { Predicate } from "./walk-path.ts";

/** Compiles `in` and `not in`. */
export function membership(expression: Extract<Expression, { kind: "in" }>, compiler: RuleCompiler): Predicate {
  const { negated } = expression;
  const single = compiler.single(expression.value);
  const value = compiler.collect(expression.value);
  const testOf = memberTest(expression.set, compiler);
  return (here, scope) => {
    const isMember = testOf(here, scope);
    if (single !== undefined) {
      const each = single(here, scope);
      return (each !== undefined && isMember(each)) !== negated;
    }
    let holds = false;
    value(here, scope, (each) => {
      holds ||= isMember(each);
    });
    return holds !== negated;
  };
}

type MemberTest = (value: Value) => boolean;

/** Compiles a test for membership in a set of expressions. A set of literals and settings is evaluated only once. */
function memberTest(set: readonly Expression[], compiler: RuleCompiler): (here: Cursor, scope: Scope) => MemberTest {
  const collects = set.map(compiler.collect);
  const isFixed = set.every((member) => isLiteral(member) || member.kind === "setting");
  let fixed: MemberTest | undefined;
  return (here, scope) => {
    if (fixed !== undefined) return fixed;
    const members = collects.flatMap((collect) => valuesOf(collect, here, scope));
    const equalsAny: MemberTest = (value) => members.some((member) => compiler.equal(value, member));
    if (!isFixed) return equalsAny;
    const texts: ReadonlySet<unknown> = new Set(members);
    const areTexts = members.every(equalsOnlyItself);
    fixed = areTexts ? (value) => (typeof value === "string" ? texts.has(value) : equalsAny(value)) : equalsAny;
    return fixed;
  };
}
