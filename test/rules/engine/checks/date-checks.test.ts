import { describeCases } from "../check-cases.ts";

describeCases({
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
    pass: [{ at: "2026-03-15" }, { at: "2026-03-15T11:59:59Z" }, { at: "9 May 2099" }, { at: "19 May 2099" }, {}],
    fail: [{ at: "2026-03-16" }, { at: "2026-03-15T12:00:01Z" }],
  },
  "not-future, with a limit beyond the year 9999": {
    rule: { kind: "not-future", value: "at", limit: "9999999 days" },
    pass: [{ at: "2026-03-16" }, { at: "9999-12-31" }],
    fail: [],
  },
  "date-order: a day after an open end": {
    rule: { kind: "date-order", earlier: "a + 1 day", later: "b" },
    pass: [{ a: "9999-12-31", b: "9999-12-31" }],
    fail: [{ a: "9999-12-31", b: "2026-01-01" }],
  },
  "not-past, with a limit": {
    rule: { kind: "not-past", value: "at", limit: "2 days" },
    pass: [{ at: "2026-03-13" }, { at: "2026-03-13T12:00:00Z" }],
    fail: [{ at: "2026-03-12" }, { at: "2026-03-13T11:00:00Z" }],
  },
  "not-future, with a limit after the clocks go back": {
    rule: { kind: "not-future", value: "at", limit: "1 day" },
    with: { zone: "Europe/London", today: "2025-10-25" },
    pass: [{ at: "2025-10-26T23:30:00Z" }],
    fail: [{ at: "2025-10-27T00:00:00Z" }],
  },
  "not-future, with a limit after the clocks go forward": {
    rule: { kind: "not-future", value: "at", limit: "1 day" },
    with: { zone: "Europe/London", today: "2025-03-29" },
    pass: [{ at: "2025-03-30T23:30:00+01:00" }],
    fail: [{ at: "2025-03-31T00:30:00+01:00" }],
  },
  "not-past, with a limit before the clocks go back": {
    rule: { kind: "not-past", value: "at", limit: "2 days" },
    with: { zone: "Europe/London", today: "2025-10-27" },
    pass: [{ at: "2025-10-24T23:30:00Z" }],
    fail: [{ at: "2025-10-24T22:30:00Z" }],
  },
  "not-past, with a limit before the clocks go forward": {
    rule: { kind: "not-past", value: "at", limit: "2 days" },
    with: { zone: "Europe/London", today: "2025-03-31" },
    pass: [{ at: "2025-03-29T00:00:00Z" }],
    fail: [{ at: "2025-03-28T23:30:00Z" }],
  },
  "not-future, on a set day with a limit beyond the year 9999": {
    rule: { kind: "not-future", value: "at", limit: "9999999 days" },
    with: { today: "2025-03-31" },
    pass: [{ at: "9999-12-31T23:59:59Z" }],
    fail: [],
  },
  "not-past, on a set day with a limit before the year 0": {
    rule: { kind: "not-past", value: "at", limit: "9999999 days" },
    with: { today: "2025-03-31" },
    pass: [{ at: "0001-01-01T00:00:00Z" }],
    fail: [],
  },
});
