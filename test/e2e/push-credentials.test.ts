import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  askJson,
  goodAccounts,
  outcomeLines,
  statusCounts,
  useSandbox,
  type Workplace,
  workplace,
} from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

/** The format of the sandbox's tokens. */
const WEB_TOKEN = /eyJ[\w-]{10,}\.eyJ/;
const WRONG_KEY = "sk_canary_9f3kQ27ZxPwrong";

describe("an API key", () => {
  test("is exchanged for one token for the whole push", async () => {
    const { push } = workplace({ accounts: goodAccounts(40) }, sandbox);
    const { code } = await push(["--concurrency", "8"]);
    expect(code).toBe(0);
    expect(await admin.tokenRequests()).toHaveLength(1);
  });

  test("that is invalid ends the push after one request, before any record is sent", async () => {
    const { push, migrate } = workplace({ accounts: goodAccounts(40) }, sandbox);
    const wrong = { env: { MIGRATE_API_KEY: WRONG_KEY } };
    const { code, stdout, stderr } = await push(["--concurrency", "16"], wrong);
    expect(code).toBe(4);
    expect(stderr).toContain("MIGRATE_API_KEY");
    expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 40 });
    expect((await admin.history()).map((seen) => seen.path)).toEqual(["/v1/graphql/"]);

    const { code: resumed } = await migrate(["resume"]);
    expect(resumed).toBe(0);
    expect(await admin.accounts()).toHaveLength(40);
  });

  test.each([
    ["right", undefined],
    ["wrong", WRONG_KEY],
  ])("that is %s appears nowhere in the output and files of the push", async (_, key = sandbox.ready.apiKey) => {
    const work = workplace({ accounts: [...goodAccounts(3), { REF: "BAD", POSTCODE: "DE1 2CU" }] }, sandbox);
    const env = { MIGRATE_API_KEY: key };
    const { stdout, stderr } = await work.push(["--verbose", "--log-format", "json", "--out", "report"], { env });
    const explained = await work.migrate(["explain", "BAD", "--format", "json", "--show-values"], { env });
    const result = [stdout, stderr, explained.stdout, explained.stderr, ...filesBelow(work.folder)];
    expect(result.some((text) => text.includes("BAD"))).toBe(true);
    for (const form of [key, Buffer.from(key).toString("base64").slice(0, -3), Buffer.from(key).toString("hex")]) {
      expect(result.filter((text) => text.includes(form))).toEqual([]);
    }
    expect(result.filter((text) => WEB_TOKEN.test(text))).toEqual([]);
  });

  test("can be in a file that the target names, if only the file's owner can access the file", async () => {
    const work = workplace({ accounts: goodAccounts(2) }, sandbox);
    const env = { MIGRATE_API_KEY: undefined, MIGRATE_BASE_URL: undefined };
    writeConfig(work, "auth: { apiKeyFile: secrets-key }");

    const open = await work.push(["--target", "here"], { env });
    expect(open.code).toBe(2);
    expect(open.stderr).toMatch(/other users can access .*secrets-key/);
    expect(open.stderr).toContain("chmod 600");
    expect(await admin.history()).toEqual([]);

    chmodSync(work.file("secrets-key"), 0o600);
    expect((await work.push(["--target", "here"], { env })).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(2);
  });
});

describe("a token", () => {
  test("from MIGRATE_TOKEN is used unchanged", async () => {
    const { push } = workplace({ accounts: goodAccounts(5) }, sandbox);
    const token = await obtainToken();
    const { code } = await push([], { env: { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: token } });
    expect(code).toBe(0);
    expect(await admin.tokenRequests()).toHaveLength(1);
    expect(await admin.accounts()).toHaveLength(5);
  });

  test("from MIGRATE_TOKEN ends the push if it is invalid", async () => {
    const { push } = workplace({ accounts: goodAccounts(30) }, sandbox);
    const env = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "tok_canary_worthless" };
    const { code, stdout, stderr } = await push(["--concurrency", "4"], { env });
    expect(code).toBe(4);
    expect(stdout + stderr).not.toContain("tok_canary_worthless");
    expect(stderr).toContain("MIGRATE_TOKEN");
    expect((await admin.imports()).length).toBeLessThanOrEqual(4);
    expect(statusCounts(outcomeLines(stdout))).not.toHaveProperty("accepted");
  });

  test("that expires while 16 requests are in flight is renewed once, and no record is lost", async () => {
    const { push } = workplace({ accounts: goodAccounts(300) }, sandbox);
    await admin.faults({ rotateTokensAt: 120, latencyMs: [2, 20] });
    const { code, stdout } = await push(["--concurrency", "16"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 300 });
    expect(await admin.tokenRequests()).toHaveLength(2);
    expect(await admin.accounts()).toHaveLength(300);
    expect((await admin.imports()).filter(({ status }) => status === 401).length).toBeGreaterThan(0);
  });
});

describe("without credentials,", () => {
  test("a push is refused before anything is sent, and the message names the missing settings", async () => {
    const { push } = workplace({ accounts: goodAccounts(2) }, sandbox);
    const { code, stderr } = await push([], { env: { MIGRATE_API_KEY: undefined } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/MIGRATE_API_KEY or MIGRATE_TOKEN/);
    expect(await admin.history()).toEqual([]);
  });

  test("a dry run succeeds", async () => {
    const { push } = workplace({ accounts: goodAccounts(2) }, sandbox);
    const { code, stdout } = await push(["--dry-run"], { env: { MIGRATE_API_KEY: undefined } });
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ valid: 2 });
  });
});

describe("a production target", () => {
  test("is refused without confirmation unless --yes is given", async () => {
    const work = workplace({ accounts: goodAccounts(2) }, sandbox);
    const env = { MIGRATE_BASE_URL: undefined };
    writeConfig(work, "environment: production");
    const { code, stderr } = await work.push(["--target", "here"], { env });
    expect(code).toBe(2);
    expect(stderr).toContain("--yes");
    expect(await admin.history()).toEqual([]);
    expect((await work.push(["--target", "here", "--yes"], { env })).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(2);
  });
});

/** Writes a target named `here`, and a world-readable `secrets-key` file. */
function writeConfig({ file }: Workplace, more: string): void {
  const { baseUrl, ca, apiKey } = sandbox.ready;
  writeFileSync(file("secrets-key"), `${apiKey}\n`);
  chmodSync(file("secrets-key"), 0o644);
  writeFileSync(file("migrate.yaml"), `targets:\n  here:\n    baseUrl: ${baseUrl}\n    ca: ${ca}\n    ${more}\n`);
}

async function obtainToken(): Promise<string> {
  const { graphqlUrl, ca, apiKey } = sandbox.ready;
  const query = "mutation ($key: String!) { ObtainServiceToken(input: { APIKey: $key }) { token } }";
  const reply = await askJson<{ data: { ObtainServiceToken: { token: string } } }>({
    method: "POST",
    url: new URL(graphqlUrl),
    ca: readFileSync(ca, "utf8"),
    body: { query, variables: { key: apiKey } },
  });
  return reply.data.ObtainServiceToken.token;
}

/** Returns the contents of every file, decoded as Latin-1. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "latin1"));
}
