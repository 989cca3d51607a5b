import { Pool } from "pg";
import { expect, test, vi } from "vitest";
import { openPostgres, type PostgresDatabase } from "../../../src/ledger/postgres/postgres-database.ts";

/** Opens a database whose server answers each transaction with the next of these errors, then works. */
function databaseWith(errors: readonly string[]): { readonly database: PostgresDatabase; readonly left: string[] } {
  const left = [...errors];
  const pool = new Pool();
  vi.spyOn(pool, "connect").mockImplementation(() => {
    const code = left.shift();
    if (code === undefined) throw new Error("connected");
    throw Object.assign(new Error(`error ${code}`), { code });
  });
  let now = 0;
  const sleep = async (ms: number): Promise<void> => {
    now += ms;
  };
  return {
    database: openPostgres({ name: "L", pool, patienceMs: 60_000, clock: { monotonic: () => now, sleep } }),
    left,
  };
}

const run = ({ database }: ReturnType<typeof databaseWith>): Promise<unknown> =>
  database.transaction(async () => undefined);

test("a long outage uses up none of the retries for conflicts", async () => {
  const scene = databaseWith([...Array.from({ length: 11 }, () => "ECONNREFUSED"), "40001"]);
  await expect(run(scene)).rejects.toThrow("connected");
  expect(scene.left).toEqual([]);
});

test("a conflict that lasts is not reported as an unreachable server", async () => {
  const scene = databaseWith(Array.from({ length: 12 }, () => "55P03"));
  await expect(run(scene)).rejects.toThrow("other transactions block the ledger L: error 55P03");
});
