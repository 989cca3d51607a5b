import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCli, startCli, startSandboxProcess, startTestSandbox, type TestSandbox } from "./cli.ts";
import { adminOf, askJson, goodAccounts, outcomeLines, statusCounts, workplace } from "./push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Starts a sandbox that is stopped when the test ends. */
async function startedSandbox(options: Parameters<typeof startTestSandbox>[0] = {}): Promise<TestSandbox> {
  const sandbox = await startTestSandbox(options);
  onTestFinished(async () => {
    await sandbox.stop();
  });
  return sandbox;
}

describe("the ready file of the sandbox", () => {
  test("contains the sandbox's address and all settings of a client", async () => {
    const { ready } = await startedSandbox();
    expect(Object.keys(ready)).toEqual([
      "baseUrl",
      "graphqlUrl",
      "adminUrl",
      "ca",
      "apiKey",
      "supplier",
      "products",
      "tariff",
      "account",
      "adminToken",
    ]);
    expect(ready.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v1\/$/);
    expect(ready.graphqlUrl).toBe(`${ready.baseUrl}graphql/`);
    expect(readFileSync(ready.ca, "utf8")).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(ready.products).toContain(ready.tariff.product);
    expect(ready.tariff.tariff).toContain(ready.tariff.product);
    const ca = readFileSync(ready.ca, "utf8");
    const products = await askJson<{ count: number }>({ method: "GET", url: new URL("products/", ready.baseUrl), ca });
    expect(products.count).toBeGreaterThan(100);
  });

  test("is private, and contains the key from MIGRATE_API_KEY if that variable is set", async () => {
    const folder = temporaryFolder();
    const running = startCli(["sandbox", "--ready-file", "ready.json"], {
      cwd: folder,
      env: { MIGRATE_API_KEY: "sk_of_my_own" },
    });
    await running.waitForOutput(/is listening at/);
    const file = path.join(folder, "ready.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ apiKey: "sk_of_my_own" });
    running.kill("SIGTERM");
    expect((await running.ended).code).toBe(0);
  });
});

test("the sandbox writes only its address to stdout with --quiet and without a ready file", async () => {
  const running = startCli(["sandbox", "--quiet"], { cwd: temporaryFolder() });
  await running.waitForOutput(/\n/);
  running.kill("SIGTERM");
  const { code, stdout, stderr } = await running.ended;
  expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/v1\/\n$/), ""]);
});

test("the sandbox stops on SIGTERM with exit code 0, even while a request is open", async () => {
  const sandbox = await startSandboxProcess({ flags: ["--hang-before", "every:1"] });
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  const pushing = work.startPush();
  const admin = adminOf(sandbox);
  while ((await admin.imports()).length === 0) await admin.history();
  expect((await sandbox.stop()).code).toBe(0);
  pushing.kill("SIGKILL");
  await pushing.ended;
});

test("the sandbox keeps accounts across restarts only with --data", async () => {
  const folder = temporaryFolder();
  const flags = ["--data", path.join(folder, "state.json")];
  const first = await startTestSandbox({ cwd: folder, flags });
  const work = workplace({ accounts: goodAccounts(5) }, first);
  expect((await work.push()).code).toBe(0);
  const before = await adminOf(first).accounts();
  await first.stop();

  const second = await startedSandbox({ cwd: folder, flags });
  expect(await adminOf(second).accounts()).toEqual(before);
  const again = workplace({ accounts: goodAccounts(6) }, second);
  const { code, stdout } = await again.push();
  expect(code).toBe(1);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ existing: 5, accepted: 1 });
  expect(await adminOf(second).accounts()).toHaveLength(6);

  const other = await startedSandbox({ cwd: folder });
  expect(await adminOf(other).accounts()).toEqual([]);
});

test("the sandbox reuses its certificates in the same folder", async () => {
  const folder = temporaryFolder();
  const first = await startTestSandbox({ cwd: folder });
  const ca = readFileSync(first.ready.ca, "utf8");
  await first.stop();
  const second = await startedSandbox({ cwd: folder });
  expect(readFileSync(second.ready.ca, "utf8")).toBe(ca);
});

test("the sandbox serves the contract that --contract names", async () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "contract.yaml"), OWN_CONTRACT);
  writeFileSync(path.join(folder, "people.ndjson"), '{"ref":"P1","age":41}\n{"ref":"P2","age":"old"}\n');
  const sandbox = await startedSandbox({ cwd: folder, flags: ["--contract", "contract.yaml"] });
  const { code, stdout } = await runCli(
    ["push", "people.ndjson", "--contract", "contract.yaml", "--format", "ndjson"],
    { cwd: folder, env: sandbox.env },
  );
  expect(code).toBe(1);
  expect(outcomeLines(stdout).map(({ status }) => status)).toEqual(["accepted", "invalid"]);
  const seen = (await adminOf(sandbox).history()).map((request) => request.path);
  expect(seen).toEqual(["/v1/graphql/", "/v1/people/accounts/"]);
});

const OWN_CONTRACT = `
openapi: 3.1.0
info: { title: People, version: "1" }
paths:
  /people/accounts/:
    post:
      operationId: add-person
      x-migrate-key: ref
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [ref, age]
              properties:
                ref: { type: string }
                age: { type: integer }
      responses: { "201": { description: made } }
`;

describe("the sandbox's fault flags:", () => {
  test.each([
    [["--throttle", "every:10", "--retry-after", "2"], { throttle: { every: 10 }, retryAfter: 2 }],
    [["--error-before", "5%", "--error-status", "503"], { errorBefore: { share: 0.05 }, errorStatus: 503 }],
    [["--latency", "20-80", "--seed", "7"], { latencyMs: [20, 80], seed: 7 }],
    [["--reset-after", "at:3,7", "--cut-after", "at:9"], { resetAfter: { at: [3, 7] }, cutAfter: { at: [9] } }],
    [["--pause-at", "12", "--rotate-tokens-at", "4"], { pauseAt: 12, rotateTokensAt: 4 }],
    [["--max-in-flight", "3", "--max-per-second", "9"], { maxInFlight: 3, maxPerSecond: 9 }],
    [["--token-lifetime", "60", "--forgetful"], { tokenLifetimeSeconds: 60, forgetful: true }],
    [["--hang-before", "at:1", "--hang-after", "at:2"], { hangBefore: { at: [1] }, hangAfter: { at: [2] } }],
    [["--error-after", "at:1", "--reset-before", "at:2"], { errorAfter: { at: [1] }, resetBefore: { at: [2] } }],
  ])("%j apply from the start", async (flags, faults) => {
    const sandbox = await startedSandbox({ flags });
    const { adminUrl, adminToken, ca } = sandbox.ready;
    const headers = { authorization: `Token ${adminToken}` };
    const asked = { method: "GET", url: new URL("faults", adminUrl), ca: readFileSync(ca, "utf8"), headers };
    expect(await askJson(asked)).toEqual(faults);
  });

  test.each([
    [["--throttle", "sometimes"], "every:10"],
    [["--latency", "fast"], "Expected a number of milliseconds"],
    [["--error-status", "418"], "500, 502, 503 or 504"],
    [["--port", "70000"], "0 to 65535"],
  ])("%j are refused, and the message states the expected value", async (flags, said) => {
    const { code, stderr } = await runCli(["sandbox", ...flags], { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});

test("the sandbox reports a port that is in use", async () => {
  const { ready } = await startedSandbox();
  const { code, stderr } = await runCli(["sandbox", "--port", new URL(ready.baseUrl).port], { cwd: temporaryFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain("--port");
});
