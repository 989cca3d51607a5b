import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test, type TestContext } from "vitest";
import { BINARY } from "./cli.ts";
import {
  goodAccounts,
  outcomeLines,
  references,
  statusCounts,
  useSandbox,
  type Workplace,
  workplace,
} from "./push-scene.ts";
import { noSmallDisk, type SmallDisk, smallDisk } from "./small-disk.ts";

const { sandbox, admin } = useSandbox();

const RECORDS = 8;

function diskOf(kilobytes: number, { skip }: TestContext): SmallDisk {
  const reason = noSmallDisk();
  return reason === undefined ? smallDisk(kilobytes) : skip(reason);
}

describe("a full disk", () => {
  test("that contains the ledger ends the push with exit code 6 before anything is sent", async (context) => {
    const disk = diskOf(1024, context);
    disk.fill();
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    const ledger = ["--ledger", disk.file("ledger.db")];
    const full = await work.push(ledger);
    expect(full.code).toBe(6);
    expect(full.stderr).toMatch(/free some disk space/);
    expect(await admin.imports()).toEqual([]);
    disk.free();
    expect((await work.push(ledger)).code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(references(RECORDS));
  });

  test("that contains the ledger ends a push with exit code 6 after its requests, and stderr reports their outcomes", async (context) => {
    const disk = diskOf(1024, context);
    await admin.faults({ latencyMs: 2_500 });
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    const ledger = ["--ledger", disk.file("ledger.db")];
    const flags = [...ledger, "--contract", "no-dedupe.yaml", "--concurrency", String(RECORDS)];
    const rescued = work.file("rescued");
    mkdirSync(rescued);
    const pushing = work.startPush(flags, { env: { TMPDIR: rescued } });
    while ((await admin.imports()).length < RECORDS) await delay(20);
    disk.fill();
    const { code, stderr } = await pushing.ended;
    expect(code).toBe(6);
    const accounts = await admin.accounts();
    expect(accounts).toHaveLength(RECORDS);
    for (const record of references(RECORDS).keys()) {
      expect(stderr).toMatch(new RegExp(`could not be saved in the ledger:.*record ${record + 1} accepted as A-`));
    }
    const [file, ...others] = readdirSync(rescued);
    expect(others).toEqual([]);
    expect(stderr).toContain(`in the ledger: ${path.join(rescued, file ?? "")} (`);
    const kept = outcomeLines(readFileSync(path.join(rescued, file ?? ""), "utf8"));
    expect(kept.map(({ record }) => record).toSorted((a, b) => a - b)).toEqual(
      [...references(RECORDS).keys()].map((at) => at + 1),
    );
    expect(new Set(kept.map(({ account }) => account))).toEqual(new Set(accounts.map(({ number }) => number)));
    expect(statSync(path.join(rescued, file ?? "")).mode & 0o777).toBe(0o600);

    disk.free();
    await admin.faults({ latencyMs: 0 });
    const resumed = await work.migrate(["resume", ...ledger, "--format", "ndjson"]);
    expect(resumed.code).toBe(5);
    expect(statusCounts(outcomeLines(resumed.stdout))).toEqual({ ambiguous: RECORDS });
    expect(await admin.imports()).toHaveLength(RECORDS);
    const settled = await work.migrate(["reconcile", ...ledger, "--quiet-period", "0s", "--format", "ndjson"]);
    expect(settled.code).toBe(0);
    const lines = outcomeLines(settled.stdout);
    expect(new Set(lines.map(({ account }) => account))).toEqual(new Set(accounts.map(({ number }) => number)));
    expect(await admin.accounts()).toHaveLength(RECORDS);
  });

  test("that fails again when the ledger is closed is reported once", async (context) => {
    const disk = diskOf(2048, context);
    await admin.faults({ latencyMs: 800 });
    const work = workplace({ accounts: goodAccounts(60) }, sandbox);
    const rescued = work.file("rescued");
    mkdirSync(rescued);
    const flags = ["--ledger", disk.file("ledger.db"), "--contract", "no-dedupe.yaml", "--concurrency", "4"];
    const pushing = work.startPush(flags, { env: { TMPDIR: rescued } });
    while ((await admin.imports()).length < 6) await delay(20);
    disk.fill();
    // The remaining space is enough to end the run, but not to write the report and to close the ledger.
    truncateSync(disk.file("filling"), statSync(disk.file("filling")).size - 24 * 1024);
    const { code, stderr } = await pushing.ended;
    expect(code).toBe(6);
    expect(stderr.match(/ledger\.db cannot be used/g)).toHaveLength(1);
  });

  test("that contains only the report makes the push exit with 6 after it has sent every record", async (context) => {
    const disk = diskOf(256, context);
    disk.fill();
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    const { code, stderr } = await work.push(["--out", disk.file("report")]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/migrate report/);
    expect(await admin.accounts()).toHaveLength(RECORDS);
    expect((await work.migrate(["report", "--out", work.file("report")])).code).toBe(0);
    expect(outcomeLines(readFileSync(work.file("report", "outcomes.ndjson"), "utf8"))).toHaveLength(RECORDS);
  });
});

/**
 * Pushes one record with this ledger path, optionally through another program. Returns the exit code, stderr and the
 * number of requests.
 */
async function pushOnto(ledger: string, work: Workplace, under: readonly string[] = []): Promise<object> {
  const { code, stderr } = await work.push(["--ledger", ledger], { under, isProcess: true });
  return { code, stderr, requests: (await admin.history()).length };
}

function refused(code: number, why: RegExp): object {
  return { code, stderr: expect.stringMatching(why), requests: 0 };
}

function place(): Workplace {
  return workplace({ accounts: goodAccounts(1) }, sandbox);
}

describe("a push stops before the first request if its ledger path is", () => {
  test("a folder", async () => {
    const work = place();
    mkdirSync(work.file("ledger"));
    expect(await pushOnto("ledger", work)).toEqual(refused(2, /is a folder/));
  });

  test("a named pipe, without waiting for it", async () => {
    const work = place();
    execFileSync("mkfifo", [work.file("pipe")]);
    expect(await pushOnto("pipe", work)).toEqual(refused(2, /is not a regular file/));
  });

  test("a symbolic link, whose target stays unchanged", async () => {
    const work = place();
    writeFileSync(work.file("elsewhere"), "mine", { mode: 0o644 });
    symlinkSync(work.file("elsewhere"), work.file("link"));
    expect(await pushOnto("link", work)).toEqual(refused(2, /is a symbolic link/));
    expect(readFileSync(work.file("elsewhere"), "utf8")).toBe("mine");
  });

  test("a dangling symbolic link", async () => {
    const work = place();
    symlinkSync(work.file("nowhere"), work.file("link"));
    expect(await pushOnto("link", work)).toEqual(refused(2, /is a symbolic link/));
    expect(existsSync(work.file("nowhere"))).toBe(false);
  });

  test("a device that is always full, such as /dev/full", async ({ skip }) => {
    const work = place();
    if (spawnSync("mknod", [work.file("full"), "c", "1", "7"]).status !== 0)
      skip("this user may not create a device here");
    expect(await pushOnto("full", work)).toEqual(refused(2, /is not a regular file/));
    expect(readdirSync(work.folder).filter((name) => name.startsWith("full"))).toEqual(["full"]);
  });

  test("inside a file instead of a folder", async () => {
    expect(await pushOnto("accounts.csv/ledger.db", place())).toEqual(refused(6, /cannot be used/));
  });

  test("on a read-only file system, with or without a ledger", async (context) => {
    const disk = diskOf(1024, context);
    const work = place();
    disk.makeReadOnly();
    expect(await pushOnto(disk.file("ledger.db"), work)).toEqual(refused(6, /cannot be used/));
    disk.makeWritable();
    // In this process, a closed connection would keep its files open until it is garbage-collected.
    expect((await work.push(["--ledger", disk.file("ledger.db")], { isProcess: true })).code).toBe(0);
    await admin.reset();
    disk.makeReadOnly();
    expect(await pushOnto(disk.file("ledger.db"), work)).toEqual(refused(6, /cannot be used/));
  });

  test("in a folder that the user cannot write to", async ({ skip }) => {
    const under = asUnprivilegedUser() ?? skip("no other user can run the program here");
    const work = place();
    mkdirSync(work.file("shut"), { mode: 0o755 });
    chmodSync(work.folder, 0o755);
    chmodSync(work.file("shut"), 0o555);
    expect(await pushOnto("shut/ledger.db", work, under)).toEqual(refused(6, /cannot be used/));
  });
});

/**
 * Returns a command that runs a program as an unprivileged user, because root can write anywhere. Returns an empty list
 * if this user is not root, and undefined if no such command works.
 */
function asUnprivilegedUser(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return [];
  const rights = ["--reuid=65534", "--regid=65534", "--clear-groups"];
  const isRunning = spawnSync("setpriv", [...rights, process.execPath, BINARY, "--version"]).status === 0;
  return isRunning ? ["setpriv", ...rights] : undefined;
}
