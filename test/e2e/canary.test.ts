import { writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Action, reply, startChaosServer } from "../chaos-server.ts";
import type { CliEnd } from "./cli.ts";
import { type AccountCells, goodAccounts, outcomeLines, statusCounts, workplace } from "./push-scene.ts";
import { useRejects } from "./rejects-scene.ts";

const { sandbox, admin } = useRejects();

const keysOnPlatform = async (): Promise<readonly string[]> =>
  (await admin.accounts()).map(({ key }) => key).toSorted();

/** EXT-21 is the only business account, so it is in every sample. The platform refuses its mobile number. */
const REFUSED_IN_EVERY_SAMPLE = {
  accounts: [...goodAccounts(20), { REF: "EXT-21", TYPE: "B" }],
  customers: [...goodAccounts(20).map(({ REF }) => ({ REF })), { REF: "EXT-21", MOBILE: "04000 000000" }],
};

describe("push --canary", () => {
  test("sends the sample first, and then the other records", async () => {
    const work = workplace({ accounts: goodAccounts(30) }, sandbox);
    const { code, stderr } = await work.push(["--canary", "4", "--concurrency", "8"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("Canary: the platform has accepted 4 records")]);
    expect(await admin.imports()).toHaveLength(30);
    expect(await keysOnPlatform()).toHaveLength(30);
  });

  test("sends nothing else if a record of the sample is refused, unless the run is resumed with --skip-canary", async () => {
    const work = workplace(REFUSED_IN_EVERY_SAMPLE, sandbox);
    const pushed = await work.push(["--canary", "3"]);
    expect([pushed.code, pushed.stderr]).toEqual([
      3,
      expect.stringMatching(/the canary failed, so no other records were sent: accounts\.csv:22 is rejected/),
    ]);
    expect(pushed.stderr).not.toContain("Next ");
    expect(statusCounts(outcomeLines(pushed.stdout))).toEqual({ accepted: 2, rejected: 1, pending: 18 });
    expect(await keysOnPlatform()).toHaveLength(2);

    const resumed = await work.migrate(["resume"]);
    expect([resumed.code, resumed.stderr]).toEqual([3, expect.stringContaining("the canary failed")]);
    expect(await keysOnPlatform()).toHaveLength(2);

    const all = await work.migrate(["resume", "--skip-canary"]);
    expect(all.code).toBe(1);
    expect(await keysOnPlatform()).toHaveLength(20);
  });

  test("sends the other records when the run is resumed after the refused record was excluded", async () => {
    const work = workplace(REFUSED_IN_EVERY_SAMPLE, sandbox);
    expect((await work.push(["--canary", "3"])).code).toBe(3);
    expect((await work.migrate(["exclude", "EXT-21", "--reason", "closed"])).code).toBe(0);
    const { code, stderr } = await work.migrate(["resume"]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("Canary: the platform has accepted 3 records")]);
    expect(await keysOnPlatform()).toHaveLength(20);
    expect(await keysOnPlatform()).not.toContain("EXT-21");
  });

  test("is not reported as failed if a refused sample contained all records to send", async () => {
    const accounts: readonly AccountCells[] = [{ REF: "EXT-1" }, { REF: "EXT-2" }];
    const customers = [{ REF: "EXT-1" }, { REF: "EXT-2", MOBILE: "04000 000000" }];
    const work = workplace({ accounts, customers }, sandbox);
    const { code, stderr } = await work.push(["--canary", "5"]);
    expect([code, stderr]).toEqual([1, expect.not.stringContaining("the canary failed")]);
    expect(stderr).toContain("Next ");
    expect(await keysOnPlatform()).toEqual(["EXT-1"]);
  });

  test("completes an interrupted sample when the run is resumed, and sends no record twice", async () => {
    const work = workplace({ accounts: goodAccounts(20) }, sandbox);
    await admin.faults({ pauseAt: 3 });
    const pushed = await work.push(["--canary", "5", "--concurrency", "1"]);
    expect(pushed.code).toBe(4);
    await admin.supplier("Ongoing");
    const resumed = await work.migrate(["resume"]);
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining("Canary: sending 3 records first")]);
    expect(resumed.stderr).toContain("Canary: the platform has accepted 5 records");
    expect(await keysOnPlatform()).toEqual(goodAccounts(20).map(({ REF }) => REF));
  });

  test("does not mention a sample if nothing is left to send", async () => {
    const work = workplace({ accounts: goodAccounts(2) }, sandbox);
    await work.push();
    const { code, stderr } = await work.push(["--canary", "2"]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("Canary")]);
  });

  test("is refused together with --dry-run or --workers", async () => {
    const work = workplace({ accounts: goodAccounts(1) }, sandbox);
    expect((await work.push(["--canary", "1", "--dry-run"])).code).toBe(2);
    const shared = await work.push(["--canary", "1", "--workers", "2", "--ledger", "postgres://x@127.0.0.1:1/x"]);
    expect([shared.code, shared.stderr]).toEqual([
      2,
      expect.stringContaining("--canary cannot be combined with --workers"),
    ]);
  });
});

