import { describe, expect, it } from "vitest";
import type { LocalFinding, LocalProblem } from "../../../src/model/problem.ts";
import { describePattern, describeProblem } from "../../../src/report/problems/problem-text.ts";

const other = { file: "accounts.csv", line: 7 };
const cases: readonly (readonly [LocalFinding, string])[] = [
  [
    { code: "invalid", expected: "date", written: { as: "dd/MM/yyyy" } },
    "Must be a valid date, written as dd/MM/yyyy.",
  ],
  [
    { code: "invalid", expected: "datetime", written: { as: "dd/MM/yyyy HH:mm", zone: "Europe/London" } },
    "Must be a valid date and time, written as dd/MM/yyyy HH:mm, between the years 1 and 9999 in UTC. A clock change in Europe/London must not skip or repeat it.",
  ],
  [{ code: "invalid", expected: "exact number" }, "Has too many digits: the number would lose digits when it is sent."],
  [{ code: "invalid", expected: "multiple", written: { as: "0.5" } }, "Must be a multiple of 0.5."],
  [
    { code: "invalid", expected: "pattern", written: { as: "^[A-Z]+$" } },
    "Does not match the format that the contract requires: ^[A-Z]+$",
  ],
  [{ code: "invalid", expected: "decimal", written: { as: "1.234,50" } }, "Must be a number, written as 1.234,50."],
  [
    { code: "invalid", expected: "datetime" },
    "Must be a date and time with a time zone, such as 2026-01-31T09:30:00Z, between the years 1 and 9999 in UTC.",
  ],
  [{ code: "invalid_choice", choices: [] }, "No value is allowed, because there are no choices."],
  [{ code: "invalid_choice", choices: ["A", "", "B"] }, 'Must be one of: A, "", B.'],
  [{ code: "invalid_choice", choices: ["A", "B"], found: "X7" }, "Must be one of: A, B. Found: X7."],
  [{ code: "max_length", limit: 1, unit: "characters" }, "Must have at most 1 character."],
  [{ code: "min_length", limit: 2000, unit: "items" }, "Must have at least 2,000 items."],
  [{ code: "max_value", limit: "10.5", exclusive: false }, "Must be at most 10.5."],
  [{ code: "min_value", limit: "0", exclusive: true }, "Must be more than 0."],
  [{ code: "max_decimal_places", limit: 2 }, "Must have at most 2 digits after the decimal point."],
  [{ code: "unknown_field" }, "The contract does not document this field."],
  [
    { code: "unknown_field", suggestion: "postcode" },
    "The contract does not document this field. Did you mean postcode?",
  ],
  [
    { code: "duplicate_key", other, sameContent: true },
    "The same business key as accounts.csv:7, with the same content: sent once.",
  ],
  [
    { code: "duplicate_key", other, sameContent: false },
    "The same business key as accounts.csv:7, with different content.",
  ],
  [{ code: "coerced", from: "integer", to: "string" }, "The platform would silently convert this integer to a string."],
  [
    { code: "unsafe_document_path", reason: "parent_segment" },
    'Must be a plain path relative to the supplier\'s root: it contains a part "." or "..".',
  ],
  [{ code: "source_ragged_row", found: 1, expected: 5 }, "The row has 1 cell, but the header has 5."],
  [{ code: "source_repeated_header", line: 1 }, "The row repeats the header in line 1."],
  [{ code: "source_record_too_large", limitBytes: 1048576 }, "The record is larger than 1,048,576 bytes."],
  [
    { code: "source_orphan_row", parent: "accounts", near: { ...other, records: [] } },
    "No row of accounts has this key. Similar key: accounts.csv:7.",
  ],
  [
    { code: "source_orphan_row", parent: "accounts", omitted: other },
    "The row of accounts with this key (accounts.csv:7) is omitted by `pick` or `distinct`.",
  ],
];

describe("describeProblem", () => {
  it.each(cases)("describes %j", (finding, words) => {
    expect(describeProblem(local(finding))).toBe(words);
  });

  it("counts the problems that are not listed", () => {
    expect(describeProblem({ ...local({ code: "required" }), unlisted: 4900 })).toBe(
      "A value is required here. (and 4,900 more like it in this record)",
    );
  });

  it("describes a broken rule by its message, the document's text or its kind, but without expressions", () => {
    const broken = {
      attr: "a",
      severity: "error",
      by: "local",
      code: "reads_missing",
      rule: "required-when",
      fields: ["registers[is_active = true].reads", "registers.reads", "type"],
    } as const;
    expect(describeProblem({ ...broken, asked: "The contract requires that each register has one." })).toBe(
      "The contract requires that each register has one. Values are required here: registers.reads, type.",
    );
    expect(describeProblem(broken)).toBe("Values are required here: registers.reads, type.");
    expect(describeProblem({ ...broken, message: "Give a read." })).toBe("Give a read.");
  });

  it.each([
    ["in-set: negate", "This value is not allowed: a."],
    ["contiguous", "There is a gap or an overlap between periods: a."],
    ["contiguous: open", "There is a gap or an overlap between periods, or the last period is not open-ended: a."],
    ["contiguous: overlaps", "There is a gap between periods: a."],
  ])("describes a broken rule of kind %j by its options", (rule, words) => {
    const broken = { attr: "a", severity: "error", by: "local", code: "c", rule, fields: ["a"] } as const;
    expect(describeProblem(broken)).toBe(words);
  });

  it("truncates a long list of choices", () => {
    const choices = Array.from({ length: 300 }, (_, at) => `C${at}`);
    expect(describeProblem(local({ code: "invalid_choice", choices }))).toBe(
      "Must be one of: C0, C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11 and 288 more.",
    );
  });

  it("never contains the value", () => {
    for (const [finding] of cases) expect(describeProblem(local(finding))).not.toContain("s3cret");
  });

  it("returns the platform's message on one line, truncated to 500 characters", () => {
    expect(describeProblem(platform("Not\n  a\tphone number. "))).toBe("Not a phone number.");
    expect(describeProblem(platform("x".repeat(10_000)))).toHaveLength(500);
    expect(describeProblem(platform(" "))).toBe("The platform gave no reason other than its code.");
  });
});

function local(finding: LocalFinding): LocalProblem {
  return { ...finding, attr: "a", severity: "error", by: "local", value: "s3cret", shape: "a9a{4}" };
}

function platform(detail: string): Parameters<typeof describeProblem>[0] {
  return { attr: "a", code: "no", detail, severity: "error", by: "platform" };
}

describe("a pattern", () => {
  const postcode = { attr: "postcode", severity: "error", by: "local", code: "invalid", expected: "pattern" } as const;

  it("is described in words", () => {
    expect(describePattern({ ...postcode, written: { as: "^[A-Z]{2}[0-9]$" } })).toBe(
      "Required form: 2 capital letters, then 1 digit.",
    );
  });

  it("has no description if it is too complex, or if the problem has no pattern", () => {
    expect(describePattern({ ...postcode, written: { as: "^(?=a)b$" } })).toBeUndefined();
    expect(describePattern({ ...postcode, expected: "date", written: { as: "dd/MM/yyyy" } })).toBeUndefined();
  });
});
