import { expect, test, vi } from "vitest";
import { goodAccounts, latestRun, useSandbox, type Workplace, workplace, writeExtract } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

/** Pushes accounts. Then restores the platform to a state with only the first `kept` of them. */
async function pushedThenRestored(count: number, kept: number): Promise<Workplace> {
  const work = workplace({ accounts: goodAccounts(count) }, sandbox);
  expect((await work.push()).code).toBe(0);
  await admin.reset();
  expect((await workplace({ accounts: goodAccounts(kept) }, sandbox).push()).code).toBe(0);
  return work;
}

async function keysOnPlatform(): Promise<readonly string[]> {
  return (await admin.accounts()).map(({ key }) => key).toSorted();
}

const keysOf = (count: number): readonly string[] => goodAccounts(count).map(({ REF }) => REF ?? "");

test("records that a restored platform has lost are sent again, and only these", async () => {
  const work = await pushedThenRestored(5, 3);
  const run = await latestRun(work);
  const compared = await work.migrate(["compare"]);
  expect([compared.code, compared.stdout]).toEqual([1, expect.stringContaining("2 absent, 3 unknown")]);
  expect(compared.stderr).toContain(`\`migrate reconcile ${run} --resend-all 2\``);

  const wrong = await work.migrate(["reconcile", "--resend-all", "3"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("`migrate compare` found 2 absent")]);
  const { code, stderr } = await work.migrate(["reconcile", run, "--resend-all", "2"]);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/2 {2}pending[^]*migrate resume/)]);
  expect((await work.migrate(["resume"])).code).toBe(0);

  expect(await keysOnPlatform()).toEqual(keysOf(5));
  expect((await work.migrate(["compare"])).stdout).toContain("5 accepted records compared: 5 unknown\n");
  expect((await work.migrate(["ledger", "check"])).code).toBe(0);
});

test("a later push sends the records that were set to pending, even if the input has changed", async () => {
  const work = await pushedThenRestored(4, 2);
  await work.migrate(["compare"]);
  const [, , third = "", fourth = ""] = keysOf(4);
  expect((await work.migrate(["reconcile", "--resend", third, fourth])).code).toBe(3);
  writeExtract(work.folder, { accounts: goodAccounts(5) });
  expect((await work.push()).code).toBe(0);
  expect(await keysOnPlatform()).toEqual(keysOf(5));
});

test("a record that is still on the platform cannot be sent again", async () => {
  const work = await pushedThenRestored(3, 2);
  await work.migrate(["compare"]);
  const [first = "", , third = ""] = keysOf(3);
  const { code, stderr } = await work.migrate(["reconcile", "--resend", first, third]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("no record was changed")]);
  expect((await work.migrate(["reconcile", "--resend-all", "1"])).code).toBe(3);
});

test("the records of a dry run are sent again by the push that sent them (they used to stay in the dry run)", async () => {
  const work = await pushedThenRestored(3, 1);
  const push = await latestRun(work);
  expect((await work.push(["--dry-run"])).code).toBe(0);
  const dryRun = await latestRun(work);
  const { stderr } = await work.migrate(["compare"]);
  expect(stderr).toContain(`\`migrate reconcile ${push} --resend-all 2\``);
  expect((await work.migrate(["reconcile", dryRun, "--resend-all", "2"])).code).toBe(2);
  expect((await work.migrate(["reconcile", push, "--resend-all", "2"])).code).toBe(3);
  expect((await work.migrate(["resume", push])).code).toBe(0);
  expect(await keysOnPlatform()).toEqual(keysOf(3));
});

test("--all looks up the records of a changed input in a later push that skipped them (they used to stay unknown)", async () => {
  const work = await pushedThenRestored(4, 2);
  writeExtract(work.folder, { accounts: goodAccounts(5).slice(1) });
  expect((await work.push()).code).toBe(0);
  const latest = await latestRun(work);
  const { stdout, stderr } = await work.migrate(["compare", "--all", "--format", "csv"]);
  const [first, second, third, fourth, fifth] = keysOf(5);
  const rows = stdout.split("\n").slice(1, -1);
  expect(rows.map((row) => row.split(",").slice(0, 2))).toEqual([
    [fifth, "unknown"],
    [second, "unknown"],
    [third, "absent"],
    [fourth, "absent"],
    [first, "unknown"],
  ]);
  expect(rows.at(-1)).toContain("accounts.csv has changed");
  expect(stderr).toContain(`\`migrate reconcile ${latest} --resend-all 2\``);

  expect((await work.migrate(["reconcile", latest, "--resend-all", "2"])).code).toBe(3);
  expect((await work.migrate(["resume", latest])).code).toBe(0);
  const all = await work.migrate(["compare", "--all"]);
  expect(all.stdout).toContain("5 accepted records compared: 5 unknown\n");
  expect((await work.migrate(["compare", "--all", "--unverified"])).stdout).toContain("5 accepted records compared");
});

test("records are not sent again if the comparison is more than 24 hours old", async () => {
  const work = await pushedThenRestored(2, 1);
  await work.migrate(["compare"]);
  const [, lost = ""] = keysOf(2);
  const afterHours = async (hours: number, command: readonly string[]): Promise<readonly [number | null, string]> => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * 3_600_000 });
    try {
      const { code, stderr } = await work.migrate(command);
      return [code, stderr];
    } finally {
      vi.useRealTimers();
    }
  };
  const refused = [2, expect.stringContaining("more than 24 hours ago; no record was changed")];
  expect(await afterHours(25, ["reconcile", "--resend-all", "1"])).toEqual(refused);
  expect(await afterHours(25, ["reconcile", "--resend", lost])).toEqual(refused);
  expect((await afterHours(23, ["reconcile", "--resend", lost]))[0]).toBe(3);
});
