import { type Outcome, STATUSES, type Status, type Summary } from "../../src/model/outcome.ts";
import type { Report, Reporter } from "../../src/report/report.ts";

/** Returns a report on these outcomes, with a summary counted from them. */
export function reportOf(outcomes: readonly Outcome[], more: Partial<Report> = {}): Report {
  return {
    summary: summaryOf(outcomes),
    outcomes: async function* (statuses: readonly Status[] = STATUSES) {
      const wanted = outcomes.filter(({ status }) => statuses.includes(status));
      for (let at = 0; at < wanted.length; at += 2) yield wanted.slice(at, at + 2);
    },
    showValues: false,
    colour: false,
    width: 80,
    title: "validate accounts.csv",
    ...more,
  };
}

export async function rendered(reporter: Reporter, report: Report): Promise<string> {
  let text = "";
  await reporter(report, (piece) => {
    text += typeof piece === "string" ? piece : Buffer.from(piece).toString();
  });
  return text;
}

function summaryOf(outcomes: readonly Outcome[]): Summary {
  const counts: Partial<Record<Status, number>> = {};
  const bySeverity = { error: {}, warning: {} } satisfies Record<string, Record<string, number>>;
  for (const { status, problems } of outcomes) {
    counts[status] = (counts[status] ?? 0) + 1;
    for (const { severity, code } of problems) {
      const codes: Record<string, number> = bySeverity[severity];
      codes[code] = (codes[code] ?? 0) + 1;
    }
  }
  const { error: errors, warning: warnings } = bySeverity;
  return { records: outcomes.length, counts, errors, warnings, exitCode: Object.keys(errors).length > 0 ? 1 : 0 };
}

/**
 * One record of each of these kinds: valid, invalid in a joined cell, rejected by the platform, ambiguous, and with a
 * warning.
 */
export const MIXED: readonly Outcome[] = [
  { record: 1, key: "EXT-1", source: { file: "accounts.csv", line: 2 }, status: "valid", problems: [] },
  {
    record: 2,
    key: "EXT-2",
    source: { file: "accounts.csv", line: 3 },
    status: "invalid",
    problems: [
      {
        attr: "customers.0.date_of_birth",
        code: "invalid",
        expected: "date",
        severity: "error",
        by: "local",
        shape: "99/99/9{4}",
        value: "31/12/1980",
        place: { file: "customers.csv", line: 9, column: "DOB", columnNumber: 4 },
      },
      { attr: "billing_address", code: "required", severity: "error", by: "local" },
    ],
  },
  {
    record: 3,
    key: "EXT-3",
    source: { file: "accounts.csv", line: 4 },
    status: "rejected",
    problems: [
      {
        attr: "customers.1.mobile",
        code: "invalid_phone_number",
        detail: "Not a phone number, <sorry>: 100% sure",
        severity: "error",
        by: "platform",
        shape: "9{9}",
        value: "077009001",
        place: { file: "customers.csv", line: 11, column: "MOBILE", columnNumber: 5 },
      },
    ],
    http: 400,
    attempts: 1,
    durationMs: 41,
  },
  { record: 4, source: { file: "accounts.csv", line: 5 }, status: "ambiguous", problems: [], http: 502, attempts: 2 },
  {
    record: 5,
    key: "EXT-5",
    source: { file: "more.json", line: 12, pointer: "/3" },
    status: "accepted",
    problems: [
      {
        attr: "notes.0.body",
        code: "coerced",
        from: "number",
        to: "string",
        severity: "warning",
        by: "local",
        place: { file: "more.json", line: 12, pointer: "/3/notes/0/body" },
      },
    ],
    http: 201,
    attempts: 1,
    account: "A-12AB34CD",
    durationMs: 38,
  },
];
