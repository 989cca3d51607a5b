import { describe, expect, it } from "vitest";
import { createRuleCompiler } from "../../../../src/rules/engine/expressions/compile-expression.ts";
import { ruleClock, type RuleContext } from "../../../../src/rules/engine/rule-context.ts";
import { parseExpression } from "../../../../src/rules/language/parse-expression.ts";

const VALUES = { one: "a", sum: "sum(l[].a)", many: "l[].a", below: "parent.$many", list: "config.list" };

const CONTEXT: RuleContext = {
  declarations: {
    values: new Map(Object.entries(VALUES).map(([name, text]) => [name, parseExpression(text)])),
    settings: new Map(),
    undecided: new Map(),
    partial: new Set(),
  },
  settings: new Map<string, string | readonly string[]>([
    ["text", "A"],
    ["list", ["A"]],
  ]),
  references: new Map(),
  clock: ruleClock(0, "UTC", undefined),
};

describe("an expression", () => {
  it.each([
    "1",
    "config.text",
    "config.absent",
    "a",
    "a.b.c",
    ".",
    "parent",
    "parent.parent.a.b",
    "this.a",
    "top",
    "other.a",
    "found",
    "above.a",
    "above.a.b",
    "$one",
    "$sum",
    "parent.$one",
    "above.$one",
    "$absent",
    "min(l[].a)",
    "l[].a = 1",
    "a + 1",
  ])("that can have only one value is compiled to a function without cursors: %s", (text) => {
    expect(createRuleCompiler(CONTEXT).single(parseExpression(text))).toBeTypeOf("function");
  });

  it.each([
    "config.list",
    "l[]",
    "l[].a",
    "a.l[]",
    "m{}",
    "m{}.a",
    "a.parent.b",
    "a.$one",
    "above.l[].a",
    "$many",
    "$below",
    "$list",
    "parent.$many",
    "above.$many",
    "listed.l[]",
    "listed.l[a = 1].b",
  ])("that can have several values is not compiled to a function without cursors: %s", (text) => {
    expect(createRuleCompiler(CONTEXT).single(parseExpression(text))).toBeUndefined();
  });
});
