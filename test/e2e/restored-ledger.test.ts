import { cpSync, readdirSync, rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type SandboxProcess, startSandboxProcess } from "./cli.ts";
import {
  type Admin,
  adminOf,
  goodAccounts,
  outcomeLines,
  statusCounts,
  type Workplace,
  workplace,
  writeExtract,
} from "./push-scene.ts";

const PUSH = ["--contract", "no-dedupe.yaml"];

let sandbox: SandboxProcess;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startSandboxProcess({ flags: ["--forgetful"] });
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
  await admin.reset();
  await admin.faults({ forgetful: true });
});

/** Six accounts are on the platform, and the ledger is put back as it was when it knew of three. */
async function restoredWorkplace(): Promise<Workplace> {
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  expect((await work.push(PUSH)).code).toBe(0);
  cpSync(work.file(".migrate"), work.file("backup"), { recursive: true });
  writeExtract(work.folder, { accounts: goodAccounts(6) });
  expect((await work.push(PUSH)).code).toBe(0);
  for (const name of readdirSync(work.file("backup")).filter((file) => file.startsWith("ledger.db"))) {
    cpSync(work.file("backup", name), work.file(".migrate", name));
  }
  return work;
}

test("a push with an older copy of the ledger is refused by its journal, and creates nothing again", async () => {
  const work = await restoredWorkplace();
  const before = (await admin.imports()).length;
  const { code, stderr } = await work.push(PUSH);
  expect(code).toBe(6);
  expect(stderr).toMatch(/older copy: it knows 3 requests, and by .* 6 requests had been made/);
  expect((await work.migrate(["resume"])).code).toBe(6);
  expect(await admin.imports()).toHaveLength(before);
  expect((await work.migrate(["status"])).code).toBe(0);
});

test("a push with an older copy of the ledger and of its journal is refused by what the platform has", async () => {
  const work = await restoredWorkplace();
  rmSync(work.file(".migrate"), { recursive: true });
  cpSync(work.file("backup"), work.file(".migrate"), { recursive: true });
  const { code, stderr, stdout } = await work.push(PUSH);
  expect(stderr).toMatch(/the platform has 3 of 3 records already .*the first of them record 4/);
  expect(code).toBe(6);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ skipped: 3, pending: 3 });
  expect(await admin.accounts()).toHaveLength(6);
});

test("a push of new records with the newest ledger asks the platform for a few of them, and goes on", async () => {
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  expect((await work.push(PUSH)).code).toBe(0);
  writeExtract(work.folder, { accounts: goodAccounts(20) });
  const { code, stdout } = await work.push(PUSH);
  expect(code).toBe(0);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ skipped: 3, accepted: 17 });
  expect((await admin.imports()).filter(({ method }) => method === "GET")).toHaveLength(5);
});
