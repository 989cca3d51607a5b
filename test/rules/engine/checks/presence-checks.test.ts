import { describeCases } from "../check-cases.ts";

describeCases({
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
  "required-when: one of the fields": {
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
});
