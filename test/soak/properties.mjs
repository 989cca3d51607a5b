// Runs property tests with 20 times as many random cases as `.ci/run`: random plans and requests on all ledgers, random
// rows on the fast path and on the row path, and random rules, contracts, edits of mappings and input files. Takes an
// hour.
//   node test/soak/properties.mjs [--times 20] [test files]
import { parseArgs } from "node:util";
import { runTests } from "./run-test.mjs";

const { values, positionals } = parseArgs({
  options: { times: { type: "string", default: "20" } },
  allowPositionals: true,
});

const FILES = [
  "ledger/ledger-model",
  "ledger/packed/packed-ledger",
  "pipeline/reread-payloads",
  "pipeline/bytes",
  "rules/engine/random-rules",
  "rules/engine/reference-evaluator",
  "contract/diff",
  "web/mapping/yaml/wraps",
  "web/mapping/mapping-service",
  "read/fuzz",
].map((name) => `test/${name}`);

runTests(positionals.length > 0 ? positionals : FILES, {
  MIGRATE_TEST_CAMPAIGN: `whole x${values.times}`,
  // Also multiplies the time limits of the tests.
  MIGRATE_TEST_SLOWNESS: values.times,
});
