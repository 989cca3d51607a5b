import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { connectionSettings } from "../../../src/ledger/postgres/connection/connection-settings.ts";
import { openPool } from "../../../src/ledger/postgres/connection/open-pool.ts";
import { openPostgres, type PostgresDatabase } from "../../../src/ledger/postgres/postgres-database.ts";
import { statement } from "../../../src/ledger/tables/tables.ts";
import { item, planned } from "../ledger-input.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

const NAME = "migrate_test_settings";
const SLEEP = statement<unknown>("select pg_sleep(0.2)");
const SELECT_SEEN = statement<{ isolation: string }>("select isolation from seen");
const ISOLATION = "current_setting('transaction_isolation') as isolation";

describe.skipIf(!POSTGRES_IS_HERE)(`a database user with its own settings ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
  });
  beforeEach(async () => {
    url = (await server.createDatabase(NAME)).replace("tester", NAME);
    await server.query(`create role ${NAME} login; alter database ${NAME} owner to ${NAME}`);
    await server.query(`alter schema public owner to ${NAME}`, NAME);
    return async () => {
      await server.query(`drop database ${NAME} with (force)`);
      await server.query(`drop role ${NAME}`);
    };
  });
  afterAll(() => server.stop());

  const set = (setting: string): Promise<unknown> => server.query(`alter role ${NAME} set ${setting}`);
  const withDatabase = async (work: (database: PostgresDatabase) => Promise<void>): Promise<void> => {
    const database = openPostgres({ name: "L", pool: await openPool(connectionSettings(url)) });
    await work(database).finally(() => database.close());
  };

  test.each(["repeatable read", "serializable"])(
    "changes a ledger in read committed, even if the default is %s",
    async (level) => {
      await set(`default_transaction_isolation = '${level}'`);
      await withDatabase(async (database) => {
        await database.run(`create table seen as select ${ISOLATION}`);
        await database.transaction((transaction) => transaction.run(`insert into seen select ${ISOLATION}`));
        expect((await database.rows(SELECT_SEEN)).map(({ isolation }) => isolation)).toEqual([
          "read committed",
          "read committed",
        ]);
      });
    },
  );

  test.each(["repeatable read", "serializable"])(
    "creates a ledger once, even if several processes start at the same time and the default is %s",
    async (level) => {
      await set(`default_transaction_isolation = '${level}'`);
      const store = await openLedgerStore(url);
      const opened = await Promise.allSettled(Array.from({ length: 4 }, () => store.write("push", { create: true })));
      const refused: unknown[] = opened.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      expect(refused).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ code: "ledger_in_use" })));
      for (const one of opened) if (one.status === "fulfilled") await one.value.close();
    },
  );

  test("plans records without a key if array_nulls is off", async () => {
    await set("array_nulls = off");
    const ledger = await (await openLedgerStore(url)).write("push", { create: true });
    const run = await planned(ledger, [{ ...item(1, "A"), key: undefined }]);
    expect((await ledger.summary(run)).counts).toEqual({ pending: 1 });
    await ledger.close();
  });

  test("reads without the time limits of the user", async () => {
    await set("statement_timeout = '100ms'");
    await set("idle_in_transaction_session_timeout = '100ms'");
    await withDatabase(async (database) => {
      const snapshot = await database.snapshot();
      await snapshot.row(SLEEP);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await snapshot.row(SLEEP)).toBeDefined();
    });
  });

  test("is checked for the privileges and settings that a push needs, and nothing is changed", async () => {
    const store = await openLedgerStore(url);
    const check = (): Promise<unknown> => Promise.resolve(store.requireWritable?.());
    await check();
    await server.query(`alter database ${NAME} owner to tester`);
    await expect(check()).rejects.toMatchObject(refusal("no CREATE privilege for the database"));
    await server.query("create schema migrate", NAME);
    await expect(check()).rejects.toMatchObject(refusal("no CREATE privilege for schema migrate"));
    await server.query(`grant usage, create on schema migrate to ${NAME}`, NAME);
    await check();
    expect(await server.query("select from pg_class where relnamespace = 'migrate'::regnamespace", NAME)).toEqual([]);
    const writer = await openLedgerStore(url.replace(NAME, "tester"));
    await (await writer.write("push", { create: true })).close();
    await server.query(`grant select, insert, update on all tables in schema migrate to ${NAME}`, NAME);
    await expect(check()).rejects.toMatchObject(refusal("no DELETE privilege for table"));
    await server.query(`grant delete on all tables in schema migrate to ${NAME}`, NAME);
    await check();
    await set("default_transaction_read_only = on");
    await expect(check()).rejects.toMatchObject({ code: "storage" });
  });

  test("is refused by the check of a database that cannot store every key", async () => {
    await server.query(`drop database ${NAME}`);
    await server.query(`create database ${NAME} encoding LATIN1 locale 'C' template template0`);
    const store = await openLedgerStore(url);
    await expect(store.requireWritable?.()).rejects.toMatchObject({
      code: "config",
      message: expect.stringContaining("stores text as LATIN1"),
    });
  });

  test("learns which setting cancelled a query", async () => {
    await set("statement_timeout = '100ms'");
    await withDatabase(async (database) => {
      await expect(database.row(SLEEP)).rejects.toMatchObject({
        code: "storage",
        message: "the ledger L cancelled a query: canceling statement due to statement timeout",
        hint: expect.stringContaining("statement_timeout of the database user"),
      });
    });
  });

  test("learns which setting refuses changes", async () => {
    await set("default_transaction_read_only = on");
    await withDatabase(async (database) => {
      await expect(database.run("create table seen ()")).rejects.toMatchObject({
        code: "storage",
        hint: expect.stringContaining("reset default_transaction_read_only"),
      });
    });
  });
});

function refusal(message: string): object {
  return { code: "config", message: expect.stringContaining(message) };
}
