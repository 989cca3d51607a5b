import { describe, expect, it } from "vitest";
import { problemsOfRule, problemsOfRules, judgeOf, type Judging } from "../compiled-rules.ts";
import { loadContract } from "../../../../src/contract/load-contract.ts";
import type { JsonObject } from "../../../../src/json/json-value.ts";

function holds(test: string, payload: JsonObject, judging: Judging = {}): boolean {
  return problemsOfRule({ kind: "holds", test }, payload, judging).length === 0;
}

describe("conditions:", () => {
  it.each([
    ["a", { a: 1 }, true],
    ["a", { a: false }, false],
    ["a", { a: "  " }, false],
    ["a is present", { a: false }, true],
    ["a is absent", { a: [] }, true],
    ["a is absent", { a: "\u00a0\u3000" }, true],
    ["a is absent", { a: "\u00a0x" }, false],
    ["a is not present", { a: {} }, true],
    ["not a", {}, true],
    ["not (a and b)", { a: true, b: true }, false],
    ["a or b and c", { a: true }, true],
    ["(a or b) and c", { a: true }, false],
    ["a = 'X'", { a: "X" }, true],
    ['a = "x"', { a: "X" }, false],
    ["a = b", {}, false],
    ["a != b", {}, true],
    ["a = 1.5", { a: "1.50" }, true],
    ["a = 1.5", { a: 1.5 }, true],
    ["a = b", { a: "1.50", b: "1.5" }, false],
    ["a < b", { a: "9.5", b: "10" }, true],
    ["a < b", { a: "2026-01-31", b: "2026-02-01" }, true],
    ["a >= b", { a: "2026-01-31" }, false],
    ["a = b", { a: { x: 1, y: [2] }, b: { y: [2], x: 1 } }, true],
    ['a in ("X", "Y")', { a: "Y" }, true],
    ['a not in ("X", "Y")', {}, true],
    ['a in ("X", 2)', { a: "2.0" }, true],
    ['a in ("1", "X")', { a: 1 }, true],
    ['a in ("X", "2026-03-15")', { a: "2026-03-15T10:00:00Z" }, true],
    ['a in ("X", "2026-03-15")', { a: "X" }, true],
    ['a in ("X", "Y")', { a: "Z" }, false],
    ['b[] in ("X", "Y")', { b: ["Z", "Y"] }, true],
    ['b[] not in ("X", "Y")', { b: ["Z", "Y"] }, false],
    ["a in b[].c", { a: 2, b: [{ c: 1 }, { c: 2 }] }, true],
    ["b[].c = 2", { b: [{ c: 1 }, { c: 2 }] }, true],
    ["b[].c != 2", { b: [{ c: 1 }, { c: 2 }] }, false],
    ["count(b[c > 1 and c < 4]) = 2", { b: [{ c: 1 }, { c: 2 }, { c: 3 }, { c: 4 }] }, true],
    ['b[. = "X"] is present', { b: ["Y", "X"] }, true],
    ["m{}.c = 2", { m: { x: { c: 1 }, y: { c: 2 } } }, true],
    ['m{} = "X"', { m: { x: "Y" } }, false],
    ["m{} is absent", { m: [1] }, true],
    ["b[].c.d[] = 3", { b: [{ c: { d: [1] } }, { c: { d: [3] } }] }, true],
  ])("%s with %j: %s", (test, payload, expected) => {
    expect(holds(test, payload)).toBe(expected);
  });
});

