import { describeCases } from "../check-cases.ts";

describeCases({
  "conditional-value": {
    rule: { kind: "conditional-value", when: "delay", field: "trigger", is: ["BILL", null] },
    pass: [{ trigger: "X" }, { delay: 1, trigger: "BILL" }, { delay: 1 }],
    fail: [{ delay: 1, trigger: "X" }],
  },
  "conditional-value: negated, with a default": {
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
    with: { declarations: { "x-rule-settings": { vendors: { type: "list" } } }, settings: { vendors: ["ONE", "TWO"] } },
    pass: [{ vendor: "TWO" }],
    fail: [{ vendor: "THREE" }],
  },
  "in-set: a reference list": {
    rule: { kind: "in-set", value: "product", source: "products", columns: "code" },
    with: { references: { products: { columns: ["code"], rows: [{ code: "P1" }] } } },
    pass: [{ product: "P1" }, {}],
    fail: [{ product: "P2" }],
  },
  "in-set: cells of a reference list with line breaks": {
    rule: { kind: "in-set", value: ["x", "y"], source: "products", columns: ["code", "area"] },
    with: { references: { products: { columns: ["code", "area"], rows: [{ code: "A\nB", area: "C" }] } } },
    pass: [{ x: "A\nB", y: "C" }],
    fail: [{ x: "A", y: "B\nC" }],
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
  "lookup: one of several rows found by several columns satisfies the test": {
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
  "refers-to: values listed in a reference list": {
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
  "matches-format: a pattern for the whole value": {
    rule: { kind: "matches-format", value: "x", pattern: "P-[A-Z0-9]{8}" },
    pass: [{ x: "P-ABCD1234" }],
    fail: [{ x: "P-ABCD12345" }],
  },
  within: {
    rule: { kind: "within", value: "list[].x", min: 1, max: "most" },
    pass: [{ list: [{ x: 1 }, { x: "28.0" }], most: 28 }, { list: [{ x: 99 }] }],
    fail: [{ list: [{ x: 0.99 }] }, { list: [{ x: "28.01" }], most: "28" }],
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
    with: { declarations: { "x-rule-values": { signed: 'if(type = "IN", amount, -amount)' } } },
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
  "in-set: the field names of an object": {
    rule: { kind: "in-set", each: "map{}", value: "name-of(.)", set: ["a", "b"] },
    pass: [{ map: { a: 1, b: null } }, {}],
    fail: [{ map: { a: 1, c: 2 } }],
  },
  "refers-to: several values": {
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
  holds: {
    rule: { kind: "holds", each: "a[export]", test: "count(top.a[serial = this.serial]) = 2" },
    pass: [{ a: [{ serial: 1, export: true }, { serial: 1 }, { serial: 2 }] }],
    fail: [{ a: [{ serial: 1, export: true }, { serial: 2 }] }],
  },
});
