import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/json/json-value.ts";
import type { Expression } from "../../../src/rules/language/expression.ts";
import { parseExpression } from "../../../src/rules/language/parse-expression.ts";
import { readRuleDeclarations, readRules } from "../../../src/rules/language/read-rules.ts";
import { operandsOf, type Rule, type RuleDeclarations } from "../../../src/rules/language/rule.ts";
import { printExpression } from "./print-expression.ts";

type Issue = readonly [message: string, path: string];

function readAll(written: JsonValue): { readonly rules: readonly Rule[]; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const rules = readRules(written, ["x-rules"], (message, path) => issues.push([message, path.join("/")]));
  return { rules, issues };
}

function issuesOf(rule: JsonObject): readonly Issue[] {
  const { rules, issues } = readAll([{ code: "c", ...rule }]);
  expect(rules.length).toBe(issues.length === 0 ? 1 : 0);
  return issues;
}

const e = parseExpression;
const text = (value: string): Expression => ({ kind: "text", text: value });

const DEFAULTS = { code: "c", severity: "error", skipIfMissing: true, place: ["x-rules", 0] };
const PERIOD = { list: "l[]", start: "s", end: "t" };
const PERIOD_READ = { list: e("l[]"), start: e("s"), end: e("t") };

describe("a rule", () => {
  it.each<[JsonObject, object, readonly string[]]>([
    [
      { kind: "required-when", fields: ["a", ["b", "c.d"]] },
      { fields: [[e("a")], [e("b"), e("c.d")]], oneOf: false },
      ["a", "b", "c.d"],
    ],
    [{ kind: "required-when", fields: ["a"], "one-of": true }, { fields: [[e("a")]], oneOf: true }, ["a"]],
    [{ kind: "forbidden-when", fields: ["a", "b"] }, { fields: [[e("a")], [e("b")]] }, ["a", "b"]],
    [
      { kind: "requires", if: "a = 1", needs: ["b"], "one-of": true },
      { if: e("a = 1"), needs: [[e("b")]], oneOf: true },
      ["b"],
    ],
    [{ kind: "requires", "all-or-none": ["a", "b"] }, { needs: [[e("a")], [e("b")]], oneOf: false }, ["a", "b"]],
    [{ kind: "requires-one-of", fields: ["a"] }, { fields: [[e("a")]], min: 1 }, ["a"]],
    [{ kind: "requires-one-of", fields: ["a"], min: 0, max: 2 }, { fields: [[e("a")]], min: 0, max: 2 }, ["a"]],
    [{ kind: "forbids-together", fields: ["a", "b"] }, { fields: [[e("a")], [e("b")]] }, ["a", "b"]],
    [
      { kind: "conditional-value", field: "a", is: ["x", 1.5, true, null] },
      {
        field: e("a"),
        values: [text("x"), { kind: "number", digits: "1.5" }, { kind: "boolean", value: true }, { kind: "missing" }],
        negate: false,
      },
      ["a"],
    ],
    [
      { kind: "conditional-value", field: "a", "is-not": "b + 1", default: false },
      { field: e("a"), values: [text("b + 1")], negate: true, default: { kind: "boolean", value: false } },
      ["a"],
    ],
    [
      { kind: "in-set", value: "a", set: ["x", 2] },
      {
        values: [e("a")],
        set: { literals: [[text("x")], [{ kind: "number", digits: "2" }]] },
        negate: false,
        ignoreCase: false,
      },
      ["a"],
    ],
    [
      { kind: "in-set", value: ["a", "lower(b)"], set: [["x", "y"]], negate: true },
      { values: [e("a"), e("lower(b)")], set: { literals: [[text("x"), text("y")]] }, negate: true, ignoreCase: false },
      ["a"],
    ],
    [
      { kind: "in-set", value: "a", set: "config.kinds" },
      {
        values: [e("a")],
        set: { literals: [[{ kind: "setting", name: "kinds" }]] },
        negate: false,
        ignoreCase: false,
      },
      ["a"],
    ],
    [
      { kind: "in-set", value: ["a", "b"], source: "l", columns: ["c", "d"], "ignore-case": true },
      { values: [e("a"), e("b")], set: { source: "l", columns: ["c", "d"] }, negate: false, ignoreCase: true },
      ["a", "b"],
    ],
    [
      { kind: "lookup", value: "a", source: "l", by: "c", test: "found.d" },
      { values: [e("a")], source: "l", by: ["c"], test: e("found.d") },
      ["a"],
    ],
    [{ kind: "matches-format", value: "a", format: "mpan" }, { value: e("a"), format: { name: "mpan" } }, ["a"]],
    [
      { kind: "matches-format", value: "a", format: "postcode", region: "GB" },
      { value: e("a"), format: { name: "postcode", region: text("GB") } },
      ["a"],
    ],
    [
      { kind: "matches-format", value: "a", format: "phone", region: "GBR" },
      { value: e("a"), format: { name: "phone", region: e("GBR") } },
      ["a"],
    ],
    [
      { kind: "matches-format", value: "a", format: "phone", region: "xGB" },
      { value: e("a"), format: { name: "phone", region: e("xGB") } },
      ["a"],
    ],
    [
      { kind: "matches-format", value: "a", pattern: "x|y" },
      { value: e("a"), format: { pattern: /^(?:x|y)$/u } },
      ["a"],
    ],
    [
      { kind: "date-order", earlier: "a", later: "b", strict: true },
      { earlier: e("a"), later: e("b"), strict: true },
      ["a", "b"],
    ],
    [
      { kind: "date-order", earlier: "a", later: "today" },
      { earlier: e("a"), later: e("today"), strict: false },
      ["a"],
    ],
    [{ kind: "not-future", value: "a" }, { value: e("a"), limitDays: 0 }, ["a"]],
    [{ kind: "not-future", value: "a", limit: "4 days" }, { value: e("a"), limitDays: 4 }, ["a"]],
    [{ kind: "not-past", value: "a", limit: "1 day" }, { value: e("a"), limitDays: 1 }, ["a"]],
    [{ kind: "within", value: "a", min: 1 }, { value: e("a"), min: e("1") }, ["a"]],
    [{ kind: "within", value: "a", max: "b" }, { value: e("a"), max: e("b") }, ["a"]],
    [{ kind: "unique-by", list: "l[]", key: "a" }, { lists: [e("l[]")], key: [e("a")], allow: 1 }, ["a"]],
    [{ kind: "unique-by", list: ["l[]", "m[]"], key: "*" }, { lists: [e("l[]"), e("m[]")], allow: 1 }, ["l[]", "m[]"]],
    [
      { kind: "unique-by", list: "l[]", key: ["a", "b"], allow: 2, unless: "a = other.b" },
      { lists: [e("l[]")], key: [e("a"), e("b")], allow: 2, unless: e("a = other.b") },
      ["a", "b"],
    ],
    [{ kind: "count-limit", list: "l[]", min: 1 }, { list: e("l[]"), min: 1 }, ["l[]"]],
    [{ kind: "count-limit", list: "l[]", max: 0, group: "a" }, { list: e("l[]"), max: 0, group: [e("a")] }, ["l[]"]],
    [{ kind: "equals-across", values: ["a", "b", "a"] }, { values: [e("a"), e("b"), e("a")] }, ["a", "b"]],
    [
      { kind: "equals-across", list: "l[]", presence: ["a", "b"] },
      { list: e("l[]"), presence: [e("a"), e("b")] },
      ["a", "b"],
    ],
    [{ kind: "sum-equals", sum: "a + b", equals: "c" }, { sum: e("a + b"), equals: e("c"), op: "=" }, ["c"]],
    [
      { kind: "sum-equals", sum: "a", equals: "c", op: "<=", tolerance: 0.5 },
      { sum: e("a"), equals: e("c"), op: "<=", tolerance: e("0.5") },
      ["c"],
    ],
    [{ kind: "refers-to", value: "a", in: ["b[]", "c"] }, { values: [e("a")], targets: [e("b[]"), e("c")] }, ["a"]],
    [{ kind: "no-overlap", ...PERIOD }, { ...PERIOD_READ, endInclusive: false }, ["l[]"]],
    [
      { kind: "no-overlap", ...PERIOD, "end-inclusive": true, group: ["g", "h"] },
      { ...PERIOD_READ, endInclusive: true, group: [e("g"), e("h")] },
      ["l[]"],
    ],
    [
      { kind: "contiguous", ...PERIOD },
      { ...PERIOD_READ, endInclusive: false, steps: [0], lastIsOpen: false, overlaps: false },
      ["l[]"],
    ],
    [
      { kind: "contiguous", ...PERIOD, step: 366, last: "open", overlaps: true, from: "today", group: "g" },
      {
        ...PERIOD_READ,
        endInclusive: false,
        steps: [366],
        lastIsOpen: true,
        overlaps: true,
        from: e("today"),
        group: [e("g")],
      },
      ["l[]"],
    ],
    [{ kind: "covered-by", ...PERIOD, value: "a" }, { ...PERIOD_READ, endInclusive: true, value: e("a") }, ["a"]],
    [
      { kind: "covered-by", ...PERIOD, value: "a", to: "b", match: "m", "end-inclusive": false },
      { ...PERIOD_READ, endInclusive: false, value: e("a"), to: e("b"), match: e("m") },
      ["a"],
    ],
    [{ kind: "holds", test: "a" }, { test: e("a") }, []],
    [{ kind: "holds", test: true, about: ["a", "b[]"] }, { test: e("true"), named: [e("a"), e("b[]")] }, ["a", "b[]"]],
  ])("%j is read completely", (written, check, about) => {
    const { rules, issues } = readAll([{ code: "c", ...written }]);
    expect(issues).toEqual([]);
    expect(rules).toEqual([{ ...DEFAULTS, kind: written["kind"], ...check, about }]);
  });

  it("can have the members that all kinds of rule share", () => {
    const rule = {
      kind: "holds",
      code: "c",
      test: "a",
      when: "b",
      each: "l[]",
      attr: "l[].a",
      message: "Correct it.",
      severity: "warning",
      "skip-if-missing": false,
    };
    expect(readAll([rule]).rules).toEqual([
      {
        kind: "holds",
        code: "c",
        test: e("a"),
        when: e("b"),
        each: e("l[]"),
        attr: ["l", "[]", "a"],
        message: "Correct it.",
        severity: "warning",
        skipIfMissing: false,
        place: ["x-rules", 0],
        about: [],
      },
    ]);
  });

  it("with an error is omitted, and the other rules are kept", () => {
    const { rules, issues } = readAll([{ kind: "holds", code: "a", test: "a" }, 1, { code: "b" }, { kind: "x" }]);
    expect(rules.map(({ code }) => code)).toEqual(["a"]);
    expect(issues.map(([, at]) => at)).toEqual(["x-rules/1", "x-rules/2/kind", "x-rules/3/kind"]);
  });
});