/** An overlay that makes the read-back return the account's name, so that the name can be compared. */
const COMPARING = `
overlay: 1.0.0
info: { title: A platform that returns the name, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][0]
    update: { match: { name: billing_name } }
`;

/** Pushes to a server that creates every account and replies to queries with the result of `found`. */
async function pushTo(found: (key: string, queries: number) => Action): Promise<{ end: CliEnd; created: number }> {
  let created = 0;
  let queries = 0;
  const server = await startChaosServer(({ method, path, body }) => {
    if (path.endsWith("/SANDBOX/")) return reply(200, []);
    if (method === "GET") return found(/([^/]+)\/$/.exec(path)?.[1] ?? "", (queries += 1));
    const { external_account_number: key }: { readonly external_account_number: string } = JSON.parse(body);
    created += 1;
    return reply(201, { external_account_number: key, account_number: `A-${key}` });
  });
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(6) });
  writeFileSync(work.file("ca.pem"), server.ca);
  writeFileSync(work.file("overlay.yaml"), COMPARING);
  const env = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "some-token" };
  const platform = ["--ca", "ca.pem", "--base-url", server.baseUrl.href, "--supplier", "SANDBOX"];
  const end = await work.push([...platform, "--contract", "overlay.yaml", "--canary", "1"], { env });
  return { end, created };
}
const account = (key: string, name: string): Action =>
  reply(200, { external_account_number: key, account_number: `A-${key}`, name });

describe("push --canary reads the sample back", () => {
  test("and continues if the platform has the records, even if they appear later", async () => {
    const { end, created } = await pushTo((key, queries) =>
      queries === 1 ? reply(404, { detail: "not found", code: "not_found" }) : account(key, "Amina Hughes"),
    );
    expect([end.code, created]).toEqual([0, 6]);
  });

  test.each([
    [
      "has different values",
      (key: string) => account(key, "Somebody"),
      /accounts\.csv:2 has different values .* for billing_name/,
    ],
    [
      "does not have the record",
      () => reply(404, { detail: "not found", code: "not_found" }),
      /accounts\.csv:2 is not on the platform/,
    ],
  ])("and sends nothing else if the platform %s", async (_, found, message) => {
    const { end, created } = await pushTo(found);
    expect([end.code, end.stderr, created]).toEqual([3, expect.stringMatching(message), 1]);
    expect(end.stderr).not.toContain("Somebody");
  });

  test("and continues with a notice if the platform cannot be queried", async () => {
    const { end, created } = await pushTo(() => reply(403, { detail: "no", code: "permission_denied" }));
    expect([end.code, end.stderr, created]).toEqual([0, expect.stringMatching(/could not be (compared|read back)/), 6]);
  });
});
