import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import {
  type Admin,
  adminOf,
  outcomeLines,
  references,
  statusCounts,
  type Workplace,
  workplace,
} from "./push-scene.ts";

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox({ flags: ["--suppliers", "SPRING,WINTER"] });
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => admin.reset());

/**
 * Writes accounts. Every third account belongs to the supplier WINTER. The mapping reads the supplier from a column.
 */
function twoSuppliers(count: number): Workplace {
  const accounts = references(count).map((REF, index) => ({ REF, TYPE: index % 3 === 2 ? "B" : "D" }));
  const work = workplace({ accounts }, sandbox);
  const mapping = readFileSync(work.file("mapping.yaml"), "utf8");
  const fromColumn = "import_supplier: { from: TYPE, lookup: { D: SPRING, B: WINTER } }";
  writeFileSync(work.file("mapping.yaml"), mapping.replace(/import_supplier: .*/, fromColumn));
  return work;
}

test("a push sends only the records of suppliers that are not Paused, and resume sends the other records", async () => {
  await admin.supplier("Paused", "WINTER");
  const { push, migrate } = twoSuppliers(90);
  const { code, stdout, stderr } = await push();
  expect(code).toBe(4);
  expect(stderr).toContain("WINTER accepts no");
  const counts = statusCounts(outcomeLines(stdout));
  expect(counts).toMatchObject({ accepted: 60, blocked: expect.any(Number), pending: expect.any(Number) });
  expect((await admin.accounts()).map(({ supplier }) => supplier)).toEqual(Array.from({ length: 60 }, () => "SPRING"));
  expect(await admin.imports()).toHaveLength(60 + (counts["blocked"] ?? 0));
  expect(counts["blocked"]).toBeLessThanOrEqual(16);

  await admin.supplier("Ongoing", "WINTER");
  const done = await migrate(["resume", "--format", "ndjson"]);
  expect(done.code).toBe(0);
  expect(statusCounts(outcomeLines(done.stdout))).toEqual({ accepted: 90 });
});

test("--wait-for-supplier probes a paused supplier, and the push completes once the supplier is Ongoing", async () => {
  const { startPush } = workplace({ accounts: references(100).map((REF) => ({ REF })) }, sandbox);
  await admin.faults({ pauseAt: 30, latencyMs: 5 });
  const pushing = startPush(["--wait-for-supplier", "--concurrency", "4", "--verbose"]);
  await pushing.waitForOutput(/SPRING accepts no records for now .*checking again in/);
  const before = (await admin.imports()).length;
  await pushing.waitForOutput(/checking again in 4 s/);
  expect((await admin.imports()).length).toBeLessThanOrEqual(before + 1 + 4);
  await admin.supplier("Ongoing", "SPRING");
  const { code, stdout, stderr } = await pushing.ended;
  expect(code).toBe(0);
  expect(stderr).toContain("SPRING accepts records again");
  expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 100 });
  expect(await admin.accounts()).toHaveLength(100);
});

test("--wait-for-supplier with a duration stops waiting after this time, and resume completes the push", async () => {
  const { push, start } = workplace({ accounts: references(20).map((REF) => ({ REF })) }, sandbox);
  await admin.supplier("Complete");
  const { code, stdout, stderr } = await push(["--wait-for-supplier", "1s"]);
  expect(code).toBe(4);
  expect(stderr).toMatch(/Next +migrate resume/);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 20 });

  await admin.supplier("Ongoing");
  const { code: resumed, stdout: lines } = await start(["resume", "--format", "ndjson"]).ended;
  expect(resumed).toBe(0);
  expect(statusCounts(outcomeLines(lines))).toEqual({ accepted: 20 });
});

test("a push killed while it waits leaves no ambiguous records, and resume completes the push", async () => {
  const { startPush, migrate } = workplace({ accounts: references(40).map((REF) => ({ REF })) }, sandbox);
  await admin.faults({ pauseAt: 10 });
  const pushing = startPush(["--wait-for-supplier", "--concurrency", "1", "--verbose"]);
  await pushing.waitForOutput(/checking again in 4 s/);
  pushing.kill("SIGKILL");
  await pushing.ended;
  await admin.supplier("Ongoing");
  const { code, stdout } = await migrate(["resume", "--format", "ndjson"]);
  expect(code).toBe(0);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 40 });
  expect(await admin.accounts()).toHaveLength(40);
});

test.each([["soon"], ["1.5h"], ["-1s"]])("--wait-for-supplier=%s is refused", async (text) => {
  const { push } = workplace({ accounts: [{ REF: "EXT-1" }] }, sandbox);
  const { code, stderr } = await push([`--wait-for-supplier=${text}`]);
  expect(code).toBe(2);
  expect(stderr).toContain("30m");
});