describe("the error of a rule", () => {
  it.each<[JsonObject, readonly Issue[]]>([
    [{ kind: "within", value: "a" }, [['within: needs "min" or "max"', ""]]],
    [{ kind: "count-limit", list: "a[]" }, [['count-limit: needs "min" or "max"', ""]]],
    [{ kind: "requires" }, [['requires: needs "if" and "needs", or "all-or-none"', ""]]],
    [{ kind: "requires", needs: ["a"] }, [['requires: needs "if" and "needs", or "all-or-none"', ""]]],
    [
      { kind: "requires", if: "a", needs: ["a"], "all-or-none": ["b"] },
      [['requires: needs "if" and "needs", or "all-or-none"', ""]],
    ],
    [{ kind: "forbids-together", fields: ["a"] }, [["forbids-together: must have at least two fields", ""]]],
    [{ kind: "conditional-value", field: "a" }, [['conditional-value: needs either "is" or "is-not"', ""]]],
    [
      { kind: "conditional-value", field: "a", is: 1, "is-not": 2 },
      [['conditional-value: needs either "is" or "is-not"', ""]],
    ],
    [
      { kind: "in-set", value: "a", set: ["A"], "ignore-case": true },
      [['in-set: "ignore-case" requires a "source"; use lower(...) with a "set"', ""]],
    ],
    [{ kind: "in-set", value: "a" }, [['in-set: needs either "set" or "source"', ""]]],
    [
      { kind: "in-set", value: "a", set: ["A"], source: "l", columns: "c" },
      [['in-set: needs either "set" or "source"', ""]],
    ],
    [{ kind: "in-set", value: "a", source: "l" }, [['in-set: "columns" must have one column for each value (1)', ""]]],
    [
      { kind: "in-set", value: "a", source: "l", columns: ["b", "c"] },
      [['in-set: "columns" must have one column for each value (1)', ""]],
    ],
    [
      { kind: "in-set", value: "a", set: "config.a.b" },
      [['in-set: "set" must be a list of values, or config.x for one value', ""]],
    ],
    [
      { kind: "in-set", value: "a", set: "myconfig.a" },
      [['in-set: "set" must be a list of values, or config.x for one value', ""]],
    ],
    [
      { kind: "in-set", value: ["a", "b"], set: "config.a" },
      [['in-set: "set" must be a list of values, or config.x for one value', ""]],
    ],
    [
      { kind: "in-set", value: "a", set: ["x", ["y", "z"]] },
      [['in-set: each entry of "set" must have as many values as "value" (1)', ""]],
    ],
    [
      { kind: "matches-format", value: "a", format: "mpan", pattern: "x" },
      [['matches-format: needs either "format" or "pattern"', ""]],
    ],
    [{ kind: "matches-format", value: "a" }, [['matches-format: needs either "format" or "pattern"', ""]]],
    [
      { kind: "matches-format", value: "a", format: "zzzzzzzzzzz" },
      [['matches-format: unknown format "zzzzzzzzzzz"', ""]],
    ],
    [
      { kind: "matches-format", value: "a", format: "postcode" },
      [['matches-format: the format "postcode" depends on a region: add the region, for example config.region', ""]],
    ],
    [
      { kind: "matches-format", value: "a", pattern: "(" },
      [['matches-format: "pattern" "(" is not allowed: it is not a regular expression', "pattern"]],
    ],
    [
      { kind: "equals-across", values: "a", list: "l[]" },
      [['equals-across: needs "values", or "list" and "presence"', ""]],
    ],
    [
      { kind: "equals-across", values: "a", presence: "b" },
      [['equals-across: needs "values", or "list" and "presence"', ""]],
    ],
    [{ kind: "equals-across", list: "l[]" }, [['equals-across: needs "values", or "list" and "presence"', ""]]],
    [{ kind: "equals-across" }, [['equals-across: needs "values", or "list" and "presence"', ""]]],
    [
      { kind: "equals-across", values: "a", list: "l[]", presence: "b" },
      [['equals-across: needs "values", or "list" and "presence"', ""]],
    ],
    [{ kind: "equals-across", presence: "b" }, [['equals-across: needs "values", or "list" and "presence"', ""]]],
    [{ kind: "unique-by", list: "l[]" }, [['unique-by: "key" must be an expression', "key/0"]]],
    [
      { kind: "unique-by", list: "l[]", key: ["a", "b c"] },
      [['unique-by: "key" "b c" is not a valid expression: unexpected "c" (character 3)', "key/1"]],
    ],
    [{ kind: "unique-by", list: "l[]", key: ["*", "a"] }, [['unique-by: the key "*" must be the only key', ""]]],
    [{ kind: "contiguous", ...PERIOD, step: 367 }, [[expect.stringMatching(/^contiguous: "step" /), "step/0"]]],
    [{ kind: "holds" }, [['holds: "test" must be an expression', "test"]]],
    [{ kind: "holds", test: "a", code: "" }, [['holds: "code" must be the code of the problem', "code"]]],
    [
      { kind: "holds", test: "a b", when: "c)" },
      [
        ['holds: "when" "c)" is not a valid expression: unexpected ")" (character 2)', "when"],
        ['holds: "test" "a b" is not a valid expression: unexpected "b" (character 3)', "test"],
      ],
    ],
    [{ kind: "holds", test: ")" }, [['holds: "test" ")" is not a valid expression: unexpected ")"', "test"]]],
    [
      { kind: "holds", test: "a", tset: 1 },
      [['a rule of kind holds has no member "tset"; did you mean "test"?', "tset"]],
    ],
    [
      { kind: "holds", test: "a", wehn: 1 },
      [['a rule of kind holds has no member "wehn"; did you mean "when"?', "wehn"]],
    ],
    [{ kind: "holds", test: "a", severity: "info" }, [['holds: "severity" must be "error" or "warning"', "severity"]]],
    [
      { kind: "required-when", fields: ["a", ["b", "1"]] },
      [['required-when: "fields" must be the path of a field, such as day_of_month or meters[].serial', "fields/1/1"]],
    ],
    [{ kind: "hods" }, [['there is no kind of rule "hods"; did you mean "holds"?', "kind"]]],
    [{ kind: "toString" }, [[expect.stringMatching(/^there is no kind of rule "toString"; known kinds: /), "kind"]]],
    [{ kind: 1 }, [[expect.stringMatching(/^a rule must have a kind: one of required-when, /), "kind"]]],
  ])("is found: %j", (written, issues) => {
    const expected = issues.map(([message, at]) => [message, ["x-rules/0", at].filter(Boolean).join("/")]);
    expect(issuesOf(written)).toEqual(expected);
  });

  it("is reported at the value that should be a list or a rule but is not", () => {
    expect(readAll({ kind: "holds" })).toEqual({
      rules: [],
      issues: [['"x-rules" must be a list of rules', "x-rules"]],
    });
    expect(readAll(["a"]).issues).toEqual([["a rule must be an object with kind and code", "x-rules/0"]]);
  });
});

