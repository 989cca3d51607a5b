import { isWhole } from "./campaign.ts";

/**
 * The test files that take the most processor time, in parts of about the same duration. These files kill processes,
 * start several workers or a browser, or process whole documents of operators.
 */
const PARTS: readonly (readonly string[])[] = [
  [
    "e2e/{shared-run-kills,second-push-kills,kill-workflow,frozen-push}",
    "web/overview-page",
    "conformance/{example-requests,differential,naughty-strings}",
    "ledger/sqlite/killed-push",
    "library/examples",
  ],
  [
    "e2e/{kill-push,push-bug,removed-ledger,push-postgres,pgbouncer,postgres-standby}",
    "web/{push,mapping-parts}",
    "conformance/{mutated-documents,shipped-overlays}",
    "ledger/sqlite/closed-ledger",
    "upload/rate/refusal-noise",
  ],
  [
    "e2e/{fault-walk,restored-database,second-push,push-adverse-conditions,shared-watch}",
    "web/{fix-page,mapping-entries}",
    "conformance/workflows",
    "ledger/thread/thread-ledger",
    "report/page/report-page",
  ],
  [
    "e2e/{shared-run,mapping-functions,shared-faults,shared-pace}",
    "web/{mapping-page,cold-start}",
    "web/fix/edits/large-edits",
    "commands/init/operators-documents",
    "ledger/postgres/postgres-outage",
  ],
];

/**
 * Returns the patterns of the files that this run leaves out, and prints which part it runs. `npm test` without arguments
 * runs one third of the rotating files, which changes every minute. Runs with arguments, and whole campaigns, leave out
 * nothing.
 * @param words arguments of Vitest after its configuration file
 */
export function filesLeftOut(words: readonly string[]): readonly string[] {
  if (isWhole || words.length > 0) return [];
  const chosen = Math.floor(Date.now() / 60_000) % PARTS.length;
  process.stderr.write(`Running part ${chosen + 1} of ${PARTS.length} of the files in test/rotating-files.ts\n`);
  return PARTS.flatMap((part, index) => (index === chosen ? [] : part)).map((name) => `test/${name}.test.ts`);
}
