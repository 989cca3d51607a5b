import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { proofOf, useComparingSandbox } from "./existing-records-scene.ts";
import { goodAccounts, latestRun, outcomeLines, statusCounts, writeExtract } from "./push-scene.ts";

const { admin, importedElsewhere, requests, withContent } = useComparingSandbox();

describe("the first push with a second ledger", () => {
  test("accepts records whose content is read back with the same values", async () => {
    const work = await importedElsewhere(goodAccounts(3));
    const { code, stdout, stderr } = await work.push(withContent);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 3 });
    expect(stderr).toMatch(/Reading back 3 records that the platform already had/);
    expect(await requests("GET")).toBe(4);
    const { stdout: explained } = await work.migrate(["explain", "EXT-00001"]);
    const words = explained.replaceAll(/\s+/g, " ");
    expect(words).toMatch(/existing 400 \d+ ms HTTP 400: the platform already has the record/);
    expect(words).toMatch(
      /accepted migrate the platform has the record, with the same values: billing_name, billing_address1/,
    );

    const proved = await work.migrate(["proof", "--read-back", "--out", "proof"]);
    expect(proved.code).toBe(0);
    expect(proved.stdout).toMatch(/3 with the values that were sent\n  compared: billing_name, billing_address1\n/);
    expect(statusCounts(outcomeLines((await work.push(withContent)).stdout))).toEqual({ skipped: 3 });
    expect(await admin.accounts()).toHaveLength(3);
  });

  test("rejects a record at the cells that differ from the platform, and accepts the corrected record", async () => {
    const work = await importedElsewhere([{ REF: "EXT-1" }, { REF: "EXT-2", ADDRESS: "1 Old Lane" }]);
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1" }, { REF: "EXT-2", ADDRESS: "2 New Lane" }] });
    const { code, stdout } = await work.push(withContent);
    expect(code).toBe(1);
    const [same, other] = outcomeLines(stdout);
    expect(same).toMatchObject({ status: "accepted" });
    expect(other).toMatchObject({
      status: "rejected",
      errors: [
        {
          attr: "billing_address1",
          code: "conflict",
          by: "platform",
          source: { file: "accounts.csv", line: 3, column: "ADDRESS" },
        },
      ],
    });
    // The next push sends the unchanged record again. The platform creates nothing.
    const again = await work.push(withContent);
    expect(statusCounts(outcomeLines(again.stdout))).toEqual({ skipped: 1, rejected: 1 });

    writeExtract(work.folder, { accounts: [{ REF: "EXT-1" }, { REF: "EXT-2", ADDRESS: "1 Old Lane" }] });
    const corrected = await work.push(withContent);
    expect(corrected.code).toBe(0);
    expect(statusCounts(outcomeLines(corrected.stdout))).toEqual({ skipped: 1, accepted: 1 });
    expect(await admin.accounts()).toHaveLength(2);
  });

  test("leaves records `existing` if only their keys can be compared, and never skips them as accepted", async () => {
    const work = await importedElsewhere(goodAccounts(2));
    const { code, stdout, stderr } = await work.push();
    expect(code).toBe(1);
    const lines = outcomeLines(stdout);
    expect(statusCounts(lines)).toEqual({ existing: 2 });
    expect(lines[0]).toMatchObject({ http: 400, attempts: 1, account: expect.stringMatching(/^A-/) });
    expect(stderr).toMatch(/2 {2}existing {2}already on the platform: content not compared/);
    expect(await requests("GET")).toBe(0);

    const posts = await requests("POST");
    const again = await work.push();
    expect(statusCounts(outcomeLines(again.stdout))).toEqual({ existing: 2 });
    expect(await requests("POST")).toBe(posts + 2);
    expect(await admin.accounts()).toHaveLength(2);

    const proved = await work.migrate(["proof", "--out", "proof"]);
    expect(proved.code).toBe(1);
    expect(proved.stdout).toMatch(/2 records already existed on the platform/);
    expect(proofOf(work).runs[0]).toMatchObject({ records: { byStatus: { existing: 2 } }, differences: 2 });
    expect((await work.migrate(["ledger", "check"])).code).toBe(0);
  });

  test("accepts existing records later if a contract that can compare their content is used", async () => {
    const work = await importedElsewhere(goodAccounts(2));
    await work.push();
    const first = await latestRun(work);
    const { code, stdout } = await work.push(withContent);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 2 });
    // Reconciling the earlier run updates its records, too.
    const { code: settled, stdout: earlier } = await work.migrate(["reconcile", first, "--format", "ndjson"]);
    expect(settled).toBe(0);
    expect(statusCounts(outcomeLines(earlier))).toEqual({ skipped: 2 });
    expect((await work.migrate(["proof", "--all", "--out", "proof"])).code).toBe(0);
    expect((await work.migrate(["ledger", "check"])).code).toBe(0);
  });

  test("accepts a corrected record that is re-imported with --rejects", async () => {
    const work = await importedElsewhere([{ REF: "EXT-1" }, { REF: "EXT-2", ADDRESS: "1 Old Lane" }]);
    writeExtract(work.folder, { accounts: [{ REF: "EXT-1" }, { REF: "EXT-2", ADDRESS: "2 New Lane" }] });
    expect((await work.push([...withContent, "--out", "report"])).code).toBe(1);
    const file = work.file("report", "rejects.csv");
    const rows = readFileSync(file, "utf8");
    expect(rows).toContain("2 New Lane");
    expect(rows).not.toContain("EXT-1");
    writeFileSync(file, rows.replace("2 New Lane", "1 Old Lane"));
    const { code, stdout } = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect(code).toBe(0);
    expect(outcomeLines(stdout)).toMatchObject([{ key: "EXT-2", status: "accepted" }]);
    expect(await admin.accounts()).toHaveLength(2);
  });

  test("lets the operator accept an existing record by its key", async () => {
    const work = await importedElsewhere(goodAccounts(2));
    await work.push();
    const refused = await work.migrate(["reconcile", "--resend", "EXT-00001"]);
    expect(refused.code).toBe(2);
    const { code, stdout } = await work.migrate(["reconcile", "--accept", "EXT-00001", "--format", "ndjson"]);
    expect(code).toBe(1);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 1, existing: 1 });
    expect(statusCounts(outcomeLines((await work.push()).stdout))).toEqual({ skipped: 1, existing: 1 });
  });

  test("ends `reconcile` with exit code 1 if the contract declares no read-back and no outcome is unknown", async () => {
    const work = await importedElsewhere(goodAccounts(2));
    writeFileSync(
      work.file("blind.yaml"),
      'overlay: 1.0.0\ninfo: { title: No read-back, version: "1" }\nactions:\n' +
        "  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back']\n    remove: true\n",
    );
    await work.push(["--contract", "blind.yaml"]);
    const { code, stdout, stderr } = await work.migrate(["reconcile"]);
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/declare `x-migrate-read-back`[^]*--accept[^]*2 {2}existing/);
  });
});
