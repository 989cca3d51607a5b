import { describe, expect, test } from "vitest";
import { type CliEnd, runCli } from "./cli.ts";
import { useSandbox } from "./push-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const { sandbox, admin } = useSandbox();

function migrate(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<CliEnd> {
  return runCli(args, { cwd: temporaryFolder(), env: { ...sandbox.env, ...env } });
}

/** Returns a JSON Web Token with an invalid signature. */
function webToken(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.canary5Jq1`;
}

describe("migrate token", () => {
  test("shows a token's subject, scheme and expiry, but neither the token nor the key", async () => {
    const { code, stdout, stderr } = await migrate(["token", "--verbose"], { TZ: "Europe/Lisbon" });
    expect(code).toBe(0);
    expect(stdout).toContain(new URL(sandbox.ready.baseUrl).origin);
    expect(stdout).toMatch(/^subject +sandbox-organisation$/m);
    expect(stdout).toMatch(/^scheme +Authorization: Token <token>$/m);
    expect(stdout).toMatch(/^expires +\d{1,2} \w+ \d{4}, .* \(\d{4}-\d\d-\d\dT.*Z\)$/m);
    expect(stdout + stderr).not.toMatch(/eyJ/);
    expect(stdout + stderr).not.toContain(sandbox.ready.apiKey);
    expect((await admin.history()).map(({ login }) => login)).toEqual([{ with: "APIKey" }]);
  });

  test("shows the token with --show, and the platform accepts it", async () => {
    const { code, stdout } = await migrate(["token", "--show", "--format", "json", "--auth", "bearer"]);
    const shown = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(shown).toEqual({
      platform: new URL(sandbox.ready.baseUrl).origin,
      scheme: "Bearer",
      from: "login",
      claims: { sub: "sandbox-organisation", iss: "sandbox" },
      expiresAt: expect.stringMatching(/Z$/),
      ended: false,
      token: expect.stringMatching(/^eyJ/),
    });
    const env = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: shown.token };
    expect((await migrate(["account", sandbox.ready.account], env)).code).toBe(0);
    expect((await migrate(["token", "--show"], env)).stdout).toContain(shown.token);
    expect(await admin.tokenRequests()).toHaveLength(1);
  });

  test("shows no subject and no expiry for a given token that contains neither", async () => {
    const env = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "opaque_canary_8fP" };
    const { code, stdout } = await migrate(["token"], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^expires +unknown$/m);
    expect(stdout).not.toMatch(/^subject/m);
    expect(stdout).not.toContain("opaque_canary_8fP");
    expect(await admin.history()).toEqual([]);
  });

  test("exits with 4 for a given token that has expired", async () => {
    const token = webToken({ sub: "\u001b[31mred", exp: 1_600_000_000 });
    const env = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: token };
    const { code, stdout, stderr } = await migrate(["token"], env);
    expect(code).toBe(4);
    expect(stdout).toMatch(/^expires .*2020-09-13T12:26:40.000Z\), expired$/m);
    expect(stdout).toMatch(/^subject +\\u001b\[31mred$/m);
    expect(stdout + stderr).not.toContain("canary5Jq1");
    const { stdout: data } = await migrate(["token", "--format", "json"], env);
    expect(JSON.parse(data)).toMatchObject({ from: "given", ended: true, expiresAt: "2020-09-13T12:26:40.000Z" });
  });

  test("exits with 4 after one request if the key is refused", async () => {
    const env = { MIGRATE_API_KEY: "sk_canary_wrong_4t" };
    const { code, stdout, stderr } = await migrate(["token", "--show"], env);
    expect([code, stdout]).toEqual([4, ""]);
    expect(stderr).toContain("KT-CT-1139");
    expect(stderr).not.toContain("sk_canary_wrong_4t");
    expect(await admin.history()).toHaveLength(1);
  });

  test("exits with 4 if the platform refuses further logins", async () => {
    await admin.faults({ maxLogins: 1 });
    expect((await migrate(["token"])).code).toBe(0);
    const { code, stderr } = await migrate(["token"]);
    expect(code).toBe(4);
    expect(stderr).toMatch(/KT-CT-1199[\s\S]*wait a few minutes/);
  });

  test("exits with 3 if no server listens, and with 2 without credentials or a platform", async () => {
    const away = await migrate(["token"], { MIGRATE_BASE_URL: "https://127.0.0.1:9/v1/" });
    expect([away.code, away.stderr]).toEqual([3, expect.stringContaining("ECONNREFUSED")]);
    expect((await migrate(["token"], { MIGRATE_API_KEY: undefined })).code).toBe(2);
    expect((await migrate(["token"], { MIGRATE_BASE_URL: undefined })).code).toBe(2);
  });

  test("obtains no token for basic authentication, although `account` works with it", async () => {
    const { code, stdout } = await migrate(["token", "--auth", "basic"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^scheme +Authorization: Basic/m);
    const read = await migrate(["account", sandbox.ready.account, "--auth", "basic", "--format", "json"]);
    expect([read.code, await admin.tokenRequests()]).toEqual([0, []]);
    const wrong = await migrate(["account", sandbox.ready.account, "--auth", "basic"], { MIGRATE_API_KEY: "sk_no" });
    expect(wrong.code).toBe(4);
    expect(await admin.history()).toHaveLength(2);
  });

  test.each([
    ["--token=canary_argv"],
    ["--api-key=canary'argv"],
    ["--api-key", "canary_argv"],
    ["canary_argv"],
    ["--base-url", "https://user:canary_argv@127.0.0.1/v1/"],
  ])("accepts no credentials from the command line, and does not print them: %s %s", async (...args) => {
    const { code, stderr } = await migrate(["token", ...args]);
    expect(code).toBe(2);
    expect(stderr).not.toMatch(/canary.argv/);
    expect(await admin.history()).toEqual([]);
  });
});
