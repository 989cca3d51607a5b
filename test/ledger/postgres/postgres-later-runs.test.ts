import { describe } from "vitest";
import { describeLedger, LATER_RUNS } from "../behaviour/ledger-behaviour.ts";
import { POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "./cluster.ts";
import { useReusedDatabase } from "./reused-database.ts";

describe.skipIf(!POSTGRES_IS_HERE)(`the ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  describeLedger("a PostgreSQL ledger", useReusedDatabase("migrate_test_later_runs"), LATER_RUNS);
});
