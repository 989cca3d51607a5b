import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startLease } from "../../../../src/ledger/sqlite/lock/lease.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";

test("a lease is held and is renewed periodically", async () => {
  const lock = path.join(temporaryFolder(), "ledger.db.lock");
  writeFileSync(lock, "");
  const lease = startLease(lock, 300);
  const seen = new Set<number>();
  await expect.poll(() => seen.add(statSync(lock).mtimeMs).size, { interval: 10 }).toBeGreaterThanOrEqual(4);
  expect(lease.isHeld()).toBe(true);
  lease.end();
});
