import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/json/json-value.ts";
import { possibleBreaks } from "../../../../src/rules/engine/possible/can-break.ts";
import { createFieldTree } from "../../../../src/rules/engine/possible/field-tree.ts";
import { parseExpression } from "../../../../src/rules/language/parse-expression.ts";
import { readRules } from "../../../../src/rules/language/read-rules.ts";

const VALUES = { one: "a", test: "a = 1", always: "not a", unused: "$absent", itself: "$itself" };
const SETTINGS = { on: true, off: false };

/** Returns whether the rule of an object must be checked for a payload with these fields. */
function mustCheck(written: JsonObject, payload: JsonObject): boolean {
  const [rule] = readRules([{ code: "c", ...written }], [], (message) => expect.fail(message));
  if (rule === undefined) throw new Error("there is no rule");
  const tree = createFieldTree();
  const canBreak = possibleBreaks({
    declarations: {
      values: new Map(Object.entries(VALUES).map(([name, text]) => [name, parseExpression(text)])),
      settings: new Map(),
      undecided: new Map(),
      partial: new Set(),
    },
    settings: new Map(Object.entries(SETTINGS)),
    references: new Map(),
    tree,
  });
  const possible = canBreak(rule, tree.root);
  tree.note(payload);
  return typeof possible === "function" ? possible() : possible;
}

/** Returns a payload with these fields. The name `l.a` is the field `a` of an item of the list `l`. */
function payloadWith(names: string): JsonObject {
  const payload: Record<string, JsonObject[] | number> = {};
  for (const [list = "", field] of names.split(" ").map((name) => name.split("."))) {
    if (list === "") continue;
    payload[list] = field === undefined ? 1 : [{ [field]: 1 }];
  }
  return payload;
}

const PERIOD = { list: "l[]", start: "s", end: "t" };
const STRICT = { "skip-if-missing": false };

/**
 * Each row: a rule, field sets with which a payload can break the rule, and field sets with which no payload can break
 * it.
 */