describe("functions and arithmetic:", () => {
  it.each([
    ["0.1 + 0.2 = 0.3", {}],
    ["1 / 3 * 3 = 1", {}],
    ["a - -1 = 2", { a: 1 }],
    ["2 + 3 * 4 = 14", {}],
    ["(a / 0) is absent", { a: 1 }],
    ['a + 1 day = "2024-02-29"', { a: "2024-02-28" }],
    ['a - 60 days = "2025-12-31"', { a: "2026-03-01" }],
    ['1 day + a = "2024-02-29"', { a: "2024-02-28" }],
    ["(a + 1 day) is absent", { a: 5 }],
    ['today = "2026-03-15"', {}],
    ["min(a[].x, 3) = 1", { a: [{ x: 2 }, { x: "1.0" }] }],
    ['max(a[]) = "2026-02-01"', { a: ["2026-01-01", "2026-02-01"] }],
    ["min(a[]) is absent", { a: [] }],
    ["sum(a[].x) = 3.3", { a: [{ x: "1.1" }, { x: "2.2" }] }],
    ["sum(a[].x) is absent", { a: [{ x: "1.1" }, {}] }],
    ["sum(a[].x) is absent", {}],
    ["sum(a[].x) = 0", { a: [] }],
    ["count(a[]) = 2", { a: [1, 2] }],
    ["first(a, b, 3) = 3", { a: "" }],
    ["if(a, 1, 2) = 2", {}],
    ['join(" ", a, b, c) = "The Occupier"', { a: "The", c: "Occupier" }],
    ['join(" ", a, b) is absent', {}],
    ['join(a, b, c, d) = "false1"', { b: false, c: "1", d: [1] }],
    ['join(a, b, c) = "2-3"', { a: "-", b: 2, c: 3 }],
    ['lower(trim(a)) = "x"', { a: " X " }],
    ["lower(a) is absent", { a: 1 }],
    ['upper(a) = "X"', { a: "x" }],
    ['starts-with(a, "DOM")', { a: "domestic" }],
    ['ends-with(a, ".XXX")', { a: "me@there.xxx" }],
    ['contains(a, "blackhole+")', { a: "BlackHole+1@x.com" }],
    ['is-format(a, "mpan")', { a: "1312345678907" }],
    ['not is-format(a, "mpan")', { a: "1312345678908" }],
    ['is-format(a, "postcode", "GB")', { a: "SW1A 1AA" }],
    ['not is-format(a, "postcode", b)', { a: "SW1A 1AA", b: "au" }],
    ["not same(list[a = 1], list[b = 2])", { list: [{ a: 1 }, { b: 2 }] }],
    ["same(list[a = 1], list[b = 2])", { list: [{ a: 1, b: 2 }] }],
    ["not same(a, b)", { b: 1 }],
    ["not same(b, a)", { b: 1 }],
    ["not same(list[].a, list[b = 2].a)", { list: [{ a: 1 }, { a: 1, b: 2 }] }],
    ["agrees(a, b)", { a: { x: 1, y: "" }, b: { x: "1", y: 2, z: 3 } }],
    ["not agrees(a, b)", { a: { x: 1, y: 3 }, b: { x: "1", y: 2 } }],
    ["agrees(a, b)", { a: { x: 1 }, b: [2] }],
    ['name-of(a.b) = "b"', { a: { b: 1 } }],
    ['not contains(a, "")', { a: "x" }],
    ["contains(a, b)", { a: 123, b: 2 }],
    ["if(a, b, c) is absent", { b: 1 }],
    ["first(a[], b[]) = 2", { a: ["", null], b: [2, 3] }],
  ])("%s holds with %j", (test, payload) => {
    expect(holds(test, payload)).toBe(true);
  });
});

describe("paths to enclosing objects", () => {
  const payload = { kind: "D", a: { kind: "", list: [{ x: 1, inner: [{ y: 2 }] }] } };

  it.each([
    ["parent.x = 1"],
    ["parent.parent.list is present"],
    ['above.kind = "D"'],
    ['top.kind = "D"'],
    ["this.y = 2"],
    ["above.$is_d"],
    ["parent.inner[y = this.y] is present"],
  ])("lead to the right value: %s", (test) => {
    const declarations = { "x-rule-values": { is_d: 'if(kind = "D", true, null)' } };
    expect(problemsOfRule({ kind: "holds", each: "a.list[].inner[]", test }, payload, { declarations })).toEqual([]);
    expect(
      problemsOfRule({ kind: "holds", each: "a.list[].inner[]", test: `not (${test})` }, payload, { declarations }),
    ).toHaveLength(1);
  });
});

