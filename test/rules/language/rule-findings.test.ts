import { describe, expect, it } from "vitest";
import { contractOf } from "../engine/compiled-rules.ts";

describe("findings of rules", () => {
  it.each([
    [{ kind: "required-wen" }, 'did you mean "required-when"?'],
    [{}, "a rule must have a kind"],
    [{ kind: "holds", test: "a", tst: 1 }, 'no member "tst"; did you mean "test"?'],
    [{ kind: "holds" }, '"test"'],
    [{ kind: "holds", test: "a ==" }, 'write "="'],
    [{ kind: "holds", test: "a = " }, "is incomplete"],
    [{ kind: "holds", test: "lenght(a)" }, 'no function "lenght"'],
    [{ kind: "holds", test: "min()" }, 'unexpected ")"'],
    [{ kind: "holds", test: '"open' }, "closing quotation mark is missing"],
    [{ kind: "holds", test: "listed.products = 1" }, 'expected "["'],
    [{ kind: "holds", test: "listed.[]" }, "expected a reference list"],
    [
      { kind: "lookup", source: "l", by: ["a", "b"], value: "x", test: "x" },
      '"by" must have one column for each value (1)',
    ],
    [{ kind: "holds", test: "$nothing" }, 'no named value "nothing"'],
    [{ kind: "holds", test: "config.nothing" }, 'no setting "nothing"; declare it'],
    [{ kind: "holds", test: 'is-format(a, "mpen")' }, 'did you mean "mpan"?'],
    [{ kind: "holds", test: 'is-format(a, "postcode")' }, "depends on a region"],
    [{ kind: "matches-format", value: "a", format: "company-number" }, "depends on a region"],
    [{ kind: "holds", test: "a[].b + 1 = 2" }, "has several values"],
    [{ kind: "sum-equals", sum: "a", equals: "b[].c" }, 'equals: "b[].c" has several values'],
    [{ kind: "sum-equals", sum: "b[].c", equals: "a" }, 'sum: "b[].c" has several values'],
    [{ kind: "sum-equals", sum: "a", equals: "a", tolerance: "b[].c" }, 'tolerance: "b[].c" has several values'],
    [{ kind: "within", value: "a", min: "b{}" }, 'min: "b{}" has several values'],
    [{ kind: "within", value: "a", max: "b[].c" }, 'max: "b[].c" has several values'],
    [{ kind: "requires", if: "a" }, '"if" and "needs"'],
    [{ kind: "matches-format", value: "a", format: "mpam" }, 'did you mean "mpan"?'],
    [{ kind: "matches-format", value: "a", pattern: "(a+)+b" }, "is not allowed"],
    [{ kind: "in-set", value: ["a", "b"], set: [["x"]] }, "as many values"],
    [{ kind: "not-future", value: "a", limit: 4 }, "such as 4 days"],
    [{ kind: "holds", test: "a", attr: "not an attr" }, "must be an attr"],
    [{ kind: "unique-by", list: "1 + 1", key: "a" }, "must be the path of a field"],
    [{ kind: "required-when", fields: [] }, "must name a field"],
    [{ kind: "count-limit", list: "a[]", min: 2, max: 1 }, '"min" must not be greater than "max"'],
    [{ kind: "holds", test: "day = 1" }, 'unexpected "day": a reserved word'],
    [{ kind: "holds", test: "items[0].code = 'Q'" }, 'the brackets in "items[0].code": expected a condition'],
    [{ kind: "holds", each: "items['A']", test: "a" }, `the brackets in "items['A']": expected a condition`],
    [{ kind: "holds", when: 5, test: "a" }, "when: expected a condition, such as amount > 0, but found a value"],
    [{ kind: "holds", test: "a or b and 1 + 1" }, "expected a condition"],
    [{ kind: "holds", test: "not 0" }, "expected a condition"],
    [{ kind: "holds", test: "if('x', a, b)" }, "expected a condition"],
    [{ kind: "requires", if: "'x'", needs: ["a"] }, "if: expected a condition"],
    [{ kind: "holds", test: "other.type = 'A'" }, '"other.type" is allowed only in "unless"'],
    [{ kind: "unique-by", list: "a[]", key: "other.b" }, '"other.b" is allowed only in "unless"'],
    [{ kind: "holds", test: "found.type = 'A'" }, '"found.type" is allowed only in the "test" of a lookup'],
    [{ kind: "holds", test: "a[found.b = c]" }, '"found.b" is allowed only in the "test" of a lookup'],
    [{ kind: "within", value: "a", min: 5, max: 1 }, '"min" must not be greater than "max"'],
    [{ kind: "within", value: "a", min: 5, max: -1 }, '"min" must not be greater than "max"'],
    [{ kind: "requires-one-of", fields: ["a", "b"], min: 2, max: 1 }, '"min" must not be greater than "max"'],
    [{ kind: "requires-one-of", fields: ["a", "b"], max: 0 }, '"min" must not be greater than "max"'],
    [{ kind: "requires-one-of", fields: ["a", "b"], min: 3 }, "greater than the number of fields (2)"],
    [{ kind: "sum-equals", sum: "a", equals: "b", tolerance: -1 }, '"tolerance" must not be negative'],
    [{ kind: "holds", test: "a > today - 4" }, "only a number of days, such as 4 days"],
    [{ kind: "holds", test: "a > 4 days" }, "a number of days can only be added to a date"],
    [{ kind: "within", value: "a", max: "4 days" }, "max: a number of days can only be added to a date"],
    [{ kind: "conditional-value", field: "a", is: ["config.region"] }, "must be a value"],
  ])("report %j", (rule, words) => {
    const { findings } = contractOf([{ code: "c", ...rule }]);
    expect(findings.map(({ code, severity, message }) => [severity, code, message])).toEqual([
      ["error", "bad-rule", expect.stringContaining(words)],
    ]);
  });

  it("contain the line and suggest a field", () => {
    const properties = {
      day_of_month: { type: "string" },
      list: { type: "array", items: { type: "object", properties: { starts_on: {} } } },
    };
    const rules = [
      { code: "c", kind: "required-when", fields: ["day_of_mnoth"] },
      { code: "c", kind: "no-overlap", list: "list[]", start: "strats_on", end: "list.x" },
      { code: "c", kind: "holds", test: "day_of_month", attr: "list[].strats_on" },
      { code: "c", kind: "holds", test: "day_of_month", attr: "list[].starts_on" },
      { code: "c", kind: "holds", test: "day_of_month", attr: "list.non_field_errors" },
      { code: "c", kind: "holds", test: "day_of_month", about: ["day_of_mont"] },
    ];
    const { findings } = contractOf(rules, {}, properties);
    expect(findings.filter(({ severity }) => severity === "warning")).toMatchObject([
      {
        code: "bad-rule",
        message: '"day_of_mnoth" does not resolve to a field of the contract; did you mean "day_of_month"?',
        place: { line: 24 },
      },
      {
        code: "bad-rule",
        message: '"strats_on" does not resolve to a field of the contract; did you mean "starts_on"?',
      },
      { code: "bad-rule", message: '"list.x" does not resolve to a field of the contract' },
      {
        code: "bad-rule",
        message: '"list[].strats_on" does not resolve to a field of the contract; did you mean "starts_on"?',
      },
      { message: '"day_of_mont" does not resolve to a field of the contract; did you mean "day_of_month"?' },
    ]);
  });

  it("report a row of a lookup in a named value outside the lookup", () => {
    const rules = [
      { code: "c", kind: "lookup", source: "list", by: "code", value: "a", test: "$is_open" },
      { code: "c", kind: "holds", test: "$is_open" },
    ];
    const { findings } = contractOf(rules, { "x-rule-values": { is_open: "found.closed is absent" } });
    expect(findings.map(({ message }) => message)).toEqual([
      '"found.closed" is allowed only in the "test" of a lookup',
    ]);
  });

  it("suggest a field of the object at which the path starts", () => {
    const item = { type: "object", properties: { customer_cost: {}, note: {} } };
    const properties = { customer_count: {}, items: { type: "array", items: item } };
    const rules = [
      { code: "c", kind: "holds", each: "items[]", test: "top.customer_coun > 1" },
      { code: "c", kind: "holds", each: "items[]", test: "above.customer_coun > 1" },
      { code: "c", kind: "no-overlap", list: "items[]", start: "note", end: "this.itms" },
    ];
    const { findings } = contractOf(rules, {}, properties);
    expect(findings.filter(({ severity }) => severity === "warning").map(({ message }) => message)).toEqual([
      '"top.customer_coun" does not resolve to a field of the contract; did you mean "customer_count"?',
      '"above.customer_coun" does not resolve to a field of the contract; did you mean "customer_count"?',
      '"this.itms" does not resolve to a field of the contract; did you mean "items"?',
    ]);
  });

  it("include a named value that refers to itself", () => {
    const { findings } = contractOf([], { "x-rule-values": { a: "$b", b: "not $a" } });
    expect(findings.map(({ message }) => message)).toContain('the named value "a" depends on itself');
  });
});
