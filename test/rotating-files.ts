import { isWhole } from "./campaign.ts";

/**
 * The test files that take the most processor time, in parts of about the same duration. These files kill processes,
 * start several workers or a browser, or process whole documents of operators.
 */
export const PARTS: readonly (readonly string[])[] = [
  [
    "e2e/shared-run-kills",
    "e2e/second-push-kills",
    "e2e/kill-workflow",
    "e2e/frozen-push",
    "web/overview-page",
    "conformance/example-requests",
    "conformance/differential",
    "conformance/naughty-strings",
    "ledger/sqlite/killed-push",
    "library/examples",
  ],
  [
    "e2e/kill-push",
    "e2e/push-bug",
    "e2e/removed-ledger",
    "e2e/push-postgres",
    "e2e/pgbouncer",
    "e2e/postgres-standby",
    "web/push",
    "web/mapping-parts",
    "conformance/mutated-documents",
    "conformance/shipped-overlays",
    "ledger/sqlite/closed-ledger",
    "upload/rate/refusal-noise",
  ],
  [
    "e2e/fault-walk",
    "e2e/restored-database",
    "e2e/second-push",
    "e2e/push-adverse-conditions",
    "e2e/shared-watch",
    "web/fix-page",
    "web/mapping-entries",
    "conformance/workflows",
    "ledger/thread/thread-ledger",
    "report/page/report-page",
  ],
  [
    "e2e/shared-run",
    "e2e/mapping-functions",
    "e2e/shared-faults",
    "e2e/shared-pace",
    "web/mapping-page",
    "web/cold-start",
    "web/fix/edits/large-edits",
    "commands/init/operators-documents",
    "ledger/postgres/postgres-outage",
  ],
];

/**
 * Returns the patterns of the files that this run leaves out. `npm test` without arguments runs one of the parts above.
 * The part changes every minute; MIGRATE_TEST_PART selects a part. Runs with arguments, and whole campaigns, leave out
 * nothing.
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
