import { writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Action, reply, type SeenRequest, startChaosServer } from "../chaos-server.ts";
import type { CliEnd } from "./cli.ts";
import { goodAccounts, outcomeLines, statusCounts, workplace } from "./push-scene.ts";

const RECORDS = 12;

/** A push to a server that creates nothing, whatever it answers. The contract knows of a 201 with the account number. */
async function pushTo(act: (request: SeenRequest) => Action, overlay?: string): Promise<CliEnd> {
  const server = await startChaosServer(act);
  onTestFinished(server.close);
  const work = workplace({ accounts: goodAccounts(RECORDS) });
  writeFileSync(work.file("ca.pem"), server.ca);
  writeFileSync(work.file("overlay.yaml"), overlay ?? "");
  const flags = ["--ca", "ca.pem", "--base-url", server.baseUrl.href, "--supplier", "SANDBOX", "--concurrency", "1"];
  return work.push(
    [...flags, "--contract", "no-dedupe.yaml", ...(overlay === undefined ? [] : ["--contract", "overlay.yaml"])],
    {
      env: { MIGRATE_API_KEY: undefined, MIGRATE_TOKEN: "some-token" },
    },
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
  ["a 201 that holds an error", () => reply(201, { error: "the database is read-only" })],
  ["a 200 with an empty object", () => reply(200, {})],
  ["a 200 with an empty list", () => reply(200, [])],
  ["a 200 that tells of maintenance", () => reply(200, { status: "maintenance" })],
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
    "a 201 of plain text",
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
];

describe("a success that the contract does not bear out creates no accepted record:", () => {
  test.each(LIES)("%s", async (_, act) => {
    const { code, stdout, stderr } = await pushTo(act);
    const counts = statusCounts(outcomeLines(stdout));
    expect({ accepted: counts["accepted"], code, stderr }).toMatchObject({ accepted: undefined, code: 5 });
    expect(counts["ambiguous"]).toBeGreaterThan(0);
    expect((counts["ambiguous"] ?? 0) + (counts["pending"] ?? 0)).toBe(RECORDS);
    expect(stderr).toContain("HTTP 20");
  });

  test("several of them stop the push, so that the rest of the records is not sent into the void", async () => {
    const { stdout } = await pushTo(() => reply(200, {}));
    expect(statusCounts(outcomeLines(stdout))["pending"]).toBeGreaterThan(0);
  });

  test("one account number for several records is believed for the first of them alone", async () => {
    const { code, stdout } = await pushTo((request) =>
      reply(201, { external_account_number: keyOf(request), account_number: "A-00000001" }),
    );
    const counts = statusCounts(outcomeLines(stdout));
    expect(counts).toMatchObject({ accepted: 1 });
    expect(counts["ambiguous"]).toBeGreaterThan(0);
    expect(code).toBe(5);
  });
});

/** What the documents of some operators say of a success. */
const SILENT = `
overlay: 1.0.0
info: { title: A contract that says nothing of replies, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post.responses['201'].content
    remove: true
`;

describe("a contract that does not say how to know that a record was accepted", () => {
  test("has every documented success believed, with one warning a run", async () => {
    const { code, stdout, stderr } = await pushTo(() => reply(201, {}), SILENT);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: RECORDS });
    expect(stderr.match(/does not say how to know/g)).toHaveLength(1);
  });

  test("does not have a success believed that holds an error", async () => {
    const { code, stdout } = await pushTo(() => reply(201, { error: "the database is read-only" }), SILENT);
    expect(code).toBe(5);
    expect(statusCounts(outcomeLines(stdout))["accepted"]).toBeUndefined();
  });
});

test("a truthful reply is believed, with members that are not documented and its content type in other letters", async () => {
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
