import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { projectFile } from "./cli.ts";
import { goodAccounts, references, useSandbox, workplace } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

const RECORDS = 40;
const JUMPING_CLOCK = projectFile("test/failpoints/jumping-clock.mjs");

test("a wall clock that jumps across the end of summer time does not affect waits, and timestamps are in UTC", async () => {
  await admin.faults({ throttle: { at: [12, 30] }, retryAfter: 1, tokenLifetimeSeconds: 3 });
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  const { code } = await work.push(["--concurrency", "1"], {
    env: { TZ: "Europe/London" },
    nodeFlags: ["--import", JUMPING_CLOCK],
  });
  expect(code).toBe(0);
  expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(references(RECORDS));

  const seen = await admin.imports();
  expect(seen).toHaveLength(RECORDS + 2);
  const moments = seen.map(({ at }) => Date.parse(at));
  const waits = seen.flatMap(({ status }, index) => (status === 429 ? [apart(moments, index, index + 1)] : []));
  expect(waits).toHaveLength(2);
  for (const ms of waits) {
    expect(ms).toBeGreaterThanOrEqual(990);
    expect(ms).toBeLessThan(15_000);
  }
  const lifetimes = apart(moments, 0, moments.length - 1) / 2_000;
  expect((await admin.tokenRequests()).length).toBeLessThanOrEqual(2 + lifetimes);

  const stamps = stampsIn(work.file(".migrate/ledger.db"));
  expect(stamps.length).toBeGreaterThan(RECORDS);
  expect(stamps.filter((stamp) => !/^2026-10-2[456]T\d\d:\d\d:\d\d\.\d{3}Z$/.test(stamp))).toEqual([]);
});

function apart(moments: readonly number[], from: number, to: number): number {
  return (moments[to] ?? Number.NaN) - (moments[from] ?? Number.NaN);
}

/** Returns the times at which intents and their results were recorded. */
function stampsIn(file: string): readonly string[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare("select intended_at as intended, settled_at as settled from attempts")
      .all()
      .flatMap(({ intended, settled }) => [String(intended), String(settled)]);
  } finally {
    database.close();
  }
}
