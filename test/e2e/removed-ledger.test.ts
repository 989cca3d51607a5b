import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { countRequests, type RequestCounter } from "./kill-schedule.ts";
import { type Admin, adminOf, goodAccounts, type Workplace, workplace } from "./push-scene.ts";

const PUSH = ["--contract", "no-dedupe.yaml", "--concurrency", "4"];
const ACCOUNTS = 400;

let sandbox: TestSandbox;
let admin: Admin;
let counter: RequestCounter;
beforeAll(async () => {
  sandbox = await startTestSandbox({ flags: ["--forgetful", "--verbose"] });
  admin = adminOf(sandbox);
  counter = countRequests(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
  await admin.reset();
  await admin.faults({ forgetful: true, latencyMs: [40, 60] });
});

/** Returns the business keys with more than one account on the platform. */
async function createdTwice(): Promise<readonly string[]> {
  const keys = (await admin.accounts()).map(({ key }) => key);
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}

type Loss = readonly [string, (work: Workplace) => void];

const LOSSES: readonly Loss[] = [
  ["is removed with its folder", (work) => rmSync(work.file(".migrate"), { recursive: true })],
  ["is renamed with its folder", (work) => renameSync(work.file(".migrate"), work.file("moved"))],
  [
    "is replaced by an older copy",
    (work) => {
      cpSync(work.file(".migrate/ledger.db"), work.file(".migrate/copy"));
      rmSync(work.file(".migrate/ledger.db-wal"));
      renameSync(work.file(".migrate/copy"), work.file(".migrate/ledger.db"));
    },
  ],
  ["loses its write-ahead log", (work) => rmSync(work.file(".migrate/ledger.db-wal"))],
];

test.each(LOSSES)("a push whose ledger %s stops, and the next push creates no account twice", async (_, accident) => {
  const work = workplace({ accounts: goodAccounts(ACCOUNTS) }, sandbox);
  const pushing = work.startPush(PUSH);
  await counter.after(30);
  accident(work);
  const { code, stderr } = await pushing.ended;
  expect(stderr).toMatch(/was removed, renamed or replaced while it was in use/);
  expect(stderr).toMatch(/Next +migrate ledger repair\n/);
  expect(code).toBe(6);
  const sent = (await admin.imports()).length;
  expect(sent).toBeLessThan(ACCOUNTS / 2);
  const next = await work.push(PUSH);
  expect(next.code).toBe(6);
  expect(await admin.imports()).toHaveLength(sent);
  expect(readdirSync(work.file(".migrate/journal")).filter((name) => name.endsWith(".log"))).not.toEqual([]);

  await admin.faults({ forgetful: true });
  expect((await work.migrate(["ledger", "repair"])).code).toBe(5);
  expect((await work.push(PUSH)).code).toBe(5);
  expect(await createdTwice()).toEqual([]);
});

test("a push whose working folder is removed stops", async () => {
  const work = workplace({ accounts: goodAccounts(ACCOUNTS) }, sandbox);
  const pushing = work.startPush(PUSH);
  await counter.after(30);
  rmSync(work.folder, { recursive: true });
  const { code, stderr } = await pushing.ended;
  expect(stderr).toMatch(/was removed, renamed or replaced while it was in use/);
  expect(code).toBe(6);
});

test("the ledger itself refuses a second push if the lock file of the running push was removed", async () => {
  const work = workplace({ accounts: goodAccounts(60) }, sandbox);
  await admin.faults({ forgetful: true, hangBefore: { at: [20] } });
  const first = work.startPush(PUSH);
  await counter.after(19);
  rmSync(work.file(".migrate/ledger.db.lock"));
  const second = await work.push(PUSH);
  expect(second.stderr).toContain(`is in use by \`push\`, process ${first.pid}`);
  expect(second.code).toBe(7);
  expect((await work.migrate(["ledger", "repair"])).code).toBe(7);
  first.kill("SIGKILL");
  await first.ended;
  await admin.faults({ forgetful: true });
  expect((await work.migrate(["ledger", "check"])).code).toBe(0);
  expect((await work.migrate(["resume"])).code).toBe(5);
  expect(await createdTwice()).toEqual([]);
});

test("a ledger copied during a push can be used after that push has ended", async () => {
  const work = workplace({ accounts: goodAccounts(60) }, sandbox);
  const first = work.startPush(PUSH);
  await counter.after(20);
  mkdirSync(work.file("copied"));
  for (const name of ["ledger.db", "ledger.db-wal", "ledger.db-checksums"])
    if (existsSync(work.file(".migrate", name))) cpSync(work.file(".migrate", name), work.file("copied", name));
  expect((await work.migrate(["ledger", "check", "--ledger", "copied/ledger.db"])).code).toBeLessThan(7);
  await first.ended;
  expect((await work.migrate(["reconcile", "--accept", "none", "--ledger", "copied/ledger.db"])).code).toBe(2);
});
