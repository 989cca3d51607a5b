import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "@photostructure/sqlite";
import { expect, test } from "vitest";
import { type CliEnd, projectFile } from "./cli.ts";
import { goodAccounts, outcomeLines, statusCounts, useSandbox, type Workplace, workplace } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

const OPERATION = "$.paths['/data-import/accounts/'].post";
const overlay = (actions: string): string =>
  `overlay: 1.0.0\ninfo: { title: Names, version: "1" }\nactions:\n${actions}`;
const OVERLAYS = {
  renamed: overlay(`  - target: ${OPERATION}\n    update: { operationId: createAccountV2 }\n`),
  dropped: overlay(`  - target: ${OPERATION}['operationId']\n    remove: true\n`),
};
const BY_PATH = ["--operation", "POST /data-import/accounts/"];

function writeOverlays(work: Workplace): void {
  for (const [name, text] of Object.entries(OVERLAYS)) writeFileSync(work.file(`${name}.yaml`), text);
}

test.each(["renamed", "dropped"] as const)(
  "a push after the contract's operationId was %s creates nothing again",
  async (change) => {
    const work = workplace({ accounts: goodAccounts(5) }, sandbox);
    writeOverlays(work);
    expect((await work.push()).code).toBe(0);
    const again = await work.push(["--contract", `${change}.yaml`, ...BY_PATH]);
    expect([again.code, statusCounts(outcomeLines(again.stdout))]).toEqual([0, { skipped: 5 }]);
    expect(await admin.accounts()).toHaveLength(5);
    expect(await admin.imports()).toHaveLength(5);
  },
  60_000,
);

/** A workplace with the ledger of the version before, which had sent five of these six records to this address. */
function earlierWorkplace(): { readonly work: Workplace; readonly dryRun: (...flags: string[]) => Promise<CliEnd> } {
  const accounts = [...goodAccounts(4), { REF: "EXT-00005", NAME: "Nobody" }, { REF: "EXT-00006" }];
  const work = workplace({ accounts });
  writeOverlays(work);
  mkdirSync(work.file(".migrate"));
  const ledger = new DatabaseSync(work.file(".migrate", "ledger.db"));
  ledger.exec(readFileSync(projectFile("test/ledger/sqlite/format-4.sql"), "utf8"));
  ledger.close();
  const target = ["--base-url", "https://127.0.0.1:18443/v1/", "--supplier", "SANDBOX"];
  const dryRun = (...flags: string[]): Promise<CliEnd> =>
    work.push(["--dry-run", ...target, "--contract", "no-dedupe.yaml", ...flags]);
  return { work, dryRun };
}

const STATUSES = ["skipped", "skipped", "skipped", "ambiguous", "skipped", "valid"];
const statusesOf = ({ stdout }: CliEnd): readonly string[] => outcomeLines(stdout).map(({ status }) => status);

test("what a ledger of the version before knows of its records holds, whatever the operation is called from then on", async () => {
  const { work, dryRun } = earlierWorkplace();
  expect(statusesOf(await dryRun())).toEqual(STATUSES);
  expect(statusesOf(await dryRun("--contract", "renamed.yaml", ...BY_PATH))).toEqual(STATUSES);
  expect(statusesOf(await dryRun("--contract", "dropped.yaml", ...BY_PATH))).toEqual(STATUSES);
  const check = await work.migrate(["ledger", "check"]);
  expect([check.code, check.stdout]).toEqual([
    0,
    ".migrate/ledger.db is intact: 5 runs, 5 records, 5 attempts, 0 decisions\n",
  ]);
  const explained = await work.migrate(["explain", "EXT-00004", "--format", "json"]);
  expect(explained.stdout).toContain("connection reset before the reply");
});

test("an operation that was renamed before its ledger was brought up to date is refused, and the way out leads out", async () => {
  const { dryRun } = earlierWorkplace();
  const refused = await dryRun("--contract", "renamed.yaml", ...BY_PATH);
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain('identified records by the operation "import-account"');
  expect(refused.stderr).toContain("--contract");
  expect(statusesOf(await dryRun())).toEqual(STATUSES);
  expect(statusesOf(await dryRun("--contract", "renamed.yaml", ...BY_PATH))).toEqual(STATUSES);
});
