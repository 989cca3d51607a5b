import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestSandbox } from "./cli.ts";
import { outcomeLines, statusCounts, workplace } from "./push-scene.ts";
import { startWorkflowSandbox, workflowPlace } from "./workflow-scene.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startWorkflowSandbox();
});
afterAll(() => sandbox.stop());

test("mappings whose `after` settings refer to each other are reported as a mapping error, not as a platform error", async () => {
  const { file, pushMapping } = workflowPlace(sandbox);
  const accounts = readFileSync(file("accounts-v1.mapping.yaml"), "utf8");
  writeFileSync(file("accounts-v1.mapping.yaml"), `after: create-notes\n${accounts}`);
  const first = await pushMapping("accounts-v1.mapping.yaml", ["--out", "report"]);
  expect(first.code).toBe(3);
  expect(statusCounts(outcomeLines(first.stdout))).toEqual({ blocked: 3 });
  for (const text of [first.stderr, readFileSync(file("report", "report.html"), "utf8")]) {
    expect(text).toContain("waits for a record that has not been accepted");
    expect(text).not.toMatch(/stopped by the platform/i);
  }

  const second = await pushMapping("notes.mapping.yaml");
  expect(second.code).toBe(2);
  expect(second.stderr).toContain(
    "`after` of this mapping names stage-account, whose records wait for records of this",
  );
  expect(second.stderr).not.toMatch(/stopped by the platform/i);

  writeFileSync(file("accounts-v1.mapping.yaml"), accounts);
  expect((await pushMapping("accounts-v1.mapping.yaml")).code).toBe(0);
  expect((await pushMapping("notes.mapping.yaml")).code).toBe(0);
});

test("problems of a reference to another record point to the cell of the reference", async () => {
  const accounts = [
    { REF: "EXT-1", NAME: "EXT-9" },
    { REF: "EXT-2", NAME: "EXT-2" },
  ];
  const { file, push } = workplace({ accounts }, sandbox);
  const mapping = readFileSync(file("mapping.yaml"), "utf8");
  writeFileSync(file("mapping.yaml"), `after: { operation: import-account, key: billing_name }\n${mapping}`);
  const { stdout } = await push();
  const reference = { attr: "billing_name", source: { file: "accounts.csv", column: "NAME", columnNumber: 3 } };
  expect(outcomeLines(stdout).map(({ errors }) => errors)).toMatchObject([
    [{ code: "account_not_found", ...reference }],
    [{ code: "circular_dependency", ...reference }],
  ]);
});
