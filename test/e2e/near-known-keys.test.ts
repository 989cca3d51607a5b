import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf, outcomeLines, statusCounts, workplace, writeExtract } from "./push-scene.ts";

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => admin.reset());

test("keys that lost their zeros in a spreadsheet create no second account, unless --new-keys is given", async () => {
  const work = workplace({ accounts: ["00000001", "00000002"].map((REF) => ({ REF })) }, sandbox);
  expect((await work.push()).code).toBe(0);

  writeExtract(work.folder, { accounts: ["1", "00000002", "30000000"].map((REF) => ({ REF })) });
  const { code, stdout } = await work.push();
  expect(code).toBe(1);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ invalid: 1, skipped: 1, accepted: 1 });
  const [first] = outcomeLines(stdout);
  expect(first?.errors?.map((one) => [one.code, one.source?.line, one.source?.column])).toEqual([
    ["near_known_key", 2, "REF"],
  ]);
  const explained = await work.migrate(["explain", "1"]);
  expect(explained.stdout).toContain("Keys: 1, 00000001.");
  expect((await admin.accounts()).map(({ key }) => key)).toEqual(["00000001", "00000002", "30000000"]);

  const meant = await work.push(["--new-keys"]);
  expect(meant.code).toBe(0);
  expect(statusCounts(outcomeLines(meant.stdout))).toEqual({ accepted: 1, skipped: 2 });
});