describe("a rule with dates", () => {
  const london = { zone: "Europe/London" };

  it("compares a date with the day of a date-time in the instance's zone", () => {
    expect(holds("a = b", { a: "2026-07-01", b: "2026-06-30T23:30:00Z" }, london)).toBe(true);
    expect(holds("a = b", { a: "2026-07-01", b: "2026-06-30T23:30:00Z" })).toBe(false);
    expect(holds('date(b) = "2026-07-01"', { b: "2026-06-30T23:30:00Z" }, london)).toBe(true);
  });

  it("finds the day of a date-time, and leaves a date unchanged, in any zone", () => {
    const newYork = { zone: "America/New_York" };
    expect(holds('ends-with(date(a), "06-30")', { a: "2026-07-01T03:59:59Z" }, newYork)).toBe(true);
    expect(holds('ends-with(date(a), "07-01")', { a: "2026-07-01T04:00:00Z" }, newYork)).toBe(true);
    expect(holds('ends-with(date(a), "07-01")', { a: "2026-07-01" }, newYork)).toBe(true);
  });

  it.each(["yesterday or before", "1 Jan 2020", "2 Jan 2020", "Wed 1 January 2020", "2026-02-30", "2026-07-01T04:00"])(
    "finds no day in %s, which is neither a date nor a date-time",
    (a) => {
      expect(holds("date(a) is absent", { a })).toBe(true);
    },
  );

  it("compares date-times by their instant", () => {
    expect(holds("a = b", { a: "2026-01-01T01:00:00+01:00", b: "2026-01-01T00:00:00Z" })).toBe(true);
  });

  it("treats a date as the whole day in the instance's zone", () => {
    const rules = [
      { kind: "not-future", value: "f" },
      { kind: "not-past", value: "p" },
    ];
    const judging = { ...london, today: "2026-07-01" };
    expect(problemsOfRules(rules, { f: "2026-07-01T22:59:59Z", p: "2026-06-30T23:00:00Z" }, judging)).toEqual([]);
    expect(problemsOfRules([rules[0] ?? {}], { f: "2026-07-01T23:00:00Z" }, judging)).toHaveLength(1);
    expect(problemsOfRules([rules[1] ?? {}], { p: "2026-06-30T22:59:59Z" }, judging)).toHaveLength(1);
    expect(problemsOfRules([rules[0] ?? {}], { f: "2026-07-02" }, judging)).toHaveLength(1);
  });
});

describe("the attr of a problem", () => {
  const rule = { kind: "required-when", each: "people[]", fields: ["name"] };
  const payload = { people: [{ name: "A" }, {}] };

  it("is the attr of the object with the rule, unless the rule names another attr", () => {
    expect(problemsOfRule(rule, payload)).toEqual(["non_field_errors broken"]);
    expect(problemsOfRule({ ...rule, attr: "people[].name" }, payload)).toEqual(["people.1.name broken"]);
    expect(problemsOfRule({ ...rule, attr: "people[].non_field_errors" }, payload)).toEqual([
      "people.1.non_field_errors broken",
    ]);
    expect(problemsOfRule({ ...rule, attr: "people" }, payload)).toEqual(["people broken"]);
  });

  it("is reported once even if several rules find the problem", () => {
    expect(problemsOfRules([rule, rule], payload)).toHaveLength(1);
  });
});

describe("an attr that already has a problem", () => {
  it("suppresses the rules that read the attr for the same object", () => {
    const rule = { kind: "date-order", each: "list[]", earlier: "a", later: "b", attr: "list[].b" };
    const payload = {
      list: [
        { a: "2026-02-01", b: "2026-01-01" },
        { a: "2026-02-01", b: "2026-01-01" },
      ],
    };
    expect(problemsOfRule(rule, payload)).toEqual(["list.0.b broken", "list.1.b broken"]);
    expect(problemsOfRule(rule, payload, { wrong: ["list.0.a"] })).toEqual(["list.1.b broken"]);
    expect(problemsOfRule(rule, payload, { wrong: ["list.0"] })).toEqual(["list.1.b broken"]);
    expect(problemsOfRule(rule, payload, { wrong: ["other"] })).toHaveLength(2);
  });

  it("suppresses a rule that reads the attr only in its condition", () => {
    expect(
      problemsOfRule({ kind: "required-when", when: 'x = "A"', fields: ["y"] }, { x: "A" }, { wrong: ["x"] }),
    ).toEqual([]);
  });
});

