import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Action, closeSilently, rawThenEnd, reply, type SeenRequest, startChaosServer } from "../chaos-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import type { CliEnd } from "./cli.ts";
import { goodAccounts, outcomeLines, statusCounts, workplace } from "./push-scene.ts";

const RECORDS = 12;
const ENV = { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "some-token" };

interface PushScene {
  readonly push: () => Promise<CliEnd>;
  readonly resume: () => Promise<CliEnd>;
}

/**
 * Starts a server that replies with `act`. `overlays` are applied to the fixtures' contract, which documents a 201 with
 * the account number.
 */
async function pushScene(act: (request: SeenRequest) => Action, overlays: readonly string[]): Promise<PushScene> {
  const server = await startChaosServer(act);
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(RECORDS) });
  writeFileSync(work.file("ca.pem"), server.ca);
  const flags = ["--ca", "ca.pem", "--base-url", server.baseUrl.href, "--supplier", "SANDBOX", "--concurrency", "1"];
  const contracts = overlays.flatMap((overlay) => ["--contract", overlay]);
  return {
    push: () => work.push([...flags, ...contracts], { env: ENV }),
    resume: () => work.migrate(["resume", "--format", "ndjson"], { env: ENV }),
  };
}

/** Pushes to a server that sends the given reply and creates nothing. The contract has no deduplication. */
async function pushTo(act: (request: SeenRequest) => Action, overlay?: string): Promise<CliEnd> {
  const file = path.join(temporaryFolder(), "overlay.yaml");
  if (overlay !== undefined) writeFileSync(file, overlay);
  const { push } = await pushScene(act, ["no-dedupe.yaml", ...(overlay === undefined ? [] : [file])]);
  return push();
}

function cut(status: number, text: string): Action {
  return rawThenEnd(
    `HTTP/1.1 ${status} Status\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n${text}`,
  );
}

function keyOf({ body }: SeenRequest): string {
  const payload: { readonly external_account_number: string } = JSON.parse(body);
  return payload.external_account_number;
}

function numberOf({ number }: SeenRequest): string {
  return `A-${String(number).padStart(8, "0")}`;
}

const LIES: readonly (readonly [lie: string, act: (request: SeenRequest) => Action])[] = [
  ["a 201 that contains an error", () => reply(201, { error: "the database is read-only" })],
  ["a 200 with an empty object", () => reply(200, {})],
  ["a 200 with an empty list", () => reply(200, [])],
  ["a 200 that reports maintenance", () => reply(200, { status: "maintenance" })],
  ["a 200 with a detail", () => reply(200, { detail: "Not now." })],
  [
    "a 202 that the contract does not document",
    (request) => reply(202, { external_account_number: keyOf(request), account_number: numberOf(request) }),
  ],
  [
    "a 201 with the business key of another record",
    (request) => reply(201, { external_account_number: "EXT-99999", account_number: numberOf(request) }),
  ],
  [
    "a 201 with plain text",
    (request) =>
      reply(
        201,
        { external_account_number: keyOf(request), account_number: numberOf(request) },
        {
          "content-type": "text/plain",
        },
      ),
  ],
  ["a 201 with a web page", () => reply(201, "<html>Welcome</html>", { "content-type": "text/html" })],
  ["a 201 without the account number", (request) => reply(201, { external_account_number: keyOf(request) })],
  [
    "a 201 whose account number is blank",
    (request) => reply(201, { external_account_number: keyOf(request), account_number: "" }),
  ],
  ["an empty 201", () => reply(201, "")],
  ["a 201 that reports a failure", (request) => reply(201, { ...truthOf(request), success: false, status: "failed" })],
  [
    "a 201 with two account numbers",
    (request) => reply(201, { ...truthOf(request), kraken_account_number: "A-99999999" }),
  ],
  [
    "an 'already imported' reply with the account of another record",
    () =>
      reply(400, {
        code: "account_already_imported",
        errors: [],
        external_account_number: "EXT-99999",
        account_number: "A-99999999",
      }),
  ],
];

/** Returns the reply of a platform that has created the account. */
function truthOf(request: SeenRequest): { readonly external_account_number: string; readonly account_number: string } {
  return { external_account_number: keyOf(request), account_number: numberOf(request) };
}

/** Truncated replies, which even a correct server can send. */
const HALVES: readonly (readonly [half: string, act: (request: SeenRequest) => Action])[] = [
  ["a truncated 201", () => cut(201, '{"error":"maintenance"')],
  ["a 201 truncated after the account", (request) => cut(201, JSON.stringify(truthOf(request)))],
  ["a 201 truncated before its body", () => cut(201, "")],
  ["a truncated 400", () => cut(400, '{"code":"account_')],
];

