import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/json/json-value.ts";
import { problemsOfRule } from "../compiled-rules.ts";

const day = (number: number): string => `2026-01-${String(number).padStart(2, "0")}`;

/** Returns a list of periods. An open period has no end. */
function periods(...list: readonly (readonly [from: number, to?: number])[]): JsonObject {
  return { l: list.map(([from, to]) => ({ from: day(from), ...(to !== undefined && { to: day(to) }) })) };
}

const OVERLAP = { kind: "no-overlap", list: "l[]", start: "from", end: "to" };
const INCLUSIVE = { ...OVERLAP, "end-inclusive": true };
const CONTIGUOUS = { kind: "contiguous", list: "l[]", start: "from", end: "to" };

/** Each row: a rule, a payload, and the items of the list `l` that have a problem. Periods are sorted by start. */
describe("the items with a problem", () => {
  it.each<[JsonObject, JsonObject, readonly number[]]>([
    [OVERLAP, periods([1, 5], [4, 9], [8, 12]), [1, 2]],
    [OVERLAP, periods([8, 12], [4, 9], [1, 5]), [1, 0]],
    [OVERLAP, periods([1, 20], [2, 3], [5, 6], [20, 21]), [1, 2]],
    [OVERLAP, periods([1], [2, 3], [5, 6]), [1, 2]],
    [OVERLAP, periods([1], [2], [3]), [1, 2]],
    [OVERLAP, periods([1, 9], [5, 5], [7, 6], [10, 11]), []],
    [OVERLAP, periods([5, 5], [5, 6]), []],
    [INCLUSIVE, periods([5, 5], [5, 6]), [1]],
    [INCLUSIVE, periods([1, 9], [5, 5], [7, 6], [10, 11]), [1]],
    [INCLUSIVE, periods([1, 4], [5, 5], [6, 6]), []],
    [CONTIGUOUS, periods([1, 5], [5, 9], [9, 12]), []],
    [CONTIGUOUS, periods([9, 12], [1, 5], [5, 8]), [0]],
    [CONTIGUOUS, periods([1, 5], [6, 9], [8]), [1, 2]],
    [CONTIGUOUS, periods([1], [6, 9]), [1]],
    [{ ...CONTIGUOUS, last: "open" }, periods([1, 5], [5, 9]), [1]],
    [{ ...CONTIGUOUS, step: [0, 2] }, periods([1, 5], [6, 9], [11, 12], [12]), [1]],
    [{ ...CONTIGUOUS, step: [1, 3], overlaps: true }, periods([1, 5], [2, 3], [8, 9], [13]), [3]],
    [{ ...CONTIGUOUS, overlaps: true }, periods([1], [2, 3], [9]), []],
    [{ ...CONTIGUOUS, from: `"${day(6)}"` }, periods([1, 3], [6, 7], [8]), [2]],
    [{ ...CONTIGUOUS, from: `"${day(5)}"` }, periods([1, 3], [6, 7], [8]), [1, 2]],
    [{ kind: "unique-by", list: "l[]", key: "a" }, { l: [{ a: 1 }, { a: 2 }, { a: 1 }, {}, {}, { a: 1 }] }, [2, 5]],
    [{ kind: "unique-by", list: "l[]", key: "a", allow: 2 }, { l: [{ a: 1 }, { a: 1 }, { a: 1 }] }, [2]],
    [{ kind: "unique-by", list: "l[]", key: "a", allow: 0 }, { l: [{ a: 1 }, {}] }, [0]],
    [
      { kind: "unique-by", list: "l[]", key: ["a", "b"] },
      {
        l: [
          { a: 'a"b', b: "c" },
          { a: "a", b: 'b"c' },
        ],
      },
      [],
    ],
    [{ kind: "unique-by", list: "l[]", key: ["a", "b"] }, { l: [{ a: 1 }, { b: 1 }, { a: 1 }] }, [2]],
    [{ kind: "unique-by", list: "l[]", key: "*" }, { l: ["A", "", "", {}, {}, "A"] }, [5]],
    [
      { kind: "unique-by", list: "l[]", key: "a", unless: "b = other.c" },
      {
        l: [
          { a: 1, b: 1 },
          { a: 1, c: 1 },
          { a: 1, b: 2 },
        ],
      },
      [2],
    ],
    [{ kind: "count-limit", list: "l[]", max: 1 }, { l: ["A", "B", "C"] }, [1]],
    [{ kind: "count-limit", list: "l[]", max: 1 }, { l: ["", "B", null, {}] }, []],
    [{ kind: "count-limit", list: "l[]", max: 0 }, { l: ["", "B"] }, [1]],
    [{ kind: "count-limit", list: "l[]", min: 3, max: 4 }, { l: ["A", "B"] }, [0]],
    [
      { kind: "count-limit", list: "l[]", group: ["a", "b[]"], max: 1 },
      { l: [{ a: 1, b: [1, 2] }, { a: 1, b: [2] }, { a: 2, b: [2] }, { a: 1 }, { a: 1 }] },
      [1, 4],
    ],
    [{ kind: "date-order", earlier: "a[]", later: "l[]" }, { a: [day(1), day(10)], l: [day(5), day(20)] }, [0]],
    [{ kind: "date-order", earlier: "l[]", later: "b" }, { l: [day(1), day(10), day(5)], b: day(5) }, [1]],
    [
      { kind: "date-order", earlier: "l[]", later: "b", strict: true },
      { l: [day(1), day(10), day(5)], b: day(5) },
      [1, 2],
    ],
    [{ kind: "conditional-value", field: "l[]", is: ["A", "B"] }, { l: ["A", "C", "B"] }, [1]],
    [{ kind: "conditional-value", field: "l[]", "is-not": ["A", "B"] }, { l: ["A", "C", "B"] }, [0, 2]],
    [{ kind: "forbidden-when", fields: ["l[].a"] }, { l: [{ a: 1 }, {}, { a: 2 }] }, [0, 2]],
    [{ kind: "refers-to", value: "l[]", in: "b[]" }, { l: [1, "1", 2], b: ["1"] }, [2]],
    [{ kind: "equals-across", values: "l[]" }, { l: [1, "1.0", 2, 1] }, [2]],
    [{ kind: "in-set", value: "l[]", set: ["A"], negate: true }, { l: ["A", "B", "A"] }, [0, 2]],
    [{ kind: "within", value: "l[]", min: 2, max: 3 }, { l: [1, 2, 3, 4, "A"] }, [0, 3]],
  ])("are found by the rule %j in the payload %j", (rule, payload, items) => {
    expect(problemsOfRule({ ...rule, attr: "l[]" }, payload)).toEqual(items.map((item) => `l.${item} broken`));
  });
});

