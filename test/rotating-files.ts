import { isWhole } from "./campaign.ts";

/**
 * The test files that take the most CPU time, in parts of about the same duration. These files kill processes,
 * start several workers or a browser, or process whole documents of operators.
 */
export const PARTS: readonly (readonly string[])[] = [
  [
    "e2e/existing-records",
    "e2e/reimport-rejects",
    "e2e/spreadsheet-rejects",
    "e2e/shared-faults",
    "e2e/status-report",
    "e2e/validate-in-ci",
    "web/fix/edits/killed-server",
    "web/fix/edits/large-edits",
    "commands/init/operators-documents-au",
    "simulation/restored-ledgers",
  ],
  [
    "e2e/existing-unanswered",
    "e2e/postgres-refusals",
    "e2e/push-adverse-conditions",
    "e2e/restored-database-repair",
    "e2e/resume",
    "e2e/shared-run",
    "conformance/example-requests",
    "read/large-input",
    "library/quiet",
    "conformance/json-schema-suite",
    "platform/published-replies",
  ],
  [
    "e2e/compare",
    "e2e/kill-push-ambiguous",
    "e2e/second-push",
    "e2e/second-push-kills",
    "e2e/shared-run-kills",
    "web/fix-page-editing",
    "web/mapping-leaves",
    "ledger/sqlite/closed-ledger",
    "read/workbook/hostile-workbook",
  ],
  [
    "e2e/existing-changes",
    "e2e/frozen-push",
    "e2e/older-extracts",
    "e2e/reimport-workbook",
    "e2e/sandbox-command",
    "e2e/shared-run-frozen",
    "web/fix-page-keys",
    "commands/init/operators-documents",
    "differential/random-triples",
    "ledger/postgres/postgres-known-keys",
    "ledger/sqlite/large-ledger",
    "ledger/thread/thread-behaviour",
  ],
  [
    "e2e/dangerous-characters",
    "e2e/mapping-functions",
    "e2e/push-postgres",
    "e2e/second-push-plan",
    "e2e/validate-interrupted",
    "web/cold-start",
    "web/fix-page-values",
    "conformance/shipped-overlays",
    "platform/import/request-phases",
    "pipeline/threads/late-threads",
  ],
  [
    "e2e/mapping-function-failures",
    "e2e/reply-lies",
    "e2e/restored-database",
    "e2e/shared-run-stops",
    "e2e/system-limits",
    "web/mapping-parts",
    "conformance/mutated-documents",
    "ledger/thread/thread-later-runs",
  ],
  [
    "e2e/changed-stage",
    "e2e/changes",
    "e2e/cluster-job",
    "e2e/reimport-packages",
    "e2e/removed-ledger",
    "web/fix-page",
    "web/overview-push",
    "conformance/naughty-strings",
    "ledger/postgres/postgres-later-runs",
    "ledger/sqlite/killed-push",
    "sandbox/hostile-requests",
  ],
  [
    "e2e/corrections-from-rejects",
    "e2e/owner-packages",
    "e2e/push-faults",
    "e2e/push-suppliers",
    "e2e/status-progress",
    "e2e/validate-large",
    "web/fix-page-saving",
    "conformance/differential",
    "conformance/workflows",
    "read/bad-input",
  ],
  [
    "e2e/corrections-like-rejects",
    "e2e/month",
    "e2e/push-signals",
    "e2e/shared-watch",
    "web/mapping-page",
    "web/overview-errors",
    "web/push-stop",
    "library/examples",
    "ledger/ledger-corruption",
  ],
  [
    "e2e/demo-command",
    "e2e/fault-walk",
    "e2e/mapping-function-modules",
    "e2e/owner-columns",
    "e2e/push-bug",
    "e2e/push-https",
    "e2e/push-token",
    "web/push",
    "upload/rate/refusal-noise",
  ],
  [
    "e2e/completion",
    "e2e/kill-push",
    "e2e/kill-workflow",
    "e2e/pgbouncer",
    "e2e/proof-verify",
    "e2e/shared-pace",
    "e2e/validate-no-network",
    "web/mapping-entries",
    "pipeline/reread-payloads",
    "store/swift-store",
  ],
  [
    "e2e/documents-check",
    "e2e/postgres-standby",
    "e2e/push-lock",
    "e2e/push-storage",
    "e2e/shared-run-planner",
    "web/overview-page",
    "report/page/report-page",
    "ledger/postgres/postgres-outage",
    "ledger/sqlite/lock/ledger-lock",
    "contract/types/schema-bounds",
    "differential/differential",
    "library/running-push",
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
