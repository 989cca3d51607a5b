import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { useComparingSandbox } from "./existing-records-scene.ts";
import { goodAccounts, outcomeLines, statusCounts } from "./push-scene.ts";

const { admin, importedElsewhere, withContent } = useComparingSandbox();

describe("the first push with a second ledger", () => {
  test("does not compare a record whose payload has changed since it was sent", async () => {
    const work = await importedElsewhere([{ REF: "EXT-1", ADDRESS: "1 Old Lane" }]);
    const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
    const called = "billing_address1: { from: ADDRESS, call: f }";
    const withFunction = `functions: ./functions.mjs\n${mapping.replace("billing_address1: ADDRESS", called)}`;
    writeFileSync(work.file("mapping.yaml"), withFunction);
    const reading =
      'import { readFileSync } from "node:fs";\nexport const f = () => readFileSync("address.txt", "utf8");\n';
    writeFileSync(work.file("functions.mjs"), reading);
    writeFileSync(work.file("address.txt"), "2 New Lane");
    await admin.faults({ cutAfter: { at: Array.from({ length: 60 }, (_, index) => index + 2) } });
    const { stdout } = await work.push([...withContent, "--concurrency", "1"]);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ existing: 1 });
    await admin.faults({});
    writeFileSync(work.file("address.txt"), "1 Old Lane");
    const settled = await work.migrate(["reconcile", "--quiet-period", "0s", "--format", "ndjson"]);
    expect(settled.code).toBe(2);
    expect(settled.stderr).toMatch(/record 1 has changed since the run was planned/);
    expect(statusCounts(outcomeLines(settled.stdout))).toEqual({ existing: 1 });
  });

  test("leaves records `existing` if the platform does not reply, and reconcile compares them later", async () => {
    const work = await importedElsewhere(goodAccounts(2));
    await admin.faults({ cutAfter: { at: Array.from({ length: 60 }, (_, index) => index + 3) } });
    const { code, stdout, stderr } = await work.push([...withContent, "--concurrency", "1"]);
    expect(code).toBe(1);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ existing: 2 });
    expect(stderr).toMatch(/Next {4}migrate reconcile /);
    await admin.faults({});
    const settled = await work.migrate(["reconcile", "--quiet-period", "0s", "--format", "ndjson"]);
    expect(settled.code).toBe(0);
    expect(statusCounts(outcomeLines(settled.stdout))).toEqual({ accepted: 2 });
  });
});
