import { describeCases } from "../check-cases.ts";

describeCases({
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
  "no-overlap: date-times with different offsets": {
    rule: { kind: "no-overlap", list: "a[]", start: "from", end: "to" },
    pass: [
      {
        a: [
          { from: "2024-06-01T00:30:00Z", to: "2024-06-01T01:30:00+02:00" },
          { from: "2024-06-01T00:00:00Z", to: "2024-06-01T01:00:00Z" },
        ],
      },
    ],
    fail: [
      {
        a: [
          { from: "2024-06-01T00:30:00+02:00", to: "2024-06-01T00:00:00Z" },
          { from: "2024-06-01T00:45:00+02:00", to: "2024-06-01T00:15:00Z" },
        ],
      },
    ],
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
  "contiguous: an empty period with the same start as another period, in any order": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to" },
    pass: [
      { a: [{ from: "2026-05-01" }, { from: "2026-05-01", to: "2026-05-01" }] },
      { a: [{ from: "2026-05-01", to: "2026-05-01" }, { from: "2026-05-01" }] },
      {
        a: [{ from: "2026-05-01", to: "2026-06-01" }, { from: "2026-05-01", to: "2026-05-01" }, { from: "2026-06-01" }],
      },
    ],
    fail: [{ a: [{ from: "2026-05-01" }, { from: "2026-05-01", to: "2026-05-02" }] }],
  },
  "contiguous: either step between periods, beginning with a given day": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to", step: [0, 1], from: "today" },
    pass: [
      { a: [{ from: "2025-01-01", to: "2025-01-30" }, { from: "2026-02-01" }] },
      {
        a: [{ from: "2026-03-01", to: "2026-04-01" }, { from: "2026-04-01", to: "2026-04-30" }, { from: "2026-05-01" }],
      },
    ],
    fail: [{ a: [{ from: "2026-03-01", to: "2026-04-01" }, { from: "2026-04-03" }] }],
  },
  "contiguous: date-times without a gap, even if it is shorter than a day": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to" },
    pass: [
      { a: [{ from: "2024-05-01T00:00:00Z", to: "2024-06-01T00:00:00Z" }, { from: "2024-06-01T02:00:00+02:00" }] },
    ],
    fail: [
      { a: [{ from: "2024-05-01T00:00:00Z", to: "2024-06-01T00:00:00Z" }, { from: "2024-06-01T08:00:00Z" }] },
      { a: [{ from: "2024-05-01T00:00:00Z", to: "2024-06-01T00:00:00Z" }, { from: "2024-05-31T23:00:00Z" }] },
    ],
  },
  "contiguous: date-times a day apart, across a clock change": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to", step: 1 },
    with: { zone: "Europe/London" },
    pass: [{ a: [{ from: "2024-01-01T00:00:00Z", to: "2024-03-31T00:00:00Z" }, { from: "2024-03-31T23:00:00Z" }] }],
    fail: [{ a: [{ from: "2024-01-01T00:00:00Z", to: "2024-03-31T00:00:00Z" }, { from: "2024-04-01T00:00:00Z" }] }],
  },
  "contiguous: a date and a date-time on the same day of the instance": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to" },
    with: { zone: "Pacific/Auckland" },
    pass: [
      { a: [{ from: "2024-01-01T00:00:00+13:00", to: "2024-02-01" }, { from: "2024-02-01T00:00:00+13:00" }] },
      { a: [{ from: "2024-01-01", to: "2024-02-01T00:00:00+13:00" }, { from: "2024-02-01" }] },
    ],
    fail: [{ a: [{ from: "2024-01-01T00:00:00+13:00", to: "2024-02-01" }, { from: "2024-02-01T13:00:00Z" }] }],
  },
  "contiguous: overlaps are allowed between date-times": {
    rule: { kind: "contiguous", list: "a[]", start: "from", end: "to", overlaps: true },
    pass: [{ a: [{ from: "2024-05-01T00:00:00Z", to: "2024-06-01T00:00:00Z" }, { from: "2024-05-31T00:00:00Z" }] }],
    fail: [{ a: [{ from: "2024-05-01T00:00:00Z", to: "2024-06-01T00:00:00Z" }, { from: "2024-06-01T00:00:01Z" }] }],
  },
  "contiguous: overlaps are allowed": {
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
  "covered-by: a period is covered by a matching period": {
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
});
