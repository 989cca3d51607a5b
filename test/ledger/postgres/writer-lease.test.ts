import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { connectionSettings } from "../../../src/ledger/postgres/connection/connection-settings.ts";
import { openPool } from "../../../src/ledger/postgres/connection/open-pool.ts";
import { acquireWriterLease, type WriterLease } from "../../../src/ledger/postgres/lock/writer-lease.ts";
import { openPostgres } from "../../../src/ledger/postgres/postgres-database.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

const NAME = "migrate_test_lease";
const LEASE_MS = 1_200;

describe.skipIf(!POSTGRES_IS_HERE)(`the lease of a ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let url: string;
  const opened: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase(NAME);
    await (await (await openLedgerStore(url)).write("push", { create: true })).close();
  });
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });
  afterAll(async () => {
    await server.query(`drop database ${NAME} with (force)`);
    await server.stop();
  });

  const taken = async (): Promise<WriterLease> => {
    const settings = connectionSettings(url);
    const database = openPostgres({ name: settings.shown, pool: await openPool(settings), patienceMs: 10_000 });
    opened.push(database.close);
    const lease = await acquireWriterLease(database, "push", { leaseMs: LEASE_MS });
    opened.push(lease.release);
    return lease;
  };

  test("is reported as not held while it cannot be renewed, and as held after the next renewal", async () => {
    const lease = await taken();
    expect(lease.isHeld()).toBe(true);
    const other = new Client({ connectionString: url });
    await other.connect();
    await other.query("begin; select from migrate.writer for update");
    await expect.poll(lease.isHeld).toBe(false);
    expect(lease.lost.aborted).toBe(false);
    await other.end();
    await expect.poll(lease.isHeld).toBe(true);
  });

  test("is renewed periodically", async () => {
    await taken();
    const seen = new Set<string>();
    const until = async (): Promise<number> => {
      const [row] = await server.query("select lease_until::text as until from migrate.writer", NAME);
      return seen.add(JSON.stringify(row)).size;
    };
    await expect.poll(until).toBeGreaterThanOrEqual(3);
  });

  test("is reported as lost after another process has taken it", async () => {
    const lease = await taken();
    await server.query("update migrate.writer set fence = fence + 1", NAME);
    await expect.poll(() => lease.lost.aborted).toBe(true);
    expect(lease.lost.reason).toMatchObject({ code: "ledger_in_use" });
  });
});
