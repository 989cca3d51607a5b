// Sends 1,000 SIGKILLs: 700 to pushes of 2,000 records with a ledger file, 300 to a push with a ledger in PostgreSQL.
// Also kills a few pushes to a platform that does not detect repeats. Each push is resumed until it is complete. Takes
// half an hour. KILLS=100 KILLS_POSTGRES=30 shortens it.
import { runTests } from "./run-test.mjs";

runTests(["test/e2e/kill-push.test.ts", "test/e2e/kill-push-ambiguous.test.ts", "test/e2e/push-postgres.test.ts"], {
  KILLS: "700",
  KILLS_POSTGRES: "300",
  MIGRATE_TEST_CAMPAIGN: "whole",
});
