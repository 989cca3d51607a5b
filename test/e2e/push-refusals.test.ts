import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { reply, startChaosServer } from "../chaos-server.ts";
import type { CliOptions } from "./cli.ts";
import { goodAccounts, outcomeLines, statusCounts, workplace, useSandbox } from "./push-scene.ts";

const { sandbox, admin } = useSandbox();

const TOKEN: CliOptions["env"] = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "some-token" };

describe("a certificate that is not trusted:", () => {
  test.each([
    ["an unknown authority", undefined],
    ["an authority other than the given one", "other.pem"],
  ])("%s ends the push immediately, with a hint", async (_, file) => {
    const stranger = await startChaosServer(() => reply(500, ""));
    onTestFinished(stranger.close);
    const work = workplace({ accounts: goodAccounts(20) }, sandbox);
    writeFileSync(work.file("other.pem"), stranger.ca);
    const { code, stdout, stderr } = await work.push([], { env: { MIGRATE_CA: file } });
    expect(code).toBe(4);
    expect(stderr).toContain("--ca");
    expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 20 });
    expect(await admin.history()).toEqual([]);
  });
});

describe("an invalid base URL:", () => {
  test.each([
    ["http://api.example.com/v1/", /https/],
    ["http://127.0.0.1:9/v1/", /https/],
    ["https://127.0.0.1:9/", /\/v1\//],
    ["https://127.0.0.1:9/v1/data-import/accounts/", /\/v1\//],
    ["https://user:secret-word@127.0.0.1:9/v1/", /credentials/],
    ["127.0.0.1", /not a valid URL/],
  ])("%s is refused before anything is sent", async (baseUrl, said) => {
    const { push } = workplace({ accounts: goodAccounts(1) }, sandbox);
    const { code, stdout, stderr } = await push(["--base-url", baseUrl]);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
    expect(stdout + stderr).not.toContain("secret-word");
  });

  test("a push without a base URL is refused", async () => {
    const { push } = workplace({ accounts: goodAccounts(1) }, sandbox);
    const { code, stderr } = await push([], { env: { MIGRATE_BASE_URL: undefined } });
    expect(code).toBe(2);
    expect(stderr).toContain("--base-url");
  });
});

/** Pushes to a platform that replies with redirects to another server. Returns the end of the push and the requests. */
const pushToRedirects = async (status: number) => {
  const target = await startChaosServer(() => reply(201, "{}"));
  onTestFinished(target.close);
  const server = await startChaosServer(() => reply(status, "", { location: `${target.baseUrl.href}?token=abc` }));
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(30) });
  writeFileSync(work.file("ca.pem"), server.ca);
  const flags = ["--supplier", "SANDBOX", "--base-url", server.baseUrl.href, "--ca", "ca.pem"];
  const end = await work.push(flags, { env: TOKEN });
  expect(end.stderr).not.toContain("abc");
  expect(target.connections()).toBe(0);
  return { ...end, counts: statusCounts(outcomeLines(end.stdout)), requests: server.requests.length, target };
};

test.each([301, 302, 307, 308])("a redirect (%i) is refused, and nothing is sent to its target", async (status) => {
  const { code, stderr, counts, requests, target } = await pushToRedirects(status);
  expect(code).toBe(4);
  expect(stderr).toContain(`redirects to ${target.baseUrl.href}`);
  expect(requests).toBeLessThanOrEqual(4);
  expect(counts).not.toHaveProperty("accepted");
});

test("a push ends after a few 303 replies, which are not followed, and their records are ambiguous", async () => {
  const { code, stderr, counts, requests } = await pushToRedirects(303);
  expect(code).toBe(5);
  expect(stderr).toContain("HTTP 303");
  expect(requests).toBeLessThan(15);
  expect(Object.keys(counts).toSorted()).toEqual(["ambiguous", "pending"]);
});

test("a push ends after a few requests if every request to the base URL returns 404", async () => {
  const { push } = workplace({ accounts: goodAccounts(50) }, sandbox);
  const { code, stderr } = await push(["--base-url", sandbox.ready.baseUrl.replace("/v1/", "/elsewhere/v1/")], {
    env: TOKEN,
  });
  expect(code).toBe(4);
  expect(stderr).toMatch(/\(HTTP 404\)/);
  expect(stderr).toContain("check the base URL");
  expect((await admin.history()).length).toBeLessThanOrEqual(4);
});

test("a push stops after a few replies that are web pages, and the records sent so far are ambiguous", async () => {
  const page = "<html>Please log in</html>";
  const server = await startChaosServer(() => reply(200, page, { "content-type": "text/html" }));
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(30) });
  writeFileSync(work.file("ca.pem"), server.ca);
  const { code, stderr, stdout } = await work.push(
    ["--supplier", "SANDBOX", "--base-url", server.baseUrl.href, "--ca", "ca.pem", "--contract", "no-dedupe.yaml"],
    { env: TOKEN },
  );
  expect(code).toBe(5);
  expect(stderr).toMatch(/do not look like replies from the API/);
  expect(server.requests.length).toBeLessThanOrEqual(8);
  expect(statusCounts(outcomeLines(stdout))["ambiguous"]).toBe(server.requests.length);
});

test("a push keeps trying a port on which no server listens until the user stops it, because nothing was sent", async () => {
  const work = workplace({ accounts: goodAccounts(10) }, sandbox);
  const pushing = work.startPush(["--base-url", `https://127.0.0.1:${await freePort()}/v1/`], { env: TOKEN });
  await pushing.waitForOutput(/cannot reach https:\/\/127\.0\.0\.1/);
  pushing.kill("SIGINT");
  const { code, stdout } = await pushing.ended;
  expect(code).toBe(3);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 10 });
});

test("an unknown host is reported immediately, and no command is suggested that would fail in the same way", async () => {
  const { push, migrate } = workplace({ accounts: goodAccounts(2) }, sandbox);
  const { code, stderr } = await push(["--base-url", "https://nowhere.invalid/v1/"], { env: TOKEN });
  expect(code).toBe(2);
  expect(stderr).toContain("host name");
  expect(stderr).toContain("2  pending");
  expect(stderr).not.toContain("Next");
  expect((await migrate(["doctor", "--offline"])).stdout).toContain("correct the cause, then push again");
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return isAddressInfo(address) ? address.port : 0;
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}

test.each([
  [["--proxy", "foo"], "the proxy's URL is not valid"],
  [["--ca", "bad.pem"], "bad.pem"],
  [["--ca", "none.pem", "--base-url", "https://platform.example/v1/"], "none.pem: no such file"],
])("a dry run with %j is refused, as the push itself is", async (flags, said) => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  writeFileSync(work.file("bad.pem"), "not a certificate");
  for (const dryRun of [[], ["--dry-run"]]) {
    const { code, stderr } = await work.push([...flags, ...dryRun]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  }
});

test("a push is refused if the configuration expects its supplier to be paused, but a dry run completes", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  const code = sandbox.ready.supplier;
  writeFileSync(work.file("migrate.yaml"), `suppliers: { "${code}": { expectedStatus: Paused } }`);
  const refused = await work.push();
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(`expects supplier ${code} to be Paused`);
  expect(await admin.history()).toEqual([]);
  expect(await work.push(["--dry-run"])).toMatchObject({ code: 0 });
});