describe("rows of a reference list:", () => {
  const rows = [{ code: "A", fuel: "gas", size: "2" }, { code: "A", fuel: "power" }, { code: "7" }];
  const judging = { references: { things: { columns: ["code", "fuel", "size"], rows } } };

  it.each([
    ["listed.things[]", {}, true],
    ['listed.things[code = "A"]', {}, true],
    ['listed.things[code = "B"]', {}, false],
    ["listed.things[code = this.x]", { x: " A " }, true],
    ["listed.things[this.x = code]", { x: 7 }, true],
    ["listed.things[code = this.x]", {}, false],
    ["listed.things[code = this.xs[]]", { xs: ["B", "A"] }, true],
    ['listed.things[code = this.x and fuel = "power"].size', { x: "A" }, false],
    ["listed.things[size > 1].fuel = y", { y: "gas" }, true],
    ["count(listed.things[code = this.x]) = 2", { x: "A" }, true],
    ["count(listed.things[code != this.x]) = 1", { x: "A" }, true],
    ["count(listed.things[code < this.x]) = 1", { x: 8 }, true],
    ["count(listed.things[code = top.x]) = 2", { x: "A" }, true],
    ["count(listed.things[code = this.x or size = 2]) = 2", { x: "7" }, true],
    ["count(listed.things[fuel = 'gas' and code = this.x]) = 1", { x: "A" }, true],
    ["count(listed.things[code = this.xs[]]) = 2", { xs: ["A", "A"] }, true],
    ["count(listed.things[code = code]) = 3", {}, true],
    ["count(listed.things[size is present and code in ('A', 'B')]) = 1", {}, true],
    ["count(listed.nothing[code = 'A']) = 0", {}, true],
    ["count(list[x in listed.things[].code]) = 1", { list: [{ x: "A" }, { x: "C" }] }, true],
  ] as const)("%s for the payload %j is %s", (test, payload, expected) => {
    expect(holds(test, payload, judging)).toBe(expected);
  });

  it("a problem is never located in a row of a reference list", () => {
    const value = "listed.things[code = this.x].fuel";
    expect(
      problemsOfRule({ kind: "refers-to", value, in: "fuels[]" }, { x: "A" }, { ...judging, wrong: ["fuel"] }),
    ).toEqual(["non_field_errors broken"]);
  });
});

describe("a missing setting or reference list", () => {
  const rule = { kind: "required-when", when: "config.flows", fields: ["x"] };
  const declarations = { "x-rule-settings": { flows: { type: "boolean" } } };

  it("skips the rule", () => {
    expect(problemsOfRule(rule, {}, { declarations })).toEqual([]);
    expect(problemsOfRule(rule, {}, { declarations, settings: { flows: true } })).toHaveLength(1);
    expect(problemsOfRule(rule, {}, { declarations, settings: { flows: false } })).toEqual([]);
  });

  it("skips a rule that needs the setting through a named value, and a rule that needs the list", () => {
    const named = { ...declarations, "x-rule-values": { wanted: "config.flows" } };
    expect(problemsOfRule({ ...rule, when: "$wanted" }, {}, { declarations: named })).toEqual([]);
    expect(problemsOfRule({ kind: "in-set", value: "x", source: "list", columns: "c" }, { x: 1 })).toEqual([]);
  });
});

describe("a rule on a schema", () => {
  const name = {
    type: "object",
    properties: { x: {} },
    "x-rules": [{ code: "c", kind: "required-when", fields: ["x"] }],
  };

  it("applies wherever the schema is used: in lists, in selected options, under other names and recursively", () => {
    const contract = loadContract([
      {
        file: "rules.yaml",
        text: JSON.stringify({
          openapi: "3.1.0",
          info: { title: "Rules", version: "1" },
          paths: {
            "/things/": {
              post: {
                requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } } },
              },
            },
          },
          components: {
            schemas: {
              Named: name,
              Other: { type: "object", properties: { tag: {} } },
              Tagged: { type: "object", properties: { tag: {}, x: {} }, "x-rules": name["x-rules"] },
              Thing: {
                type: "object",
                properties: {
                  list: { type: "array", items: { $ref: "#/components/schemas/Named" } },
                  more: { type: "object", additionalProperties: { $ref: "#/components/schemas/Named" } },
                  inner: { $ref: "#/components/schemas/Thing" },
                  option: {
                    oneOf: [{ $ref: "#/components/schemas/Tagged" }, { $ref: "#/components/schemas/Other" }],
                    discriminator: {
                      propertyName: "tag",
                      mapping: { null: "#/components/schemas/Tagged", other: "#/components/schemas/Other" },
                    },
                  },
                },
              },
            },
          },
        }),
      },
    ]);
    const attrs = (payload: JsonObject): readonly string[] =>
      judgeOf(contract)(payload, new Set()).map(({ attr }) => attr);
    expect(attrs({ list: [{ x: 1 }, {}], more: { a: {} } })).toEqual([
      "list.1.non_field_errors",
      "more.a.non_field_errors",
    ]);
    expect(attrs({ inner: { inner: { list: [{}] } } })).toEqual(["inner.inner.list.0.non_field_errors"]);
    expect(attrs({ option: {} })).toEqual(["option.non_field_errors"]);
    expect(attrs({ option: { tag: "other" } })).toEqual([]);
    expect(attrs({ option: { tag: "neither" }, list: [], more: 5 })).toEqual([]);
  });
});
