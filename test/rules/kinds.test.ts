import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { broken, type Judging } from "./judging.ts";

interface Case {
  readonly rule: JsonObject;
  readonly pass: readonly JsonObject[];
  readonly fail: readonly JsonObject[];
  readonly with?: Judging;
  /** Where the first failing payload is reported; default: the object. */
  readonly attr?: string;
}

const HERE = "non_field_errors broken";

const CASES: Readonly<Record<string, Case>> = {
  "required-when: every field": {
    rule: { kind: "required-when", when: 'type = "A"', fields: ["x", "y"] },
    pass: [{ type: "A", x: 1, y: false }, { type: "B" }, {}],
    fail: [
      { type: "A", x: 1 },
      { type: "A", x: 1, y: "  " },
      { type: "A", x: 1, y: [] },
      { type: "A", x: 1, y: null },
    ],
  },
  "required-when: one of them": {
    rule: { kind: "required-when", fields: ["x", "list[].y"], "one-of": true },
    pass: [{ x: 1 }, { list: [{}, { y: 2 }] }],
    fail: [{}, { list: [{}] }],
  },
  "forbidden-when": {
    rule: { kind: "forbidden-when", when: "closed", fields: ["x", "list"] },
    pass: [{ closed: false, x: 1 }, { closed: true, list: [] }, { closed: true, x: "" }, { x: 1 }],
    fail: [
      { closed: true, x: 1 },
      { closed: true, list: [0] },
    ],
  },
  "requires: if and needs": {
    rule: { kind: "requires", if: "x", needs: ["y"] },
    pass: [{}, { x: 1, y: 1 }, { y: 1 }],
    fail: [{ x: 1 }],
  },
  "requires: all or none": {
    rule: { kind: "requires", "all-or-none": ["x", "y", "z"] },
    pass: [{}, { x: 1, y: 1, z: 1 }],
    fail: [{ x: 1 }, { y: 1, z: 1 }],
  },
  "requires-one-of": {
    rule: { kind: "requires-one-of", fields: ["x", "y", "z"], max: 1 },
    pass: [{ x: 1 }, { x: "", z: 1 }],
    fail: [{}, { x: 1, y: 1 }],
  },
  "forbids-together": {
    rule: { kind: "forbids-together", fields: ["x", ["y", "z"]] },
    pass: [{}, { x: 1 }, { y: 1, z: 1 }, { x: 1, y: null }],
    fail: [{ x: 1, z: 1 }],
  },
  "conditional-value": {
    rule: { kind: "conditional-value", when: "delay", field: "trigger", is: ["BILL", null] },
    pass: [{ trigger: "X" }, { delay: 1, trigger: "BILL" }, { delay: 1 }],
    fail: [{ delay: 1, trigger: "X" }],
  },
  "conditional-value: not, with a default": {
    rule: { kind: "conditional-value", field: "amount", "is-not": [0], default: 0 },
    pass: [{ amount: "0.01" }, { amount: 5 }],
    fail: [{ amount: "0.00" }, {}],
  },
  "in-set: literals": {
    rule: { kind: "in-set", value: "list[].type", set: ["A", "B"] },
    pass: [{}, { list: [{ type: "A" }, { type: "B" }, {}] }],
    fail: [{ list: [{ type: "A" }, { type: "C" }] }],
  },
  "in-set: tuples, negated": {
    rule: { kind: "in-set", value: ["x", "y"], set: [["A", 1]], negate: true },
    pass: [{ x: "A" }, { x: "A", y: 2 }],
    fail: [{ x: "A", y: 1 }],
  },
  "in-set: a setting": {
    rule: { kind: "in-set", value: "vendor", set: "config.vendors" },
    with: { book: { "x-rule-settings": { vendors: { type: "list" } } }, settings: { vendors: ["ONE", "TWO"] } },
    pass: [{ vendor: "TWO" }],
    fail: [{ vendor: "THREE" }],
  },
  "in-set: a reference list": {
    rule: { kind: "in-set", value: "product", source: "products", columns: "code" },
    with: { references: { products: { columns: ["code"], rows: [{ code: "P1" }] } } },
    pass: [{ product: "P1" }, {}],
    fail: [{ product: "P2" }],
  },
  lookup: {
    rule: {
      kind: "lookup",
      value: "product",
      source: "products",
      by: "code",
      test: "found.end is absent or to <= found.end",
    },
    with: {
      references: { products: { columns: ["code", "end"], rows: [{ code: "P1" }, { code: "P2", end: "2026-01-01" }] } },
    },
    pass: [{ product: "P1" }, { product: "P2", to: "2026-01-01" }, { product: "P3" }],
    fail: [{ product: "P2" }, { product: "P2", to: "2026-01-02" }],
  },
  "lookup: a row found by several columns, of which one agrees": {
    rule: {
      kind: "lookup",
      value: ["product", "rate"],
      source: "variants",
      by: ["product", "code"],
      test: "agrees(values, found)",
    },
    with: {
      references: {
        variants: {
          columns: ["product", "code", "size", "zone"],
          rows: [
            { product: "P1", code: "R1", size: "S" },
            { product: "P1", code: "R1", size: "L", zone: "2" },
          ],
        },
      },
    },
    pass: [
      { product: "P1", rate: "R1", values: { size: "S", zone: 9 } },
      { product: "P1", rate: "R1", values: { size: "L", zone: 2 } },
      { product: "P1", rate: "R1", values: { colour: "red" } },
      { product: "P1", rate: "R1" },
      { product: "P1", values: { size: "XL" } },
      { product: "P1", rate: "R2", values: { size: "XL" } },
    ],
    fail: [
      { product: "P1", rate: "R1", values: { size: "XL" } },
      { product: "P1", rate: "R1", values: { size: "L", zone: 3 } },
    ],
  },
  "refers-to: what a list asks for": {
    rule: { kind: "refers-to", value: "listed.needed-rates[product = this.product].code", in: "rates[]" },
    with: {
      references: {
        "needed-rates": {
          columns: ["product", "code"],
          rows: [
            { product: "P1", code: "R1" },
            { product: "P1", code: "R2" },
            { product: "P2", code: "R3" },
          ],
        },
      },
    },
    pass: [{ product: "P1", rates: ["R2", "R1"] }, { product: "P9" }, {}],
    fail: [
      { product: "P1", rates: ["R1"] },
      { product: "P2", rates: ["R1", "R2"] },
    ],
  },
  "matches-format": {
    rule: { kind: "matches-format", value: "codes[]", format: "postcode", region: "GB", attr: "codes[]" },
    attr: "codes.1 broken",
    pass: [{ codes: ["SW1A 1AA"] }, {}],
    fail: [{ codes: ["EC1A 1BB", "12345"] }],
  },
  "matches-format: a pattern of the whole": {
    rule: { kind: "matches-format", value: "x", pattern: "P-[A-Z0-9]{8}" },
    pass: [{ x: "P-ABCD1234" }],
    fail: [{ x: "P-ABCD12345" }],
  },
  "date-order": {
    rule: { kind: "date-order", earlier: "a", later: "b" },
    pass: [{ a: "2026-01-01", b: "2026-01-01" }, { a: "2026-01-01" }, { b: "2026-01-01" }],
    fail: [{ a: "2026-01-02", b: "2026-01-01" }],
  },
  "date-order: strict, with a fallback and a list": {
    rule: { kind: "date-order", earlier: "first(a + 1 day, c)", later: "list[].d", strict: true },
    pass: [
      { a: "2026-02-28", list: [{ d: "2026-03-02" }] },
      { c: "2026-01-01", list: [{ d: "2026-01-02" }] },
    ],
    fail: [
      { a: "2026-02-28", list: [{ d: "2026-03-01" }] },
      { c: "2026-01-01", list: [{ d: "2026-01-01" }] },
    ],
  },
  "not-future": {
    rule: { kind: "not-future", value: "at" },
    pass: [{ at: "2026-03-15" }, { at: "2026-03-15T11:59:59Z" }, {}],
    fail: [{ at: "2026-03-16" }, { at: "2026-03-15T12:00:01Z" }],
  },
  "not-past, with a limit": {
    rule: { kind: "not-past", value: "at", limit: "2 days" },
    pass: [{ at: "2026-03-13" }, { at: "2026-03-13T12:00:00Z" }],
    fail: [{ at: "2026-03-12" }, { at: "2026-03-13T11:00:00Z" }],
  },
  within: {
    rule: { kind: "within", value: "list[].x", min: 1, max: "most" },
    pass: [{ list: [{ x: 1 }, { x: "28.0" }], most: 28 }, { list: [{ x: 99 }] }],
    fail: [{ list: [{ x: 0.99 }] }, { list: [{ x: "28.01" }], most: "28" }],
  },
  "unique-by": {
    rule: { kind: "unique-by", list: ["a[]", "b[]"], key: ["id", "type"] },
    pass: [{ a: [{ id: 1 }, { id: 1, type: "X" }], b: [{ id: 2 }, {}, {}] }],
    fail: [{ a: [{ id: 1 }], b: [{ id: 1 }] }],
  },
  "unique-by: the whole item": {
    rule: { kind: "unique-by", list: "a[]", key: "*" },
    pass: [{ a: [{ x: 1 }, { x: 2 }] }],
    fail: [
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
    ],
  },
  "unique-by: twice is allowed, a pair may pass": {
    rule: { kind: "unique-by", list: "a[]", key: "id", allow: 2 },
    pass: [{ a: [{ id: 1 }, { id: 1 }] }],
    fail: [{ a: [{ id: 1 }, { id: 1 }, { id: 1 }] }],
  },
  "unique-by: unless": {
    rule: { kind: "unique-by", list: "a[]", key: "id", unless: "from = other.to + 1 day" },
    pass: [
      {
        a: [
          { id: 1, from: "2026-02-01" },
          { id: 1, to: "2026-01-31" },
        ],
      },
    ],
    fail: [
      {
        a: [
          { id: 1, from: "2026-02-02" },
          { id: 1, to: "2026-01-31" },
        ],
      },
    ],
  },
  "count-limit": {
    rule: { kind: "count-limit", list: "a[end is absent]", max: 1 },
    pass: [{}, { a: [{ x: 1 }, { end: "2026-01-01" }] }],
    fail: [{ a: [{ x: 1 }, { x: 2 }] }],
  },
  "count-limit: least, in groups": {
    rule: { kind: "count-limit", list: "a[]", group: "g", min: 2 },
    pass: [{}, { a: [{ g: 1 }, { g: 1 }] }],
    fail: [{ a: [{ g: 1 }, { g: 1 }, { g: 2 }] }],
  },
  "count-limit: none at all": {
    rule: { kind: "count-limit", list: "a[]", min: 1 },
    pass: [{ a: [{ g: 1 }] }],
    fail: [{}, { a: [] }],
  },
  "equals-across: values": {
    rule: { kind: "equals-across", values: ["min(list[].at)", "from"] },
    pass: [{}, { list: [{ at: "2026-01-02" }, { at: "2026-01-01" }], from: "2026-01-01" }, { from: "2026-01-01" }],
    fail: [{ list: [{ at: "2026-01-02" }], from: "2026-01-01" }],
  },
  "equals-across: presence": {
    rule: { kind: "equals-across", list: "list[]", presence: ["name", "slug"] },
    pass: [{ list: [{ name: 1 }, { name: 2 }] }, {}],
    fail: [{ list: [{ name: 1 }, { slug: 2 }] }, { list: [{ name: 1 }, { name: 1, slug: 2 }] }],
  },
  "sum-equals": {
    rule: { kind: "sum-equals", sum: "open + sum(list[].$signed)", equals: "close" },
    with: { book: { "x-rule-values": { signed: 'if(type = "IN", amount, -amount)' } } },
    pass: [
      { open: "0.1", list: [{ type: "IN", amount: "0.2" }], close: "0.3" },
      { open: "1.00", list: [{ type: "OUT", amount: "1.5" }], close: "-0.50" },
      { open: "1", list: [], close: 1 },
      { list: [], close: 1 },
      { open: 1, close: 2 },
      { open: 1, list: [{ type: "IN" }], close: 2 },
    ],
    fail: [{ open: "0.1", list: [{ type: "IN", amount: "0.2" }], close: "0.30000000000000004" }],
  },
  "sum-equals: at most, with a tolerance": {
    rule: { kind: "sum-equals", sum: "a * b / 12", equals: "c", op: "<=", tolerance: "0.01" },
    pass: [
      { a: 2, b: 6, c: "0.99" },
      { a: 1, b: 1, c: 5 },
    ],
    fail: [{ a: 2, b: 6, c: "0.98" }],
  },
  "in-set: the names of an object's fields": {
    rule: { kind: "in-set", each: "map{}", value: "name-of(.)", set: ["a", "b"] },
    pass: [{ map: { a: 1, b: null } }, {}],
    fail: [{ map: { a: 1, c: 2 } }],
  },
  "refers-to: from several places": {
    rule: { kind: "refers-to", value: ["one", "list[].other"], in: "known[]" },
    pass: [{ one: "A", list: [{ other: "B" }, {}], known: ["A", "B"] }],
    fail: [
      { one: "C", known: ["A"] },
      { one: "A", list: [{ other: "C" }], known: ["A"] },
    ],
  },
  "refers-to": {
    rule: { kind: "refers-to", value: "readings[].register", in: ["registers[].id", "spare"] },
    pass: [{ readings: [{ register: "01" }, { register: "S" }], registers: [{ id: "01" }], spare: "S" }, {}],
    fail: [{ readings: [{ register: "02" }], registers: [{ id: "01" }] }, { readings: [{ register: "02" }] }],
  },
  "no-overlap": {
    rule: { kind: "no-overlap", list: "a[]", start: "from", end: "to", group: "g" },
    pass: [
      { a: [{ from: "2026-02-01" }, { from: "2026-01-01", to: "2026-02-01" }] },
      {
        a: [
          { g: 1, from: "2026-01-01" },
          { g: 2, from: "2026-01-01" },
        ],
      },
    ],
    fail: [
      { a: [{ from: "2026-01-01", to: "2026-02-02" }, { from: "2026-02-01" }] },
      { a: [{ from: "2026-01-01" }, { from: "2026-02-01", to: "2026-03-01" }] },
      {
        a: [{ from: "2026-01-01", to: "2026-12-31" }, { from: "2026-02-01", to: "2026-03-01" }, { from: "2027-06-01" }],
      },
    ],
  },
  "no-overlap: inclusive ends": {
    rule: { kind: "no-overlap", list: "a[]", start: "from", end: "to", "end-inclusive": true },
    pass: [{ a: [{ from: "2026-01-01", to: "2026-01-31" }, { from: "2026-02-01" }] }],
    fail: [{ a: [{ from: "2026-01-01", to: "2026-02-01" }, { from: "2026-02-01" }] }],
  },
  contiguous: {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to", step: 1, last: "open" },
    pass: [{ a: [{ from: "2026-02-01" }, { from: "2026-01-01", to: "2026-01-31" }] }, {}],
    fail: [
      { a: [{ from: "2026-01-01", to: "2026-01-30" }, { from: "2026-02-01" }] },
      { a: [{ from: "2026-01-01", to: "2026-02-01" }, { from: "2026-02-01" }] },
      { a: [{ from: "2026-01-01" }, { from: "2026-02-01" }] },
      { a: [{ from: "2026-01-01", to: "2026-01-30" }] },
    ],
  },
  "contiguous: either step, not before a day": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to", step: [0, 1], from: "today" },
    pass: [
      { a: [{ from: "2025-01-01", to: "2025-01-30" }, { from: "2026-02-01" }] },
      {
        a: [{ from: "2026-03-01", to: "2026-04-01" }, { from: "2026-04-01", to: "2026-04-30" }, { from: "2026-05-01" }],
      },
    ],
    fail: [{ a: [{ from: "2026-03-01", to: "2026-04-01" }, { from: "2026-04-03" }] }],
  },
  "contiguous: gaps alone": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to", step: 1, overlaps: true },
    pass: [
      {
        a: [
          { from: "2026-01-01", to: "2026-03-31" },
          { from: "2026-01-01", to: "2026-01-31" },
          { from: "2026-04-01", to: "2026-04-30" },
        ],
      },
    ],
    fail: [
      {
        a: [
          { from: "2026-01-01", to: "2026-03-31" },
          { from: "2026-02-01", to: "2026-02-28" },
          { from: "2026-04-02", to: "2026-04-30" },
        ],
      },
    ],
  },
  "covered-by": {
    rule: { kind: "covered-by", value: "at", list: "a[]", start: "from", end: "to", "end-inclusive": false },
    pass: [
      {},
      { at: "2026-01-31", a: [{ from: "2026-01-01", to: "2026-02-01" }] },
      { at: "2026-05-01", a: [{ from: "2026-05-01" }] },
    ],
    fail: [{ at: "2026-02-01", a: [{ from: "2026-01-01", to: "2026-02-01" }] }, { at: "2026-01-01" }],
  },
  "covered-by: a period, by one that matches": {
    rule: {
      kind: "covered-by",
      value: "min(l[].s)",
      to: "max(l[].e)",
      list: "a[]",
      start: "from",
      end: "to",
      match: "code = this.code",
    },
    pass: [
      {
        code: "X",
        l: [{ s: "2026-01-01", e: "2026-01-31" }],
        a: [{ code: "X", from: "2026-01-01", to: "2026-01-31" }],
      },
    ],
    fail: [
      { code: "Y", l: [{ s: "2026-01-01", e: "2026-01-31" }], a: [{ code: "X", from: "2026-01-01" }] },
      {
        code: "X",
        l: [{ s: "2026-01-01", e: "2026-02-28" }],
        a: [
          { code: "X", from: "2026-01-01", to: "2026-01-31" },
          { code: "X", from: "2026-02-01" },
        ],
      },
    ],
  },
  holds: {
    rule: { kind: "holds", each: "a[export]", test: "count(top.a[serial = this.serial]) = 2" },
    pass: [{ a: [{ serial: 1, export: true }, { serial: 1 }, { serial: 2 }] }],
    fail: [{ a: [{ serial: 1, export: true }, { serial: 2 }] }],
  },
};

