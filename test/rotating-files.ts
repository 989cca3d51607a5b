import { isWhole } from "./campaign.ts";

/**
 * The test files that take the most CPU time, in parts of about the same duration. These files kill processes,
 * start several workers or a browser, or process whole documents of operators.
 */
export const PARTS: readonly (readonly string[])[] = [
  [
    "e2e/kill-push-ambiguous",
    "e2e/mapping-functions",
    "e2e/month",
    "e2e/owner-packages",
    "e2e/postgres-refusals",
    "e2e/push-storage",
    "e2e/shared-faults",
    "e2e/shared-run-planner",
    "report/page/report-page",
    "conformance/example-requests",
    "commands/init/operators-documents",
  ],
  [
    "e2e/existing-records",
    "e2e/push-adverse-conditions",
    "e2e/push-signals",
    "e2e/restored-database",
    "e2e/shared-run-kills",
    "e2e/shared-watch",
    "web/cold-start",
    "web/overview-errors",
    "conformance/mutated-documents",
    "conformance/workflows",
    "ledger/sqlite/lock/ledger-lock",
  ],
  [
    "e2e/mapping-function-failures",
    "e2e/pgbouncer",
    "e2e/push-faults",
    "e2e/push-lock",
    "e2e/push-postgres",
    "e2e/second-push",
    "e2e/second-push-plan",
    "e2e/shared-run",
    "web/fix-page",
    "web/overview-push",
    "library/examples",
    "commands/init/operators-documents-au",
    "conformance/naughty-strings",
    "ledger/postgres/postgres-outage",
  ],
  [
    "e2e/existing-unanswered",
    "e2e/mapping-function-modules",
    "e2e/postgres-standby",
    "e2e/push-bug",
    "e2e/push-token",
    "e2e/removed-ledger",
    "e2e/restored-database-repair",
    "web/mapping-page",
    "web/overview-page",
    "web/push-stop",
    "ledger/sqlite/closed-ledger",
    "ledger/sqlite/killed-push",
    "pipeline/reread-payloads",
    "upload/rate/refusal-noise",
  ],
  [
    "e2e/existing-changes",
    "e2e/fault-walk",
    "e2e/kill-push",
    "e2e/second-push-kills",
    "e2e/shared-pace",
    "e2e/shared-run-frozen",
    "e2e/status-progress",
    "e2e/status-report",
    "web/fix-page-values",
    "web/mapping-leaves",
    "web/mapping-parts",
    "conformance/differential",
    "ledger/thread/thread-behaviour",
    "ledger/thread/thread-later-runs",
  ],
  [
    "e2e/corrections-from-rejects",
    "e2e/corrections-like-rejects",
    "e2e/frozen-push",
    "e2e/kill-workflow",
    "e2e/resume",
    "e2e/shared-run-stops",
    "e2e/system-limits",
    "e2e/validate-in-ci",
    "web/fix/edits/large-edits",
    "web/mapping-entries",
    "web/push",
    "conformance/shipped-overlays",
  ],
];

/**
 * Returns the patterns of the files that this run leaves out. `npm test` without arguments runs one of the parts above.
 * The part changes every minute; MIGRATE_TEST_PART selects a part. Leaves out nothing if there are arguments, or in a
 * whole campaign.
 * @param words arguments of Vitest after its configuration file
 */
export function filesLeftOut(words: readonly string[]): readonly string[] {
  if (isWhole || words.length > 0) return [];
  const chosen = (process.env["MIGRATE_TEST_PART"] ??= String(1 + (Math.floor(Date.now() / 60_000) % PARTS.length)));
  if (PARTS[Number(chosen) - 1] === undefined)
    throw new Error(`MIGRATE_TEST_PART is not 1 to ${PARTS.length}: ${chosen}`);
  return PARTS.flatMap((part, index) => (`${index + 1}` === chosen ? [] : part)).map((name) => `test/${name}.test.ts`);
}

/** Prints which part this run tests. Vitest calls it once, before the first test. */
export default function announce(): void {
  const chosen = process.env["MIGRATE_TEST_PART"];
  if (chosen === undefined) return;
  process.stderr.write(`Running part ${chosen} of ${PARTS.length} of the files in test/rotating-files.ts\n`);
}