function declarationsOf(document: JsonObject): { readonly read: RuleDeclarations; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const read = readRuleDeclarations(document, (message, at) => issues.push([message, at.join("/")]));
  return { read, issues };
}

describe("the declarations for all rules", () => {
  it("are read from the root of the document", () => {
    expect(
      declarationsOf({
        "x-rule-values": { one: "$two", two: "a = 1", three: 5 },
        "x-rule-settings": {
          flag: { type: "boolean", default: false, description: "A flag." },
          names: { type: "list", default: ["A"] },
          plain: { type: "text" },
        },
        "x-rule-coverage": { platform: ["p", "q"], unclear: ["u"], partial: ["r"] },
      }),
    ).toEqual({
      read: {
        values: new Map([
          ["one", e("$two")],
          ["two", e("a = 1")],
          ["three", e("5")],
        ]),
        settings: new Map<string, object>([
          ["flag", { type: "boolean", default: false, description: "A flag." }],
          ["names", { type: "list", default: ["A"] }],
          ["plain", { type: "text" }],
        ]),
        undecided: new Map([
          ["p", "platform"],
          ["q", "platform"],
          ["u", "unclear"],
        ]),
        partial: new Set(["r"]),
      },
      issues: [],
    });
  });

  const none = { values: new Map(), settings: new Map(), undecided: new Map(), partial: new Set() };

  it("are empty if the document has none", () => {
    expect(declarationsOf({})).toEqual({ read: none, issues: [] });
  });

  it.each<[JsonObject, Issue]>([
    [{ "x-rule-values": ["a"] }, ["x-rule-values: must be an object that maps names to expressions", "x-rule-values"]],
    [
      { "x-rule-values": { a: "b c" } },
      ['x-rule-values: "b c" is not a valid expression: unexpected "c" (character 3)', "x-rule-values/a"],
    ],
    [
      { "x-rule-settings": { a: { type: "date" } } },
      ["x-rule-settings: must be one of boolean, number, text, list", "x-rule-settings/a/type"],
    ],
    [
      { "x-rule-settings": { a: { type: "number", default: "x" } } },
      ["x-rule-settings: the default must be a number", "x-rule-settings/a/default"],
    ],
    [
      { "x-rule-settings": { a: { type: "list", default: "x" } } },
      ["x-rule-settings: the default must be a list of strings", "x-rule-settings/a/default"],
    ],
    [
      { "x-rule-coverage": "x" },
      [
        "x-rule-coverage: must be lists of codes: reference, platform, unclear, not-in-schema, partial",
        "x-rule-coverage",
      ],
    ],
  ])("are refused if they are invalid: %j", (document, issue) => {
    expect(declarationsOf(document)).toEqual({ read: none, issues: [issue] });
  });

  it.each<[Record<string, string>, readonly string[]]>([
    [{ a: "$a" }, ["a"]],
    [{ a: "$b", b: "$c", c: "not $a", d: "$a", e: "1" }, ["a", "b", "c"]],
    [{ a: "$b", b: "x in (1, $b)" }, ["b"]],
    [{ a: "l[$a].b" }, ["a"]],
    [{ a: "min(parent.$b)", b: "x.$a" }, ["a", "b"]],
    [{ a: "$b + $c", b: "$d", c: "$d", d: "$unknown" }, []],
  ])("omit the named values that use themselves: %j", (values, circular) => {
    const { read, issues } = declarationsOf({ "x-rule-values": values });
    expect(issues).toEqual(
      circular.map((name) => [`the named value "${name}" depends on itself`, `x-rule-values/${name}`]),
    );
    expect([...read.values.keys()]).toEqual(Object.keys(values).filter((name) => !circular.includes(name)));
  });
});