describe.each(Object.entries(CASES))("%s", (_name, { rule, pass, fail, attr = HERE, with: judging = {} }) => {
  it.each(pass)("passes %j", (payload) => {
    expect(broken(rule, payload, judging)).toEqual([]);
  });

  it.each(fail)("fails %j", (payload) => {
    expect(broken(rule, payload, judging)).toEqual([attr]);
    expect(broken({ ...rule, severity: "warning" }, payload, judging)).toEqual([`warning ${attr}`]);
  });
});

describe("a missing operand", () => {
  it.each([
    { kind: "date-order", earlier: "a", later: "b" },
    { kind: "not-future", value: "a" },
    { kind: "within", value: "a", min: 1 },
    { kind: "matches-format", value: "a", format: "mpan" },
    { kind: "in-set", value: "a", set: ["x"] },
    { kind: "conditional-value", field: "a", is: ["x"] },
    { kind: "sum-equals", sum: "a", equals: "b" },
    { kind: "refers-to", value: "a", in: "b" },
    { kind: "covered-by", value: "a", list: "l[]", start: "s", end: "e" },
  ])("passes, unless the rule says otherwise: $kind", (rule) => {
    expect(broken(rule, {})).toEqual([]);
    expect(broken({ ...rule, "skip-if-missing": false }, {})).toEqual([HERE]);
  });
});
