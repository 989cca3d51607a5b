import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STANDBY_IS_HERE, startPrivatePostgres, startStandby } from "../ledger/postgres/cluster.ts";
import { adminOf, CONTRACT, goodAccounts, useSandbox, workplace } from "./push-scene.ts";

const TAKES_NOTHING = /^6 migrate: the ledger postgres:\S+ accepts no changes: .* use --ledger with the primary server/;

describe.skipIf(!STANDBY_IS_HERE)("a hot standby of the ledger's server (skipped without pg_basebackup)", () => {
  const { sandbox } = useSandbox();
  let primary: Awaited<ReturnType<typeof startPrivatePostgres>>;
  beforeAll(async () => {
    primary = await startPrivatePostgres();
  });
  afterAll(() => primary.stop());

  test("can be read, refuses every write, and becomes the ledger after its promotion and a repair", async ({
    onTestFinished,
  }) => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    const ledger = await primary.createDatabase("ledger");
    expect((await work.push(["--ledger", ledger])).code).toBe(0);
    const standby = await startStandby(primary);
    onTestFinished(standby.stop);
    const copy = ledger.replace(`:${primary.port}/`, `:${standby.port}/`);
    /** Returns the exit code and the message as one line. */
    const said = async (...words: readonly string[]): Promise<string> => {
      const { code, stderr } = await work.migrate([...words, "--ledger", copy]);
      expect(stderr).not.toMatch(/^\s+at /m);
      return `${code} ${stderr.trim().replaceAll(/\s+/g, " ")}`;
    };

    expect((await work.push(["--ledger", ledger])).code).toBe(0);
    const statusOf = async (): Promise<string> => (await work.migrate(["status", "--ledger", copy])).stdout;
    await expect.poll(statusOf).toMatch(/3 skipped[^]*3 accepted/);
    for (const words of [["report"], ["explain", "EXT-00001"], ["ledger", "check"], ["ledger", "export"]])
      expect(await said(...words)).toMatch(/^0/);

    const sent = await adminOf(sandbox).imports();
    const push = ["push", "accounts.csv", "--contract", CONTRACT, "--mapping", "mapping.yaml"];
    for (const words of [push, [...push, "--workers", "2"], ["resume"], ["reconcile"]])
      expect(await said(...words)).toMatch(TAKES_NOTHING);
    expect(await said("worker")).toMatch(/^2 migrate: run \S+ has ended, so workers cannot join it/);
    expect(await adminOf(sandbox).imports()).toEqual(sent);

    await primary.crash();
    await standby.query("select pg_promote()");
    expect(await said(...push)).toMatch(/^6 migrate: .* another machine may have sent more/);
    expect(await said("ledger", "repair", "--nothing-lost")).toMatch(/^0/);
    expect(await said(...push)).toMatch(/^0/);
    expect(await statusOf()).toMatch(/3 skipped[^]*3 skipped[^]*3 accepted/);
    expect(await adminOf(sandbox).imports()).toEqual(sent);
  });
});
