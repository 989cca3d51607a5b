import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Proof } from "../../src/model/proof.ts";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli, startTestSandbox, type TestSandbox } from "./cli.ts";
import { MAPPING } from "./proof-scene.ts";
import { CONTRACT, outcomeLines } from "./push-scene.ts";

/** An overlay that makes the read-back return the account's balance. */
const COMPARING = `
overlay: 1.0.0
info: { title: A platform that returns the balance, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][0]
    update: { match: { owed: balance } }
`;
const { folder: contracts, remove } = createTestFolder();
const compare = path.join(contracts, "compare.yaml");
const CONTRACTS = ["--contract", CONTRACT, "--contract", compare];
let sandbox: TestSandbox;
beforeAll(async () => {
  writeFileSync(compare, COMPARING);
  sandbox = await startTestSandbox({ flags: CONTRACTS });
});
afterAll(async () => {
  await sandbox.stop();
  remove();
});

test("a proof counts a record as replaced if the platform has accepted a corrected version of its row", async () => {
  const files = {
    "mapping.yaml": MAPPING,
    "accounts.csv": "REF;TYPE;OWED\n0001;D;12,50\n0002;D;1,005\n",
    "customers.csv": "REF;FIRST;MOBILE\n0001;Ann;07700 900001\n0002;Bob;07700 900003\n",
  };
  const folder = temporaryFolder(files);
  const migrate = (...args: readonly string[]): Promise<CliEnd> => runCli(args, { cwd: folder, env: sandbox.env });
  const push = ["push", ...CONTRACTS, "--mapping", "mapping.yaml", "--yes", "--format", "ndjson"];
  expect((await migrate(...push, "--out", "report")).code).toBe(1);
  const rejects = path.join(folder, "report", "rejects.csv");
  writeFileSync(rejects, readFileSync(rejects, "utf8").replace("1,005", "1,50"));
  expect((await migrate("push", "--rejects", "report", "--yes")).code).toBe(0);

  const again = await migrate(...push);
  expect(outcomeLines(again.stdout)).toMatchObject([{ status: "skipped" }, { key: "0002", status: "skipped" }]);
  const { code, stdout } = await migrate("proof", "--all", "--read-back", "--out", "proof");
  expect(stdout).toContain("on the platform: 1 with the values that were sent, 1 replaced by other content");
  expect(code).toBe(0);
  const { runs }: Proof = JSON.parse(readFileSync(path.join(folder, "proof", "proof.json"), "utf8"));
  expect(runs.map(({ measures, platform }) => [measures[0]?.sums, platform])).toMatchObject([
    [[{ source: "13.505", accepted: "12.50", platform: "12.50" }], { found: 1, replaced: 0 }],
    [[{ source: "1.50", accepted: "1.50", platform: "1.50" }], { found: 1, replaced: 0 }],
    [[{ source: "13.505", sent: "12.50", accepted: "12.50", platform: "12.50" }], { found: 1, replaced: 1 }],
  ]);
  expect((await migrate("proof", "verify", "proof")).code).toBe(0);
});
