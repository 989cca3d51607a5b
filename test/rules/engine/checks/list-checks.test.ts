import { describeCases } from "../check-cases.ts";

describeCases({
  "unique-by": {
    rule: { kind: "unique-by", list: ["a[]", "b[]"], key: ["id", "type"] },
    pass: [{ a: [{ id: 1 }, { id: 1, type: "X" }], b: [{ id: 2 }, {}, {}] }],
    fail: [{ a: [{ id: 1 }], b: [{ id: 1 }] }],
  },
  "unique-by: values with line breaks": {
    rule: { kind: "unique-by", list: "a[]", key: ["id", "type"] },
    pass: [
      {
        a: [
          { id: 'A\n"B', type: "C" },
          { id: "A", type: 'B\n"C' },
        ],
      },
    ],
    fail: [
      {
        a: [
          { id: "A\nB", type: "C" },
          { id: "A\nB", type: "C" },
        ],
      },
    ],
  },
  "unique-by: date-times at the same instant": {
    rule: { kind: "unique-by", list: "a[]", key: "at" },
    pass: [{ a: [{ at: "2024-06-01T00:00:00Z" }, { at: "2024-06-01T00:00:00+01:00" }, { at: "2024-06-01" }] }],
    fail: [{ a: [{ at: "2024-06-01T00:00:00Z" }, { at: "2024-06-01T01:00:00.0+01:00" }] }],
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
  "unique-by: two equal items are allowed": {
    rule: { kind: "unique-by", list: "a[]", key: "id", allow: 2 },
    pass: [{ a: [{ id: 1 }, { id: 1 }] }],
    fail: [{ a: [{ id: 1 }, { id: 1 }, { id: 1 }] }],
  },
  "unique-by: with `unless`": {
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
  "count-limit: a minimum, in groups": {
    rule: { kind: "count-limit", list: "a[]", group: "g", min: 2 },
    pass: [{}, { a: [{ g: 1 }, { g: 1 }] }],
    fail: [{ a: [{ g: 1 }, { g: 1 }, { g: 2 }] }],
  },
  "count-limit: a minimum without groups": {
    rule: { kind: "count-limit", list: "a[]", min: 1 },
    pass: [{ a: [{ g: 1 }] }],
    fail: [{}, { a: [] }],
  },
});
