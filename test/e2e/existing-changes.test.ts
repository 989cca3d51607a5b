import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { OTHER_LEDGER, proofOf, useComparingSandbox } from "./existing-records-scene.ts";
import { goodAccounts, outcomeLines, statusCounts, workplace, writeExtract } from "./push-scene.ts";
import { sharedPush, useServer } from "./shared-run-scene.ts";

const { sandbox, admin, requests, withContent } = useComparingSandbox();

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`a push with several workers ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { server } = useServer();

  test("reads back the records of all workers", async () => {
    const scene = await sharedPush(40, sandbox, server());
    expect((await scene.push(OTHER_LEDGER)).code).toBe(0);
    const { code, stdout } = await scene.share(2, withContent).ended;
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 40 });
    const keysOnly = await sharedPush(4, sandbox, server());
    const uncompared = await keysOnly.share(2).ended;
    expect(uncompared.code).toBe(1);
    expect(statusCounts(outcomeLines(uncompared.stdout))).toEqual({ existing: 4 });
    expect(await admin.accounts()).toHaveLength(40);
  });
});

describe("a change to an accepted record", () => {
  test("is rejected with `revision_ignored` if the platform refuses the change because the account exists", async () => {
    const work = workplace({ accounts: [{ REF: "EXT-1", ADDRESS: "1 Old Lane" }] }, sandbox);
    await work.push(withContent);
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1", ADDRESS: "2 New Lane" }] });
    const { code, stdout } = await work.push([...withContent, "--revise"]);
    expect(code).toBe(1);
    expect(outcomeLines(stdout)).toMatchObject([
      {
        status: "rejected",
        errors: [{ attr: "non_field_errors", code: "revision_ignored", by: "platform" }],
        http: 400,
        account: expect.stringMatching(/^A-/),
      },
    ]);
    const proved = await work.migrate(["proof", "--read-back", "--out", "proof"]);
    expect(proved.code).toBe(0);
    expect(proofOf(work).runs[0]).toMatchObject({
      records: { byStatus: { rejected: 1 } },
      platform: { found: 0, notCompared: 0 },
    });
    // The accepted version is still the original, so a push skips the original.
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1", ADDRESS: "1 Old Lane" }] });
    expect(outcomeLines((await work.push(withContent)).stdout)).toMatchObject([{ status: "skipped" }]);
  });
});

describe("a change that the platform accepts as a second account", () => {
  test("is ambiguous, and the push ends after three such replies", async () => {
    const accounts = goodAccounts(8).map((one) => ({ ...one, ADDRESS: "1 Old Lane" }));
    const work = workplace({ accounts }, sandbox);
    await work.push();
    writeExtract(work.folder, { accounts: accounts.map((one) => ({ ...one, ADDRESS: "2 New Lane" })) });
    await admin.faults({ forgetful: true });
    const { code, stdout } = await work.push([
      "--revise",
      "--contract",
      work.file("no-dedupe.yaml"),
      "--concurrency",
      "1",
    ]);
    expect(code).toBe(5);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ ambiguous: 3, pending: 5 });
    const { stdout: explained } = await work.migrate(["explain", "EXT-00001"]);
    expect(explained.replaceAll(/\s+/g, " ")).toContain("HTTP 201 with a different account number than before");
    expect(await admin.accounts()).toHaveLength(11);
  });
});

describe("a repeat of a request without a clear reply", () => {
  test("is accepted without a read-back if its content is the same", async () => {
    const work = workplace({ accounts: goodAccounts(3) }, sandbox);
    await admin.faults({ resetAfter: { at: [2] } });
    const { code, stdout } = await work.push(["--concurrency", "1"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 3 });
    expect(outcomeLines(stdout)[1]).toMatchObject({ http: 400, attempts: 2 });
    expect(await requests("GET")).toBe(0);
  });

  test("is accepted by a later push with the same content", async () => {
    const work = workplace({ accounts: goodAccounts(1) }, sandbox);
    await admin.faults({ resetAfter: { every: 1 } });
    expect((await work.push()).code).toBe(5);
    await admin.faults({});
    const { code, stdout } = await work.push();
    expect(code).toBe(0);
    expect(outcomeLines(stdout)).toMatchObject([{ status: "accepted", http: 400 }]);
  });

  test.each([
    { title: "stays `existing`", flags: [], status: "existing" },
    { title: "is rejected if the platform returns the earlier content", flags: withContent, status: "rejected" },
  ])("with other content $title", async ({ flags, status }) => {
    const work = workplace({ accounts: [{ REF: "EXT-1", ADDRESS: "1 Old Lane" }] }, sandbox);
    await admin.faults({ resetAfter: { every: 1 } });
    expect((await work.push(flags)).code).toBe(5);
    await admin.faults({});
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1", ADDRESS: "2 New Lane" }] });
    const { code, stdout } = await work.push(flags);
    expect(code).toBe(1);
    expect(outcomeLines(stdout)).toMatchObject([{ status }]);
    expect(await admin.accounts()).toHaveLength(1);
  });

  test("stays `ambiguous` if the platform refuses other content, and cannot be excluded", async () => {
    const accounts = goodAccounts(1);
    const work = workplace({ accounts }, sandbox);
    await admin.faults({ resetAfter: { every: 1 } });
    expect((await work.push()).code).toBe(5);
    await admin.faults({});
    writeExtract(work.folder, { accounts, customers: [{ REF: "EXT-00001", MOBILE: "1234567" }] });
    const { code, stdout } = await work.push();
    expect(code).toBe(5);
    expect(outcomeLines(stdout)).toMatchObject([{ status: "ambiguous", http: 400 }]);
    expect((await work.migrate(["exclude", "EXT-00001", "--reason", "closed"])).code).not.toBe(0);
  });
});

describe("a proof that reads back only keys", () => {
  test("does not confirm the content of accepted records", async () => {
    const work = workplace({ accounts: goodAccounts(2) }, sandbox);
    await work.push();
    const { code, stdout } = await work.migrate(["proof", "--read-back", "--out", "proof"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/0 with the values that were sent, 2 found, content not compared\n  compared: only keys\n/);
    expect(proofOf(work).runs[0]?.platform).toMatchObject({ compared: [], found: 0, notCompared: 2 });
    expect((await work.migrate(["proof", "verify", "proof"])).code).toBe(0);
  });
});
