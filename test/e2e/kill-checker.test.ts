import { expect, test } from "vitest";
import { contradictions, type PushEvidence } from "./push-evidence.ts";

const KEYS = ["A", "B"];

test("the checker accepts a push if the platform, the ledger and the report agree", () => {
  expect(contradictions(KEYS, agreeingEvidence(), { ambiguous: 0 })).toEqual([]);
});

const LIES: Readonly<
  Record<string, { readonly lie: (evidence: PushEvidence) => PushEvidence; readonly found: RegExp }>
> = {
  "a record that is missing from the report": {
    lie: (evidence) => ({ ...evidence, report: { ...evidence.report, lines: evidence.report.lines.slice(1) } }),
    found: /^I5: the report has A 0 times/,
  },
  "a record that is missing from the ledger": {
    lie: (evidence) => ({ ...evidence, ledger: { ...evidence.ledger, items: evidence.ledger.items.slice(1) } }),
    found: /^I1: the ledger has A 0 times/,
  },
  "an account created twice": {
    lie: (evidence) => ({
      ...evidence,
      platform: {
        ...evidence.platform,
        accounts: [...evidence.platform.accounts, { number: "A-9", supplier: "S", key: "B" }],
      },
    }),
    found: /^nothing twice: .*created B 2 times/,
  },
  "an account that was never created but is reported as accepted": {
    lie: (evidence) => ({
      ...evidence,
      platform: { ...evidence.platform, accounts: evidence.platform.accounts.slice(1) },
    }),
    found: /^I3: A: accepted as A-1, the platform holds undefined/,
  },
  "an account that was created but is reported as rejected": {
    lie: (evidence) => ({
      ...evidence,
      report: {
        ...evidence.report,
        lines: evidence.report.lines.map((line) => (line.key === "A" ? { ...line, status: "rejected" } : line)),
      },
    }),
    found: /^nothing lost: A: created, and rejected in the report/,
  },
  "a request without an intent": {
    lie: (evidence) => ({ ...evidence, ledger: { ...evidence.ledger, attempts: new Map([["A", 1]]) } }),
    found: /^I6: B: 1 requests, and 0 intents/,
  },
  "a request that arrived before its intent": {
    lie: (evidence) => ({
      ...evidence,
      ledger: { ...evidence.ledger, intendedAt: new Map([["A", "2026-11-20T23:41:08.000Z"]]) },
    }),
    found: /^I2: A arrived/,
  },
  "a request for a record that is not in the input": {
    lie: (evidence) => ({
      ...evidence,
      platform: { ...evidence.platform, requests: [...evidence.platform.requests, request("C")] },
    }),
    found: /^I6: .*was for C, which is not in the input/,
  },
  "a summary with wrong counts": {
    lie: (evidence) => ({ ...evidence, report: { ...evidence.report, summary: { records: 2, accepted: 1 } } }),
    found: /^I5: 2 lines accepted, the summary says 1/,
  },
  "more ambiguous records than allowed": {
    lie: (evidence) => ({
      ...evidence,
      report: { ...evidence.report, lines: evidence.report.lines.map((line) => ({ ...line, status: "ambiguous" })) },
    }),
    found: /^P5: 2 ambiguous records, and 1 are allowed/,
  },
};

test.each(Object.entries(LIES))("the checker finds %s", (_, { lie, found }) => {
  const complaints = contradictions(KEYS, lie(agreeingEvidence()), { ambiguous: 1 });
  expect(complaints.some((complaint) => found.test(complaint))).toBe(true);
});

function agreeingEvidence(): PushEvidence {
  const accounts = KEYS.map((key, index) => ({ number: `A-${index + 1}`, supplier: "S", key }));
  return {
    platform: { requests: KEYS.map(request), accounts },
    ledger: {
      items: accounts.map(({ key, number }, index) => ({
        record: index + 1,
        key,
        status: "accepted",
        account: number,
      })),
      attempts: new Map(KEYS.map((key) => [key, 1])),
      intendedAt: new Map(KEYS.map((key) => [key, "2026-11-20T23:41:06.990Z"])),
    },
    report: {
      lines: accounts.map(({ key, number }, index) => ({
        record: index + 1,
        key,
        source: { file: "accounts.csv", line: index + 2 },
        status: "accepted",
        account: number,
      })),
      summary: { records: 2, accepted: 2 },
    },
  };
}

function request(key: string): PushEvidence["platform"]["requests"][number] {
  const seen = { method: "POST", path: "/v1/data-import/accounts/", status: 201, processed: true };
  return { request: 1, at: "2026-11-20T23:41:07.000Z", key, ...seen };
}
