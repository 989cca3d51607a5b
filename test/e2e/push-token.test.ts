import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { goodAccounts, outcomeLines, statusCounts, useSandbox, type Workplace, workplace } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

const TARGET = ["--target", "here", "--concurrency", "16"];

/** Settings for authentication with the alternative name of the mutation, and with refresh tokens. */
const WITH_REFRESH = "{ mutation: obtainKrakenToken, outputFields: [token, payload, refreshToken, refreshExpiresIn] }";

function workWith(accounts: number, auth: string): Workplace {
  const work = workplace({ accounts: goodAccounts(accounts) }, sandbox);
  const { baseUrl, ca } = sandbox.ready;
  writeFileSync(
    work.file("migrate.yaml"),
    `targets:\n  here:\n    baseUrl: ${baseUrl}\n    ca: ${ca}\n    auth: ${auth}\n`,
  );
  return work;
}

async function logins(): Promise<readonly object[]> {
  return (await admin.history()).flatMap(({ login }) => (login === undefined ? [] : [login]));
}

async function refusedImports(): Promise<number> {
  return (await admin.imports()).filter(({ status }) => status === 401).length;
}

/** Waits until the platform has received the first token request. */
async function firstLogin(): Promise<void> {
  while ((await admin.tokenRequests()).length === 0) await delay(20);
}

describe("a token that expires while 16 requests are in flight", () => {
  test.each([
    ["the token contains its expiry, and the key renews it", "{ scheme: Token }", "APIKey"],
    ["the reply contains the expiry, and the refresh token renews it", WITH_REFRESH, "refreshToken"],
  ])("is renewed once before the platform refuses it: %s", async (_, auth, by) => {
    // The token is renewed after 8 s, and the push takes at least 10 s on any machine. The margin of 2 s is enough for
    // a busy machine.
    await admin.faults({ tokenLifetimeSeconds: 10 });
    const pushing = workWith(240, auth).push([...TARGET, "--rps", "24"]);
    await firstLogin();
    await admin.faults({});
    const { code, stdout } = await pushing;
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 240 });
    expect(code).toBe(0);
    expect(await logins()).toEqual([{ with: "APIKey" }, { with: by }]);
    expect(await refusedImports()).toBe(0);
  });

  test("is renewed once with the key if the token's expiry is unknown and the refresh token has also expired", async () => {
    await admin.faults({ rotateTokensAt: 120, latencyMs: [2, 20] });
    const { code, stdout } = await workWith(300, WITH_REFRESH).push(TARGET);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 300 });
    expect(code).toBe(0);
    expect(await logins()).toEqual([
      { with: "APIKey" },
      { with: "refreshToken", refusal: "KT-CT-1135" },
      { with: "APIKey" },
    ]);
    expect(await refusedImports()).toBeGreaterThan(0);
    expect(await admin.accounts()).toHaveLength(300);
  });

  test("ends the push after one refused login if the platform accepts no second login", async () => {
    await admin.faults({ rotateTokensAt: 60, maxLogins: 1, latencyMs: [2, 20] });
    const work = workWith(200, "{ scheme: Token }");
    const { code, stdout, stderr } = await work.push(TARGET);
    expect(code).toBe(4);
    expect(stderr).toMatch(/no more logins at the moment \(HTTP 200, KT-CT-1199\)/);
    expect(await logins()).toEqual([{ with: "APIKey" }, { with: "APIKey", refusal: "KT-CT-1199" }]);
    const { accepted = 0, pending = 0, blocked = 0, ...others } = statusCounts(outcomeLines(stdout));
    expect([accepted + pending + blocked, others]).toEqual([200, {}]);

    await admin.faults({});
    expect((await work.migrate(["resume"])).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(200);
  });
});

describe("the scheme of the Authorization header", () => {
  test.each(["token", "JWT", "bearer", "none"])("can be %s", async (form) => {
    const { push } = workplace({ accounts: goodAccounts(2) }, sandbox);
    expect((await push(["--auth", form])).code).toBe(0);
    expect(await admin.accounts()).toHaveLength(2);
  });

  test("ends the push without a login if it is basic and the platform requires a token", async () => {
    const { push } = workplace({ accounts: goodAccounts(20) }, sandbox);
    const { code, stdout, stderr } = await push(["--auth", "basic", "--concurrency", "4"]);
    expect(code).toBe(4);
    expect(stderr).toContain("--auth");
    expect(stdout + stderr).not.toContain(Buffer.from(`${sandbox.ready.apiKey}:`).toString("base64"));
    expect(await admin.tokenRequests()).toEqual([]);
    expect((await admin.imports()).length).toBeLessThanOrEqual(4);
  });

  test("is recorded with the run", async () => {
    const { push, migrate } = workplace({ accounts: goodAccounts(2) }, sandbox);
    expect((await push(["--auth", "basic"])).code).toBe(4);
    // The platform refuses only this scheme. With any other scheme, resume would send the records.
    const { code, stderr } = await migrate(["resume"]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("--auth")]);
    expect(await admin.tokenRequests()).toEqual([]);
    expect(await admin.accounts()).toEqual([]);
  });
});
