import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { runCli } from "./cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("the demo shows errors at their cells, corrects them, and creates every account on the platform", async () => {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await runCli(["demo"], { cwd: folder });
  expect(code).toBe(0);
  expect(stderr.trimEnd().split("\n").at(-1)).toBe("The platform now has 244 of 244 accounts, each exactly once.");
  expect(stdout).toMatch(/date_of_birth\n(?:.*\n){1,2}.*customers\.csv:\d+\b/);
  expect(stdout).toContain("The platform: ");
  expect(stdout.match(/\d+ errors, (\d+) causes/g)).toHaveLength(2);
  expect(new Set([...stdout.matchAll(/^ +\d+ {2}(\w+)/gm)].map(([, cause]) => cause)).size).toBeGreaterThanOrEqual(10);
  expect(readdirSync(folder)).toEqual([".migrate"]);
});

test.skipIf(!PRIVATE_POSTGRES_IS_HERE)(
  `the demo of a cluster kills one of three workers, and creates every account once ${SKIPPED_WITHOUT_POSTGRES}`,
  async () => {
    const { code, stderr } = await runCli(["demo", "--cluster"], { cwd: temporaryFolder() });
    expect(stderr).toMatch(
      /\nWorker \d+ was killed during the push\.\nThe platform has 197 of 197 accounts, each exactly once\.\n$/,
    );
    expect(code).toBe(0);
  },
);

test("the demo refuses --ledger without --cluster", async () => {
  const folder = temporaryFolder();
  const asked = await runCli(["demo", "--ledger", "postgres://here/none"], { cwd: folder });
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("--ledger needs --cluster")]);
});