describe("the operands of a rule", () => {
  it.each<[JsonObject, readonly string[]]>([
    [{ kind: "holds", test: "a", when: "b", each: "c[]" }, ["a", "b"]],
    [
      { kind: "unique-by", list: ["l[]", "m[]"], key: ["a", "b"], unless: "c" },
      ["l[]", "m[]", "l[]: a", "l[]: b", "m[]: a", "m[]: b", "l[]: c", "m[]: c"],
    ],
    [
      { kind: "covered-by", ...PERIOD, value: "a", to: "b", match: "m" },
      ["l[]", "l[]: s", "l[]: t", "a", "b", "l[]: m"],
    ],
    [{ kind: "no-overlap", ...PERIOD, group: "g" }, ["l[]", "l[]: s", "l[]: t", "l[]: g"]],
    [{ kind: "equals-across", list: "l[]", presence: "a" }, ["l[]", "l[]: a"]],
    [{ kind: "matches-format", value: "a", format: "phone", region: "r" }, ["a", "r"]],
    [{ kind: "in-set", value: "a", set: [1] }, ["a", "1"]],
    [{ kind: "required-when", fields: ["a", ["b"]] }, ["a", "b"]],
  ])("are found in %j", (written, expected) => {
    const [rule] = readAll([{ code: "c", ...written }]).rules;
    const operands = rule === undefined ? [] : operandsOf(rule);
    expect(
      operands.map(({ expression, at }) => (at === undefined ? "" : `${at.text}: `) + printExpression(expression)),
    ).toEqual(expected);
  });
});
