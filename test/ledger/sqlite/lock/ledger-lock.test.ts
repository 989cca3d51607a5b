import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { lockLedger } from "../../../../src/ledger/sqlite/lock/ledger-lock.ts";
import { ended, firstLine, useLedgerProcess } from "../../compiled-ledger.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";

const start = useLedgerProcess();
const ledgerPath = (): string => join(temporaryFolder(), ".migrate", "ledger.db");

/** Rewrites a lock that this process holds, as if it had another holder. */
function rewrite(path: string, change: object): void {
  const holder: object = JSON.parse(readFileSync(`${path}.lock`, "utf8"));
  writeFileSync(`${path}.lock`, JSON.stringify({ ...holder, nonce: "another", ...change }));
}

test("is taken once, given back, and taken again; it leaves nothing behind", async () => {
  const path = ledgerPath();
  const lock = await lockLedger(path, "push");
  expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
  await expect(lockLedger(path, "resume")).rejects.toMatchObject({ code: "ledger_in_use", exitCode: 7 });
  await lock.release();
  await (await lockLedger(path, "resume")).release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test("another process is told at once who holds it: process, host, command, since when", async () => {
  const path = ledgerPath();
  const child = start("hold", path);
  expect(await firstLine(child)).toBe("locked");
  const asked = performance.now();
  const refusal: unknown = await lockLedger(path, "push").catch((error: unknown) => error);
  expect(performance.now() - asked).toBeLessThan(1000);
  const message = refusal instanceof Error ? refusal.message : "";
  for (const part of [String(child.pid), hostname(), "`push`", "since 20"]) expect(message).toContain(part);
});

test("a holder that was killed is replaced, by one of many at once", async () => {
  const path = ledgerPath();
  const dead = start("hold", path);
  await firstLine(dead);
  dead.kill("SIGKILL");
  await ended(dead);
  expect(existsSync(`${path}.lock`)).toBe(true);
  const answers = await Promise.all(Array.from({ length: 6 }, () => firstLine(start("hold", path))));
  expect(answers.toSorted()).toEqual([...Array.from({ length: 5 }, () => "ledger_in_use"), "locked"]);
  expect(readdirSync(join(path, ".."))).toEqual(["ledger.db.lock"]);
});

test("a taker that died while taking over does not stand in the way", async () => {
  const path = ledgerPath();
  await lockLedger(path, "push");
  rewrite(path, { pid: 999_999_999 });
  const dead = readFileSync(`${path}.lock`, "utf8").replace("another", "taker");
  writeFileSync(`${path}.lock.after-another`, dead);
  const lock = await lockLedger(path, "push");
  await expect(lockLedger(path, "push")).rejects.toMatchObject({ code: "ledger_in_use" });
  await lock.release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

describe("a lock of", () => {
  test.runIf(process.platform === "linux")("a pid that another process has now is taken over", async () => {
    const path = ledgerPath();
    await lockLedger(path, "push");
    rewrite(path, { processStart: "another boot/1" });
    await expect(lockLedger(path, "push")).resolves.toHaveProperty("release");
  });

  test("another host is never taken over, and the file to remove is named", async () => {
    const path = ledgerPath();
    await lockLedger(path, "push");
    rewrite(path, { host: "elsewhere", pid: 999_999_999 });
    const refusal = lockLedger(path, "push");
    await expect(refusal).rejects.toMatchObject({ code: "ledger_in_use" });
    await expect(refusal).rejects.toHaveProperty("hint", expect.stringContaining(`${path}.lock`));
  });

  test("a holder that cannot be read is never taken over", async () => {
    const path = ledgerPath();
    await lockLedger(path, "push");
    writeFileSync(`${path}.lock`, "{");
    await expect(lockLedger(path, "push")).rejects.toMatchObject({ code: "ledger_in_use" });
  });
});