describe("a rule must be checked only if the fields of the payload can break it:", () => {
  it.each<[JsonObject, readonly string[], readonly string[]]>([
    [{ kind: "required-when", fields: ["a"] }, ["", "a"], []],
    [{ kind: "required-when", fields: ["a"], when: "b" }, ["b", "a b"], ["", "a"]],
    [{ kind: "forbidden-when", fields: ["a", ["b", "c"]] }, ["a", "b", "c"], ["", "d"]],
    [{ kind: "requires", if: "a", needs: ["b"] }, ["a", "a b"], ["", "b"]],
    [{ kind: "requires", "all-or-none": ["a", "b"] }, ["a", "b", "a b"], ["", "c"]],
    [{ kind: "requires-one-of", fields: ["a", "b"] }, ["", "a"], []],
    [{ kind: "requires-one-of", fields: ["a", "b"], min: 0 }, [], ["", "a b"]],
    [{ kind: "requires-one-of", fields: ["a", "b"], min: 0, max: 1 }, ["a b"], ["", "a", "b"]],
    [{ kind: "forbids-together", fields: ["a", "b", ["c", "d"]] }, ["a b", "a d", "b c"], ["", "a", "c d"]],
    [{ kind: "conditional-value", field: "a", is: ["x"] }, ["a"], ["", "b"]],
    [{ kind: "conditional-value", field: "a", is: ["x"], default: "y" }, ["", "a"], []],
    [{ kind: "conditional-value", field: "a", is: ["x"], ...STRICT }, ["", "a"], []],
    [{ kind: "in-set", value: ["a", "b"], set: [["x", "y"]] }, ["a b"], ["", "a", "b"]],
    [{ kind: "in-set", value: ["a", "b"], set: [["x", "y"]], ...STRICT }, ["", "a", "b"], []],
    [{ kind: "lookup", value: "a", source: "s", by: "c", test: "b" }, ["a"], ["", "b"]],
    [{ kind: "matches-format", value: "a", format: "mpan" }, ["a"], ["", "b"]],
    [{ kind: "date-order", earlier: "a", later: "b" }, ["a b"], ["", "a", "b"]],
    [{ kind: "not-future", value: "a" }, ["a"], ["", "b"]],
    [{ kind: "not-past", value: "a" }, ["a"], ["", "b"]],
    [{ kind: "within", value: "a", min: "b" }, ["a"], ["", "b"]],
    [{ kind: "unique-by", list: ["l[]", "m[]"], key: ["a", "b"] }, ["l.a", "m.b"], ["", "l", "l.c", "a"]],
    [{ kind: "unique-by", list: "l[]", key: "*" }, ["l", "l.c"], ["", "a"]],
    [{ kind: "count-limit", list: "l[]", max: 1 }, ["l"], ["", "a"]],
    [{ kind: "count-limit", list: "l[]", min: 1 }, ["", "l"], []],
    [{ kind: "count-limit", list: "l[]", min: 0, max: 1 }, ["l"], [""]],
    [{ kind: "count-limit", list: "l[]", min: 1, group: "a" }, ["l"], ["", "a"]],
    [{ kind: "equals-across", values: ["a", "b"] }, ["a", "b"], ["", "c"]],
    [{ kind: "equals-across", list: "l[]", presence: "a" }, ["l"], ["", "a"]],
    [{ kind: "sum-equals", sum: "a", equals: "b" }, ["a b"], ["", "a", "b"]],
    [{ kind: "refers-to", value: ["a", "b"], in: "c" }, ["a", "b"], ["", "c"]],
    [{ kind: "refers-to", value: ["a", "b"], in: "c", ...STRICT }, ["", "c"], []],
    [{ kind: "no-overlap", ...PERIOD }, ["l.s"], ["", "l", "l.t", "s"]],
    [{ kind: "contiguous", ...PERIOD }, ["l.s"], ["", "l", "l.t", "s"]],
    [{ kind: "covered-by", ...PERIOD, value: "a" }, ["a"], ["", "l.s"]],
    [{ kind: "required-when", each: "l[]", fields: ["a"] }, ["l", "l.b"], ["", "a"]],
    [{ kind: "required-when", each: "l[a]", fields: ["b"] }, ["l.a"], ["", "a", "l", "l.b"]],
    [
      { kind: "forbidden-when", each: "l[]", fields: ["top.a", "this.b", "parent.c"] },
      ["l a", "l.b", "l c"],
      ["", "l", "a", "l d"],
    ],
    [{ kind: "forbidden-when", each: "l[]", fields: ["above.a"] }, ["l a"], ["l", "l.a", "a"]],
    [{ kind: "forbidden-when", each: "l[]", fields: ["above.$one"] }, ["l a"], ["l", "l.a", "a"]],
    [{ kind: "forbidden-when", fields: ["parent.a"] }, [], ["", "a"]],
    [{ kind: "forbidden-when", fields: ["above.a"] }, [], ["", "a"]],
    [{ kind: "forbidden-when", fields: ["m{}"] }, ["m"], ["", "a"]],
    [{ kind: "forbidden-when", fields: ["$one"] }, ["a"], ["", "b"]],
    [{ kind: "forbidden-when", fields: ["$absent"] }, [], ["", "a"]],
    [{ kind: "forbidden-when", fields: ["$unused"] }, [], ["", "a"]],
    [{ kind: "forbidden-when", fields: ["$itself"] }, ["", "a"], []],
    [{ kind: "forbidden-when", fields: ["listed.x[]"] }, ["", "a"], []],
  ])("%j", (rule, breaking, harmless) => {
    expect(breaking.filter((names) => !mustCheck(rule, payloadWith(names)))).toEqual([]);
    expect(harmless.filter((names) => mustCheck(rule, payloadWith(names)))).toEqual([]);
  });
});

/**
 * Each row: a condition, the field sets with which the condition can be true, and the field sets with which it can be
 * false.
 */
