import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { packItems } from "../../../src/ledger/packed/packed-items.ts";
import type { Intent } from "../../../src/ledger/records/requests.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { connectionSettings } from "../../../src/ledger/postgres/connection/connection-settings.ts";
import { openPool } from "../../../src/ledger/postgres/connection/open-pool.ts";
import { openPostgres } from "../../../src/ledger/postgres/postgres-database.ts";
import { attemptOutcomeOf, intendAll, intentOf, item, planned, POLICY, PUSH } from "../ledger-input.ts";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES, startPrivatePostgres } from "./cluster.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";

const NAME = "migrate_test_outage";
const ITEMS = Array.from({ length: 20 }, (_, index) => item(index + 1, `K${index}`));

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`a ledger whose server is unavailable ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: Awaited<ReturnType<typeof startPrivatePostgres>>;
  let url: string;
  let notices: string[];
  beforeAll(async () => {
    // The server writes commits that are not durable to its disk as late as possible.
    server = await startPrivatePostgres(["wal_writer_delay = 10s", "wal_writer_flush_after = 1GB"]);
    url = await server.createDatabase(NAME);
  });
  beforeEach(async () => {
    notices = [];
    await server.query("drop schema if exists migrate cascade", NAME);
  });
  afterAll(() => server.stop());

  const opened = async (address: string = url): Promise<Ledger> => {
    const store = await openLedgerStore(address, { notice: (message) => notices.push(message) });
    return store.write("push", { create: true });
  };

  test("waits for a crashed server to restart, and writes each change once", async () => {
    const ledger = await opened();
    const run = await planned(ledger, ITEMS);
    const intents = await intendAll(ledger, run);
    await server.crash();
    const saved = ledger.saveOutcomes(run, accepted(intents));
    await expect
      .poll(() => notices)
      .toContainEqual(expect.stringMatching(/cannot be reached: .*No new requests are sent/));
    await server.start();
    await saved;
    expect((await ledger.summary(run)).counts).toEqual({ accepted: 20 });
    expect(notices.at(-1)).toMatch(/is reachable again$/);
    await ledger.close();
  });

  test("keeps every planned record if the server crashes before the plan is finished", async () => {
    const ledger = await opened();
    const { id } = await ledger.startRun(PUSH);
    await ledger.plan(id, packItems(ITEMS));
    await server.crash();
    await server.start();
    await ledger.finishPlan(id, { ...POLICY, records: ITEMS.length });
    expect((await ledger.summary(id)).counts).toEqual({ pending: 20 });
    await ledger.close();
  });

  test("survives when its sessions are terminated repeatedly", async () => {
    const ledger = await opened();
    const run = await planned(ledger, ITEMS);
    const intents = (await ledger.sendable(run, 1, 20)).map(intentOf);
    for (const intent of intents) {
      const end = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${NAME}' and application_name = 'migrate'`;
      const [, ended] = await Promise.all([ledger.saveIntents(run, [intent]), server.query(end, NAME)]);
      expect(ended).toBeDefined();
      await ledger.saveOutcomes(run, accepted([intent]));
    }
    expect((await ledger.summary(run)).counts).toEqual({ accepted: 20 });
    expect((await ledger.history()).requests).toBe(20);
    await ledger.close();
  });

  test("finds a commit whose reply was lost, and does not repeat it", async () => {
    const proxy = await startCuttingProxy(server.port);
    // Disables TLS so that the proxy can read the messages.
    const ledger = await opened(`${url.replace(`:${server.port}/`, `:${proxy.port}/`)}?sslmode=disable`);
    const run = await planned(ledger, ITEMS);
    const intents = (await ledger.sendable(run, 1, 20)).map(intentOf);
    for (const intent of intents) {
      proxy.cutNext();
      await ledger.saveIntents(run, [intent]);
      proxy.cutNext();
      await ledger.saveOutcomes(run, accepted([intent]));
    }
    expect(proxy.cuts()).toBe(40);
    expect((await ledger.summary(run)).counts).toEqual({ accepted: 20 });
    expect((await ledger.history()).requests).toBe(20);
    await ledger.close();
    await proxy.stop();
  });

  test("finds a commit whose reply was lost during concurrent transactions", async () => {
    const proxy = await startCuttingProxy(server.port);
    const ledger = await opened(`${url.replace(`:${server.port}/`, `:${proxy.port}/`)}?sslmode=disable`);
    const run = await planned(ledger, ITEMS);
    const intents = (await ledger.sendable(run, 1, 20)).map(intentOf);
    for (let at = 0; at < 20; at += 2) {
      proxy.cutNext();
      await Promise.all(intents.slice(at, at + 2).map((intent) => ledger.saveIntents(run, [intent])));
    }
    expect(proxy.cuts()).toBe(10);
    await ledger.saveOutcomes(run, accepted(intents));
    expect((await ledger.summary(run)).counts).toEqual({ accepted: 20 });
    await ledger.close();
    await proxy.stop();
  });

  test("fails with the address of the server if an outage lasts too long", async () => {
    const settings = connectionSettings(url);
    const pool = await openPool(settings);
    const database = openPostgres({ name: settings.shown, pool, patienceMs: 300 });
    await server.crash();
    try {
      const asked = database.transaction((transaction) => transaction.run("select 1"));
      await expect(asked).rejects.toMatchObject({
        code: "storage",
        exitCode: 6,
        message: expect.stringContaining(settings.shown),
      });
    } finally {
      await server.start();
      await database.close();
    }
  });

  test("repeats a transaction after a deadlock or a serialization failure", async () => {
    const settings = connectionSettings(url);
    const database = openPostgres({ name: settings.shown, pool: await openPool(settings) });
    await server.query("create schema migrate; create table migrate.pair (id int primary key, n int)", NAME);
    await server.query("insert into migrate.pair values (1, 0), (2, 0)", NAME);
    const add = (first: number, second: number): Promise<void> =>
      database.transaction(async (transaction) => {
        for (const id of [first, second]) {
          await transaction.run("update migrate.pair set n = n + 1 where id = $1", id);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });
    await Promise.all([add(1, 2), add(2, 1)]);
    expect(await database.rows({ sql: "select n from migrate.pair" })).toEqual([{ n: 2 }, { n: 2 }]);
    let tries = 0;
    await database.transaction(async (transaction) => {
      tries += 1;
      if (tries < 3) await transaction.run("do $$ begin raise sqlstate '40001'; end $$");
    });
    expect(tries).toBe(3);
    await database.close();
  });
});

function accepted(intents: readonly Intent[]): ReturnType<typeof attemptOutcomeOf>[] {
  return intents.map((intent) => attemptOutcomeOf(intent, "accepted"));
}
