import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { projectFile, runCli, type TestSandbox, startTestSandbox } from "../e2e/cli.ts";
import { type Admin, adminOf, outcomeLines, statusCounts } from "../e2e/push-scene.ts";
import { publishedContract } from "./corpora.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PUBLISHED = publishedContract();

const WORKFLOWS = [
  ["validate, stage, process", "V1 Create Or Update Account Import Process", 3],
  ["schedule, poll", "V2 Schedule Account Creation", expect.any(Number)],
] as const;

describe.skipIf(!existsSync(PUBLISHED)).each([
  ["gb", PUBLISHED],
  ["au", PUBLISHED],
])("flat files with the published %s document (expected in %s)", (name) => {
  const document = publishedContract(`${name}-data-import.openapi.yml`);
  const contract = ["--contract", document, "--contract", `overlay:${name}`];
  let sandbox: TestSandbox;
  let admin: Admin;
  beforeAll(async () => {
    sandbox = await startTestSandbox({ flags: contract });
    admin = adminOf(sandbox);
  });
  afterAll(() => sandbox.stop());
  beforeEach(() => admin.reset());

  test.each(WORKFLOWS)("create every account by %s", async (_, operation, attempts) => {
    const cwd = temporaryFolder();
    cpSync(projectFile("fixtures/operators", name), cwd, { recursive: true });
    const words = ["push", ...contract, "--mapping", "mapping.yaml", "--operation", operation, "--format", "ndjson"];
    const { code, stdout, stderr } = await runCli(words, { cwd, env: sandbox.env, timeoutMs: 50_000 });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const lines = outcomeLines(stdout);
    expect(statusCounts(lines)).toEqual({ accepted: lines.length });
    const held = new Map((await admin.accounts()).map(({ key, number }) => [key, number]));
    expect(new Map(lines.map(({ key, account }) => [key, account]))).toEqual(held);
    expect(lines).toMatchObject(lines.map(() => ({ attempts })));
  });

  test("locally valid records with unstructured addresses are accepted", async () => {
    const cwd = temporaryFolder();
    cpSync(projectFile("fixtures/operators", name), cwd, { recursive: true });
    const mapping = readFileSync(path.join(cwd, "mapping.yaml"), "utf8");
    const inLines = "  billing_address1: STREET_LINE\n  billing_postcode: POSTCODE\n";
    writeFileSync(path.join(cwd, "mapping.yaml"), mapping.replace(/^ {2}billing_address:\n(?: {4}.*\n)+/m, inLines));
    const words = [...contract, "--mapping", "mapping.yaml", "--format", "ndjson"];
    const options = { cwd, env: sandbox.env, timeoutMs: 50_000 };
    const validated = outcomeLines((await runCli(["validate", ...words], options)).stdout);
    const pushed = outcomeLines((await runCli(["push", ...words], options)).stdout);
    expect(statusCounts(validated)).toEqual({ valid: validated.length });
    expect(statusCounts(pushed)).toEqual({ accepted: validated.length });
  });
});
