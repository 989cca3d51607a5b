import { describe } from "vitest";
import { describeLedger, JOURNALS, KNOWN_KEYS } from "../behaviour/ledger-behaviour.ts";
import { POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "./cluster.ts";
import { useReusedDatabase } from "./reused-database.ts";

describe.skipIf(!POSTGRES_IS_HERE)(`the ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  describeLedger("a PostgreSQL ledger", useReusedDatabase("migrate_test_known_keys"), [...KNOWN_KEYS, ...JOURNALS]);
});
