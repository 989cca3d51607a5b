import { spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { isLocked, lockLedger } from "../../../../src/ledger/sqlite/lock/ledger-lock.ts";
import { openLedger } from "../../../../src/ledger/sqlite/sqlite-ledger.ts";
import { sqliteLedgerStore } from "../../../../src/ledger/sqlite/sqlite-store.ts";
import { temporaryFolder } from "../../../temporary-folder.ts";
import { ended, firstLine, useLedgerProcess } from "../../ledger-processes.ts";

const { start, startUnder } = useLedgerProcess();
const ledgerPath = (): string => join(temporaryFolder(), ".migrate", "ledger.db");

/** Creates a lock whose holder was killed, and changes the holder's row. Returns the path of the ledger. */
async function killedHolder(
  change: Readonly<Record<string, string | number>> = {},
  options: object = {},
): Promise<string> {
  const path = ledgerPath();
  const dead = start("hold", path, JSON.stringify(options));
  expect(await firstLine(dead)).toBe("locked");
  dead.kill("SIGKILL");
  await ended(dead);
  const lock = new DatabaseSync(`${path}.lock`);
  for (const [name, value] of Object.entries(change)) lock.prepare(`update holder set ${name} = ?`).run(value);
  lock.close();
  return path;
}

test("the lock can be taken again after its release, and leaves no file", async () => {
  const path = ledgerPath();
  const lock = await lockLedger(path, "push");
  expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
  await expect(lockLedger(path, "resume")).rejects.toMatchObject({ code: "ledger_in_use", exitCode: 7 });
  expect(isLocked(path)).toBe(true);
  await lock.release();
  expect(isLocked(path)).toBe(false);
  await (await lockLedger(path, "resume")).release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test("a process that holds the lock does not wait to find out that it is locked (`status` stalled its own push)", async () => {
  const path = ledgerPath();
  const lock = await lockLedger(path, "push");
  const asked = performance.now();
  // Each wait for the lock blocks the event loop for 100 ms.
  for (let times = 0; times < 40; times += 1) expect(isLocked(path)).toBe(true);
  expect(performance.now() - asked).toBeLessThan(4000);
  await lock.release();
});

test("another process is refused immediately, with the process id, host, command and start time of the holder", async () => {
  const path = ledgerPath();
  const child = start("hold", path);
  expect(await firstLine(child)).toBe("locked");
  const asked = performance.now();
  const refusal: unknown = await lockLedger(path, "push").catch((error: unknown) => error);
  expect(performance.now() - asked).toBeLessThan(4000);
  const message = refusal instanceof Error ? refusal.message : "";
  for (const part of [String(child.pid), hostname(), "`push`", "since 20"]) expect(message).toContain(part);
});

test("exactly one of several processes takes over the lock of a killed holder", async () => {
  const path = await killedHolder();
  expect(existsSync(`${path}.lock`)).toBe(true);
  expect(isLocked(path)).toBe(false);
  const answers = await Promise.all(Array.from({ length: 6 }, () => firstLine(start("hold", path))));
  expect(answers.toSorted()).toEqual([...Array.from({ length: 5 }, () => "ledger_in_use"), "locked"]);
  expect(readdirSync(join(path, ".."))).toEqual(["ledger.db.lock"]);
});

test("a process that died before it wrote its name into the lock does not block other processes", async () => {
  const path = ledgerPath();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.lock`, "");
  const lock = await lockLedger(path, "push");
  await expect(lockLedger(path, "push")).rejects.toMatchObject({ code: "ledger_in_use" });
  await lock.release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

describe("the lock of a process that was killed is taken over", () => {
  test.each([
    ["with a pid that another process now has", { pid: process.pid, processStart: "another boot/1" }],
    ["with a pid that this process now has", { pid: process.pid }],
    ["under another host name", { host: "elsewhere" }],
    ["in another pid namespace", { pidNamespace: "pid:[1]" }],
  ])("%s", async (_, change) => {
    const path = await killedHolder(change);
    expect(isLocked(path)).toBe(false);
    const lock = await lockLedger(path, "push");
    await lock.release();
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("in another container, with its own pid namespace and host name", async ({ skip }) => {
    const container = ["unshare", "--map-root-user", "--pid", "--fork", "--mount-proc", "--uts", "--kill-child"];
    if (!canRun([...container, "true"])) skip("namespaces cannot be created here");
    const path = ledgerPath();
    const dead = startUnder([...container, "sh", "-c", 'hostname pod-1; exec "$0" "$@"'], "hold", path);
    expect(await firstLine(dead)).toBe("locked");
    await expect(lockLedger(path, "push")).rejects.toMatchObject({ message: expect.stringContaining("on pod-1") });
    dead.kill("SIGKILL");
    await ended(dead);
    await expect.poll(() => isLocked(path)).toBe(false);
    await (await lockLedger(path, "push")).release();
  });
});

test("a lock file that cannot be read is never taken over, and the failure names the file to remove", async () => {
  const path = ledgerPath();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.lock`, "{".repeat(1000));
  await expect(lockLedger(path, "push")).rejects.toMatchObject({
    code: "ledger_in_use",
    hint: expect.stringContaining("ledger.db.lock"),
  });
  expect(isLocked(path)).toBe(true);
});

describe("where file system locks are unreliable,", () => {
  const lease = { kind: "lease", leaseMs: 300 } as const;

  test("the lock of another host is taken over when its lease has expired, but not earlier", async () => {
    const path = await killedHolder({ host: "elsewhere" }, lease);
    expect(isLocked(path)).toBe(true);
    const asked = performance.now();
    const lock = await lockLedger(path, "push", lease);
    expect(performance.now() - asked).toBeGreaterThan(lease.leaseMs * 0.9);
    await lock.release();
  });

  test("a lease that is renewed on another host is respected", async () => {
    const path = await killedHolder({ host: "elsewhere" }, lease);
    let seconds = 1_800_000_000;
    const renewal = setInterval(() => utimesSync(`${path}.lock`, (seconds += 1), seconds), 20);
    onTestFinished(() => clearInterval(renewal));
    await expect(lockLedger(path, "push", lease)).rejects.toMatchObject({
      code: "ledger_in_use",
      message: expect.stringContaining("on elsewhere"),
    });
  });

  test("the lock of a process that has certainly died on this host is taken over immediately", async () => {
    const path = await killedHolder({}, lease);
    const asked = performance.now();
    const lock = await lockLedger(path, "push", { kind: "lease", leaseMs: 60_000 });
    expect(performance.now() - asked).toBeLessThan(30_000);
    await lock.release();
  });

  test("a holder that lost its lease to another process sends nothing more", async () => {
    const path = ledgerPath();
    const lock = await lockLedger(path, "push", lease);
    lock.requireHeld();
    utimesSync(`${path}.lock`, 1, 1);
    await expect.poll(() => isRefused(() => lock.requireHeld())).toBe(true);
    await lock.release();
  });
});

describe("two names for the same ledger:", () => {
  test("two processes exclude each other through a bind mount of the folder", async ({ skip }) => {
    const path = ledgerPath();
    const other = temporaryFolder();
    const lock = await lockLedger(path, "push");
    const mounted = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
    if (!canRun([...mounted, `mount --bind ${dirname(path)} ${other}`])) skip("folders cannot be mounted here");
    const bind = [...mounted, `mount --bind ${dirname(path)} ${other}; exec "$0" "$@"`];
    expect(await firstLine(startUnder(bind, "hold", join(other, "ledger.db")))).toBe("ledger_in_use");
    await lock.release();
    expect(await firstLine(startUnder(bind, "hold", join(other, "ledger.db")))).toBe("locked");
    await expect(lockLedger(path, "push")).rejects.toMatchObject({ code: "ledger_in_use" });
  });

  test("a ledger that is mounted as a single file is refused", async ({ skip }) => {
    const path = ledgerPath();
    await (await openLedger({ path })).close();
    const other = join(temporaryFolder(), "ledger.db");
    writeFileSync(other, "");
    const mounted = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
    if (!canRun([...mounted, `mount --bind ${path} ${other}`])) skip("files cannot be mounted here");
    const bind = [...mounted, `mount --bind ${path} ${other}; exec "$0" "$@"`];
    expect(await firstLine(startUnder(bind, "open", other))).toBe("config");
  });

  test("a ledger with a hard link is refused under both names", async () => {
    const path = ledgerPath();
    await (await openLedger({ path })).close();
    const other = join(temporaryFolder(), "other.db");
    linkSync(path, other);
    for (const name of [path, other]) {
      await expect(sqliteLedgerStore(name).write("push", { create: true })).rejects.toMatchObject({
        code: "config",
        message: expect.stringContaining("hard link"),
      });
    }
  });
});

function canRun([command = "", ...args]: readonly string[]): boolean {
  return process.platform === "linux" && spawnSync(command, args).status === 0;
}

function isRefused(work: () => void): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}
