import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { requirementsOf, skipReason } from "../../../src/rules/engine/rule-requirements.ts";
import { parseExpression } from "../../../src/rules/language/parse-expression.ts";
import { readRules } from "../../../src/rules/language/read-rules.ts";
import type { Rule, RuleDeclarations } from "../../../src/rules/language/rule.ts";

const VALUES = { uses_setting: "config.x = 1", uses_both: "$uses_setting or listed.l[a = this.b].c", plain: "a" };

const DECLARATIONS: RuleDeclarations = {
  values: new Map(Object.entries(VALUES).map(([name, text]) => [name, parseExpression(text)])),
  settings: new Map(),
  undecided: new Map(),
  partial: new Set(),
};

function ruleOf(written: JsonObject): Rule {
  const [rule] = readRules([{ code: "c", ...written }], [], (message) => expect.fail(message));
  if (rule === undefined) throw new Error("there is no rule");
  return rule;
}

interface Needs {
  readonly settings?: readonly string[];
  readonly formats?: readonly string[];
  /** For each list: the columns that are keys, and the columns that are read. */
  readonly lists?: Readonly<Record<string, readonly [keys: readonly string[], read: readonly string[]]>>;
}

const LOOKUP = { kind: "lookup", value: "a", source: "l", by: "key" };

describe("the requirements of a rule", () => {
  it.each<[JsonObject, Needs]>([
    [{ kind: "holds", test: "a" }, {}],
    [{ kind: "holds", test: "config.x = config.y" }, { settings: ["x", "y"] }],
    [{ kind: "holds", test: "a", when: "not config.x" }, { settings: ["x"] }],
    [{ kind: "holds", test: "a", each: "l[b = config.x]" }, { settings: ["x"] }],
    [{ kind: "holds", test: "$uses_setting" }, { settings: ["x"] }],
    [{ kind: "holds", test: "l[$uses_setting].a" }, { settings: ["x"] }],
    [{ kind: "holds", test: "$plain or $absent" }, {}],
    [
      { kind: "holds", test: "$uses_both" },
      { settings: ["x"], lists: { l: [["a"], ["c"]] } },
    ],
    [{ kind: "holds", test: 'is-format(a, "mpan") and is-format(b, "nmi")' }, { formats: ["mpan", "nmi"] }],
    [{ kind: "holds", test: "is-format(a, b)" }, {}],
    [
      { kind: "matches-format", value: "a", format: "phone", region: "config.r" },
      { formats: ["phone"], settings: ["r"] },
    ],
    [{ kind: "matches-format", value: "a", pattern: "x" }, {}],
    [{ kind: "in-set", value: "a", set: "config.x" }, { settings: ["x"] }],
    [{ kind: "in-set", value: "a", set: ["x"] }, {}],
    [{ kind: "in-set", value: ["a", "b"], source: "l", columns: ["c", "d"] }, { lists: { l: [["c", "d"], []] } }],
    [{ ...LOOKUP, test: "found.b = found.c" }, { lists: { l: [["key"], ["b", "c"]] } }],
    [{ ...LOOKUP, test: "agrees(a, found)" }, { lists: { l: [["key"], []] } }],
    [{ ...LOOKUP, test: "m[a = found.b]" }, { lists: { l: [["key"], ["b"]] } }],
    [{ ...LOOKUP, value: "listed.m[x = this.a].y", test: "found" }, { lists: { l: [["key"], []], m: [["x"], ["y"]] } }],
    [{ kind: "holds", test: "found.a" }, {}],
    [{ kind: "holds", test: "listed.l[]" }, { lists: { l: [[], []] } }],
    [{ kind: "holds", test: "listed.l[a = this.x and b.c].d" }, { lists: { l: [["a", "b"], ["d"]] } }],
    [{ kind: "holds", test: "listed.l[a = this.x] or listed.l[b = top.y]" }, { lists: { l: [["a", "b"], []] } }],
    [{ kind: "unique-by", list: "m[]", key: "a", unless: "config.x" }, { settings: ["x"] }],
  ])("are found: %j", (written, { settings = [], formats = [], lists = {} }) => {
    const needs = requirementsOf(ruleOf(written), DECLARATIONS);
    expect({
      settings: [...needs.settings],
      formats: [...needs.formats],
      lists: Object.fromEntries([...needs.lists].map(([name, { keys, read }]) => [name, [[...keys], [...read]]])),
    }).toEqual({ settings, formats, lists });
  });
});

describe("the reason why a rule is skipped", () => {
  const settings = new Map([["x", 1]]);
  const references = new Map([["l", { columns: ["key", "b"], rows: [] }]]);
  const context = { declarations: DECLARATIONS, settings, references };

  it.each<[JsonObject, string | undefined]>([
    [{ kind: "holds", test: "a" }, undefined],
    [{ kind: "holds", test: "config.x" }, undefined],
    [{ kind: "holds", test: "config.x or config.y or config.z" }, "setting y"],
    [{ ...LOOKUP, test: "found.b" }, undefined],
    [{ ...LOOKUP, test: "found.b or found.c or found.d" }, "reference l.c"],
    [{ ...LOOKUP, source: "m", test: "found.b" }, "reference m"],
    [{ ...LOOKUP, source: "m", test: "config.y" }, "setting y"],
    [{ ...LOOKUP, by: "other", test: "found.b" }, undefined],
  ])("for %j is: %s", (written, expected) => {
    const reason = skipReason(ruleOf(written), context);
    expect(reason && `${reason.kind} ${reason.name}`).toBe(expected);
  });
});