describe("a success that does not match the contract creates no accepted record:", () => {
  test.each(LIES)("%s", async (_, act) => {
    const { code, stdout, stderr } = await pushTo(act);
    const counts = statusCounts(outcomeLines(stdout));
    expect({ accepted: counts["accepted"], code, stderr }).toMatchObject({ accepted: undefined, code: 5 });
    expect(counts["ambiguous"]).toBeGreaterThan(0);
    expect((counts["ambiguous"] ?? 0) + (counts["pending"] ?? 0)).toBe(RECORDS);
    expect(stderr).toMatch(/HTTP (?:20|400)/);
  });

  test.each(HALVES)("%s", async (_, act) => {
    const { code, stdout } = await pushTo(act);
    expect({ code, counts: statusCounts(outcomeLines(stdout)) }).toEqual({ code: 5, counts: { ambiguous: RECORDS } });
  });

  test("several such replies stop the push, so that the remaining records are not sent", async () => {
    const { stdout } = await pushTo(() => reply(200, {}));
    expect(statusCounts(outcomeLines(stdout))["pending"]).toBeGreaterThan(0);
  });

  test("an account number returned for several records confirms only the first of them", async () => {
    const { code, stdout } = await pushTo((request) =>
      reply(201, { external_account_number: keyOf(request), account_number: "A-00000001" }),
    );
    const counts = statusCounts(outcomeLines(stdout));
    expect(counts).toMatchObject({ accepted: 1 });
    expect(counts["ambiguous"]).toBeGreaterThan(0);
    expect(code).toBe(5);
  });
});

/** An overlay that removes the schema of successful replies. Some operators' documents lack this schema. */
const SILENT = `
overlay: 1.0.0
info: { title: A contract that says nothing about replies, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post.responses['201'].content
    remove: true
`;

describe("a contract without a rule for accepted records", () => {
  test("accepts every documented success, with one warning per run", async () => {
    const { code, stdout, stderr } = await pushTo(() => reply(201, {}), SILENT);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: RECORDS });
    expect(stderr.match(/no documented reply .* so every documented success reply counts as acceptance/g)).toHaveLength(
      1,
    );
  });

  test("does not accept a success that contains an error", async () => {
    const { code, stdout } = await pushTo(() => reply(201, { error: "the database is read-only" }), SILENT);
    expect(code).toBe(5);
    expect(statusCounts(outcomeLines(stdout))["accepted"]).toBeUndefined();
  });
});

test("a correct reply with undocumented fields and other letter case in its content type is accepted", async () => {
  const { code, stdout, stderr } = await pushTo((request) =>
    reply(
      201,
      { external_account_number: keyOf(request), account_number: numberOf(request), links: { self: "/accounts/1/" } },
      { "content-type": "Application/JSON; Charset=UTF-8" },
    ),
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: RECORDS });
});

/** An overlay that leaves the business key to the mapping. */
const KEYLESS = `
overlay: 1.0.0
info: { title: A contract without a business key, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-key']
    remove: true
`;

test("a reply that names another record is not accepted if only the mapping names the business key", async () => {
  const already = { code: "account_already_imported", errors: [], external_account_number: "EXT-99999" };
  const { code, stdout } = await pushTo(
    ({ number }) => reply(400, { ...already, account_number: `A-${number}` }),
    KEYLESS,
  );
  expect(code).toBe(5);
  expect(statusCounts(outcomeLines(stdout))["accepted"]).toBeUndefined();
});

test("a 408 from a proxy that had forwarded the request creates no account twice", async () => {
  const created: string[] = [];
  const { code, stdout } = await pushTo((request) => {
    created.push(keyOf(request));
    return reply(408, {});
  });
  expect({ code, counts: statusCounts(outcomeLines(stdout)) }).toEqual({ code: 5, counts: { ambiguous: RECORDS } });
  expect(created).toHaveLength(RECORDS);
  expect(new Set(created).size).toBe(RECORDS);
});

/**
 * Simulates a slow platform that detects repeats. The platform does not reply to the first request for a record. It
 * refuses repeats. Only after `finish` do its refusals contain the record's account number.
 */
function slowPlatform(): { readonly act: (request: SeenRequest) => Action; readonly finish: () => void } {
  const taken = new Map<string, string>();
  let isFinished = false;
  return {
    act: (request) => {
      const account = taken.get(keyOf(request));
      taken.set(keyOf(request), account ?? numberOf(request));
      if (account === undefined) return closeSilently;
      return isFinished
        ? reply(400, { code: "account_already_imported", errors: [], account_number: account })
        : reply(400, { detail: "The account is already being processed.", errors: [] });
    },
    finish: () => {
      isFinished = true;
    },
  };
}

test("a refusal of a repeat does not settle the first request, in this process or in a later process", async () => {
  const platform = slowPlatform();
  const { push, resume } = await pushScene(platform.act, []);
  for (const command of [push, resume]) {
    const { code, stdout, stderr } = await command();
    expect({ code, counts: statusCounts(outcomeLines(stdout)) }).toEqual({ code: 5, counts: { ambiguous: RECORDS } });
    expect(stderr).toMatch(/^Next +migrate reconcile /mu);
  }
  platform.finish();
  const { code, stdout } = await resume();
  expect({ code, counts: statusCounts(outcomeLines(stdout)) }).toEqual({ code: 0, counts: { accepted: RECORDS } });
});
