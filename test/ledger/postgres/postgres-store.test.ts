import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { LedgerStore } from "../../../src/ledger/ledger-store.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { intendAll, item, outcomesOf, planned, POLICY, PUSH, sendAll, attemptOutcomeOf } from "../ledger-input.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

const NAME = "migrate_test_store";

describe.skipIf(!POSTGRES_IS_HERE)(`a ledger store in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}:`, () => {
  let server: PostgresCluster;
  let store: LedgerStore;
  beforeAll(async () => {
    server = await startPostgres();
    await server.createDatabase(NAME);
    await server.query("create role migrate_test_user login", NAME);
  });
  beforeEach(async () => {
    await server.query("drop schema if exists migrate cascade", NAME);
    store = await openLedgerStore(server.url.replace(/postgres$/, NAME));
  });
  afterAll(async () => {
    await server.query(`drop database ${NAME} with (force)`);
    await server.query("drop role migrate_test_user");
    await server.stop();
  });

  const written = async (work: (ledger: Ledger) => Promise<void>): Promise<void> => {
    const ledger = await store.write("push", { create: true });
    await work(ledger).finally(() => ledger.close());
  };

  test("a read-only command does not create a ledger", async () => {
    await expect(store.read()).rejects.toMatchObject({ code: "run_unknown" });
    await expect(store.check()).rejects.toMatchObject({ code: "run_unknown" });
    await expect(store.write("resume", { create: false })).rejects.toMatchObject({ code: "run_unknown" });
    expect(await store.activeRun()).toBeUndefined();
    expect(await server.query("select 1 from pg_namespace where nspname = 'migrate'", NAME)).toEqual([]);
  });

  test("a reader sees a consistent snapshot during a write", async () => {
    await written(async (ledger) => {
      const run = await planned(ledger, [item(1, "A"), item(2, "B")]);
      const reader = await store.read();
      expect(await store.activeRun()).toBe(run);
      await intendAll(ledger, run);
      expect((await reader.summary(run)).counts).toEqual({ pending: 2 });
      await reader.close();
      const later = await store.read();
      expect((await later.summary(run)).counts).toEqual({ pending: 2 });
      await later.close();
    });
    expect(await store.activeRun()).toBeUndefined();
    const reader = await store.read();
    expect((await reader.summary((await reader.findRun())?.id ?? "")).counts).toEqual({ ambiguous: 2 });
    await reader.close();
  });

  test("until the first writer ends, a second writer is refused with a message that names the first", async () => {
    await written(async () => {
      await expect(store.write("resume", { create: false })).rejects.toMatchObject({
        code: "ledger_in_use",
        message: expect.stringContaining(`\`push\`, process ${process.pid} on `),
      });
    });
    await written(async (ledger) => {
      expect(await ledger.runs()).toEqual([]);
    });
  });

  test("if many processes create the ledger at the same time, exactly one of them writes to it", async () => {
    const opened = await Promise.allSettled(Array.from({ length: 4 }, () => store.write("push", { create: true })));
    const ledgers = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const refused: unknown[] = opened.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(ledgers).toHaveLength(1);
    expect(refused).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ code: "ledger_in_use" })));
    await ledgers[0]?.close();
  });

  test("a writer waits for the lease of another host, and the former holder can no longer write", async () => {
    const frozen = await store.write("push", { create: true });
    const run = await planned(frozen, [item(1, "A")]);
    const [intent] = await intendAll(frozen, run);
    // Simulates a stopped process on another host, which no longer renews its lease.
    const elsewhere = 'update migrate.writer set holder = (holder::jsonb || \'{"host":"other"}\')::text';
    await server.query(`${elsewhere}, lease_until = clock_timestamp() + interval '1 second'`, NAME);
    const next = await store.write("resume", { create: false });
    expect((await next.resumeRun(run, POLICY)).id).toBe(run);
    if (intent === undefined) throw new Error("Nothing to send.");
    await expect(frozen.saveOutcomes(run, [attemptOutcomeOf(intent, "accepted")])).rejects.toMatchObject({
      code: "ledger_in_use",
    });
    await expect(frozen.finishRun(run, 0)).rejects.toMatchObject({ code: "ledger_in_use" });
    await frozen.close();
    expect((await next.summary(run)).counts).toEqual({ ambiguous: 1 });
    await next.finishRun(run, 5);
    await next.close();
  });

  test("a signal ends the wait for the lease of another host", async () => {
    const frozen = await store.write("push", { create: true });
    const elsewhere = 'update migrate.writer set holder = (holder::jsonb || \'{"host":"other"}\')::text';
    await server.query(`${elsewhere}, lease_until = clock_timestamp() + interval '1 minute'`, NAME);
    const drain = AbortSignal.timeout(200);
    const stoppable = await openLedgerStore(server.url.replace(/postgres$/, NAME), { drain });
    const waiting = stoppable.write("resume", { create: false });
    await expect(waiting).rejects.toMatchObject({ code: "incomplete" });
    await frozen.close();
  });

  test.each(["x'; drop table migrate.runs; --", "A\0B", "\u{10FFFF}".slice(0, 1), "%_\\", '"{1,2}"', "NULL", ""])(
    "the key %j is stored unchanged",
    async (key) => {
      await written(async (ledger) => {
        const run = await planned(ledger, [item(1, key)]);
        await sendAll(ledger, run, "accepted");
        const [outcome] = await outcomesOf(ledger, run, { key });
        // A lone surrogate cannot be encoded in UTF-8.
        expect(outcome?.key).toBe(Buffer.from(key).toString());
        expect(await ledger.attempts(key)).toHaveLength(1);
      });
    },
  );

  test("the ledger is exported row by row, with hashes as hexadecimal digits", async () => {
    let run = "";
    await written(async (ledger) => {
      run = await planned(ledger, [item(1, "A"), item(2, "B", "same", { status: "invalid" })]);
      await sendAll(ledger, run, "accepted", { account: "A-1" });
    });
    const rows = [];
    for await (const batch of store.export()) rows.push(...batch);
    expect(rows.map(({ row }) => row)).toEqual(["run", "record", "item", "item", "attempt"]);
    expect(rows[0]).toMatchObject({ name: run, dry_run: 0, target: PUSH.target });
    expect(rows[1]).toMatchObject({ state: "accepted", identity: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await store.check()).toEqual({ findings: [], counts: { runs: 1, records: 1, attempts: 1, decisions: 0 } });
  });

  test("a cancelled export leaves no connection open", async () => {
    await written(async (ledger) => {
      await planned(ledger, [item(1, "A")]);
    });
    let first: readonly object[] = [];
    for await (const batch of store.export()) {
      first = batch;
      break;
    }
    expect(first).toHaveLength(1);
    const open = `select pid from pg_stat_activity where datname = '${NAME}' and application_name = 'migrate'`;
    await expect.poll(() => server.query(open)).toEqual([]);
  });

  test("contradictions between tables are reported", async () => {
    await written(async (ledger) => {
      await sendAll(ledger, await planned(ledger, [item(1, "A")]), "rejected");
    });
    await server.query("update migrate.records set state = 'accepted', attempts = 3", NAME);
    expect((await store.check()).findings).toEqual([
      "1 record is accepted without a request or decision.",
      "1 record has the wrong number of requests.",
    ]);
  });

  test("a schema of another format or of another program is refused", async () => {
    await written(async () => undefined);
    for (const [format, message] of [
      [99, "newer version of migrate (format 99; this version supports 1)"],
      [0, "unknown format (format 0; this version supports 1)"],
    ] as const) {
      await server.query(`update migrate.ledger set version = ${format}`, NAME);
      const refusal = { code: "config", message: expect.stringContaining(message) };
      await expect(store.write("push", { create: true })).rejects.toMatchObject(refusal);
      await expect(store.read()).rejects.toMatchObject(refusal);
    }
    await server.query("drop schema migrate cascade; create schema migrate; create table migrate.theirs (a int)", NAME);
    await expect(store.write("push", { create: true })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("another program"),
    });
  });

  test("a user with only read and write privileges can use the ledger, and a missing privilege is reported", async () => {
    const user = await openLedgerStore(server.url.replace("tester", "migrate_test_user").replace(/postgres$/, NAME));
    await expect(user.write("push", { create: true })).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("denies a permission"),
    });
    await server.query(
      `create schema migrate; grant usage on schema migrate to migrate_test_user;
       alter default privileges in schema migrate grant select, insert, update, delete on tables to migrate_test_user`,
      NAME,
    );
    await written(async () => undefined);
    const ledger = await user.write("push", { create: true });
    await sendAll(ledger, await planned(ledger, [item(1, "A"), item(2, "A")]), "accepted");
    await ledger.close();
    expect((await user.check()).findings).toEqual([]);
    await server.query("revoke all on all tables in schema migrate from migrate_test_user", NAME);
    await expect(user.read()).rejects.toMatchObject({ code: "config" });
  });

  test("a ledger on a read-only server can be read, but not written", async () => {
    await written(async (ledger) => {
      await planned(ledger, [item(1, "A")]);
    });
    await server.query(`alter role migrate_test_user set default_transaction_read_only = on`, NAME);
    await server.query("grant usage on schema migrate to migrate_test_user", NAME);
    await server.query("grant all on all tables in schema migrate to migrate_test_user", NAME);
    try {
      const user = await openLedgerStore(server.url.replace("tester", "migrate_test_user").replace(/postgres$/, NAME));
      await expect(user.write("push", { create: true })).rejects.toMatchObject({
        code: "storage",
        message: expect.stringContaining("accepts no changes"),
      });
      expect((await user.check()).counts.runs).toBe(1);
    } finally {
      await server.query("alter role migrate_test_user reset all", NAME);
    }
  });
});