describe("a condition can be true, and can be false, only if the fields of the payload allow it:", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["a", ["a"], ["", "a"]],
    ["true", ["", "a"], ["", "a"]],
    ["false", [], ["", "a"]],
    ["null", [], ["", "a"]],
    ["1", ["", "a"], ["", "a"]],
    ["config.on", ["", "a"], ["", "a"]],
    ["config.off", [], ["", "a"]],
    ["a = b", ["a b"], ["", "a", "b", "a b"]],
    ["a < b", ["a b"], ["", "a", "b", "a b"]],
    ["a != b", ["", "a", "b", "a b"], ["a b"]],
    ["a in (b, c)", ["a b", "a c"], ["", "a", "b", "a b", "a c"]],
    ["a not in (b, c)", ["", "a", "b", "a b", "a c"], ["a b", "a c"]],
    ["a is present", ["a"], ["", "a"]],
    ["a is absent", ["", "a"], ["a"]],
    ["a and b", ["a b"], ["", "a", "b", "a b"]],
    ["a or b", ["a", "b", "a b"], ["", "a", "b", "a b"]],
    ["a is absent and b is absent", ["", "a", "b", "a b"], ["a", "b", "a b"]],
    ["a is absent or b is absent", ["", "a", "b", "a b"], ["a b"]],
    ["not a", ["", "a"], ["a"]],
    ["not (a = b)", ["", "a", "a b"], ["a b"]],
    ["$one", ["a"], ["", "a"]],
    ["$test", ["a"], ["", "a"]],
    ["$always", ["", "a"], ["", "a"]],
    ["$test is present", ["", "a"], ["", "a"]],
    ["min(a, b) = 1", ["a", "b"], ["", "a", "b"]],
    ["max(a, b) = 1", ["a", "b"], ["", "a", "b"]],
    ["first(a, b) = 1", ["a", "b"], ["", "a", "b"]],
    ["join(a, b, c) = 1", ["b", "c"], ["", "a", "b", "c"]],
    ["lower(a) = 1", ["a"], ["", "a"]],
    ["upper(a) = 1", ["a"], ["", "a"]],
    ["trim(a) = 1", ["a"], ["", "a"]],
    ["date(a) = 1", ["a"], ["", "a"]],
    ["sum(a) = 1", ["", "a"], ["", "a"]],
    ["count(a) = 1", ["", "a"], ["", "a"]],
    ["a + b = 1", ["a b"], ["", "a", "a b"]],
    ["a + 1 day = b", ["a b"], ["", "a", "a b"]],
    ["config.on = a", ["a"], ["", "a"]],
    ["config.absent = a", [], ["", "a"]],
    ["(a = b) = true", ["", "a"], ["", "a"]],
    ["l[a = 1].b", [], ["", "l.a"]],
    ["l[a].a", ["l.a"], ["", "l.a"]],
    ["l[].a.b", [], ["", "l.a"]],
  ])("%s", (test, whenTrue, whenFalse) => {
    const sets = [...new Set([...whenTrue, ...whenFalse])];
    const canBeTrue = (names: string): boolean =>
      mustCheck({ kind: "required-when", fields: ["z"], when: test }, payloadWith(names));
    const canBeFalse = (names: string): boolean => mustCheck({ kind: "holds", test }, payloadWith(names));
    expect(sets.filter(canBeTrue)).toEqual(sets.filter((names) => whenTrue.includes(names)));
    expect(sets.filter(canBeFalse)).toEqual(sets.filter((names) => whenFalse.includes(names)));
  });
});

it("null fields and fields of earlier payloads do not count as fields of a payload", () => {
  const tree = createFieldTree();
  const declarations = { values: new Map(), settings: new Map(), undecided: new Map(), partial: new Set<string>() };
  const canBreak = possibleBreaks({ declarations, settings: new Map(), references: new Map(), tree });
  const [rule] = readRules([{ code: "c", kind: "forbidden-when", fields: ["a.b"] }], [], () => {});
  const possible = rule === undefined ? false : canBreak(rule, tree.root);
  const results = [{ a: { b: 1 } }, { a: { b: null } }, { a: null }, { a: [{}, { b: 0 }] }, {}, { a: 1 }].map(
    (payload) => {
      tree.note(payload);
      return typeof possible === "function" && possible();
    },
  );
  expect(results).toEqual([true, false, false, true, false, false]);
});