describe("a moment near the limit", () => {
  const limit = { kind: "not-future", value: "at", limit: "2 days" };

  it.each<[JsonObject, string, boolean]>([
    [{ kind: "not-future", value: "at" }, "2026-03-15T12:00:00Z", true],
    [{ kind: "not-future", value: "at" }, "2026-03-15T12:00:00.001Z", false],
    [{ kind: "not-past", value: "at" }, "2026-03-15T12:00:00Z", true],
    [{ kind: "not-past", value: "at" }, "2026-03-15T11:59:59.999Z", false],
    [limit, "2026-03-17T12:00:00Z", true],
    [limit, "2026-03-17T12:00:01Z", false],
    [limit, "2026-03-17", true],
    [limit, "2026-03-18", false],
    [{ ...limit, kind: "not-past" }, "2026-03-13T12:00:00Z", true],
    [{ ...limit, kind: "not-past" }, "2026-03-13T11:59:59Z", false],
  ])("of the rule %j, %s, is allowed: %s", (rule, at, isAllowed) => {
    expect(problemsOfRule(rule, { at })).toEqual(isAllowed ? [] : ["non_field_errors broken"]);
  });
});

describe("a missing value", () => {
  it.each<[JsonObject, boolean]>([
    [{ is: ["A", null] }, true],
    [{ is: ["A", "B"] }, false],
    [{ "is-not": ["A", null] }, false],
    [{ "is-not": ["A"] }, true],
    [{ is: ["A"], default: "A" }, true],
    [{ is: ["A", "B"], default: "C" }, false],
    [{ "is-not": ["C"], default: "C" }, false],
  ])("is allowed by %j: %s", (members, isAllowed) => {
    for (const field of ["a", "l[].a"]) {
      const rule = { kind: "conditional-value", field, "skip-if-missing": false, ...members };
      expect(problemsOfRule(rule, {})).toEqual(isAllowed ? [] : ["non_field_errors broken"]);
    }
  });
});

it("a postcode is checked against the region in the payload", () => {
  const rule = { kind: "matches-format", value: "code", format: "postcode", region: "region" };
  expect(problemsOfRule(rule, { code: "2000", region: "AU" })).toEqual([]);
  expect(problemsOfRule(rule, { code: "2000", region: "GB" })).toHaveLength(1);
  expect(problemsOfRule(rule, { code: "2000" })).toEqual([]);
});
