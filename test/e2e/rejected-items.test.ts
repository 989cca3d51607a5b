import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Action, closeSilently, reply, startChaosServer } from "../chaos-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";
import { type OutcomeLine, outcomeLines } from "./push-scene.ts";

function contract(extensions: string): string {
  return `
openapi: 3.0.3
info: { title: Accounts whose items can fail, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: import-account
      x-migrate-key: number
      ${extensions}
      x-migrate-read-back:
        - { operation: read-account, parameters: { number: number }, match: { name: name }, account: account_number }
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Account" } } } }
      responses: { "201": { description: made } }
  /data-import/accounts/{number}/:
    get:
      operationId: read-account
      parameters: [{ name: number, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: found } }
components:
  schemas:
    Account: { type: object, required: [number, name], properties: { number: { type: string }, name: { type: string } } }
`;
}

const ALREADY_IMPORTED = { status: 400, code: "already_imported", outcome: "exists", account: "account_number" };
const DEDUPES = `x-migrate-dedupe: business-key
      x-migrate-outcomes: [{ status: 201, outcome: accepted }, ${JSON.stringify(ALREADY_IMPORTED)}]`;

interface Scene {
  /** Pushes these sources with these flags, and returns the outcome of the account. */
  readonly push: (...args: readonly string[]) => Promise<OutcomeLine | undefined>;
  readonly cwd: string;
}

/**
 * A folder with one account, for a platform that answers POST requests with these actions, in order, and has the
 * account from the first of them.
 */
async function accountScene(extensions: string, posts: readonly Action[], stored: object): Promise<Scene> {
  const left = [...posts];
  const server = await startChaosServer(({ method }) =>
    method === "GET" ? reply(left.length < posts.length ? 200 : 404, stored) : (left.shift() ?? closeSilently),
  );
  onTestFinished(server.close);
  const cwd = temporaryFolder({
    "ca.pem": server.ca,
    "contract.yaml": contract(extensions),
    "mapping.yaml": "operation: import-account\npayload: { number: REF, name: NAME }\n",
    "migrate.yaml": `contract: contract.yaml\nmapping: mapping.yaml\ntarget: here\ntargets:\n  here: { baseUrl: "${server.baseUrl.href}", ca: ca.pem }\n`,
    "accounts.csv": "REF,NAME\nK1,old\n",
  });
  return {
    cwd,
    async push(...args) {
      const { stdout } = await runCli(["push", ...args, "--format", "ndjson"], {
        cwd,
        env: { MIGRATE_TOKEN: "token" },
      });
      return outcomeLines(stdout)[0];
    },
  };
}

const FAILED = { status: "REGISTRATION_FLOW_ERROR", detail: "no agreement" };
const CREATED = reply(201, { number: "K1", account_number: "A-1", registrations: [FAILED] });

test("an account with a rejected item is not created again if the platform does not deduplicate", async () => {
  const second = reply(201, { number: "K1", account_number: "A-2" });
  const { push, cwd } = await accountScene("", [CREATED, second], {});
  const first = await push("accounts.csv", "--out", "report");
  expect(first).toMatchObject({ status: "rejected", http: 201, account: "A-1" });
  const refused = { status: "invalid", errors: [{ code: "unique", detail: expect.stringContaining("--revise") }] };
  expect(await push("accounts.csv")).toMatchObject(refused);
  const rejects = path.join(cwd, "report", "rejects.csv");
  writeFileSync(rejects, readFileSync(rejects, "utf8").replace("old", "new"));
  expect(await push("--rejects", "report")).toMatchObject(refused);
  // The user decides to send the correction. A second account is detected.
  expect(await push("accounts.csv", "--revise")).toMatchObject({ status: "ambiguous", http: 201 });
});

test("a corrected account is compared with the platform if an unclear request follows a rejected item", async () => {
  const exists = reply(400, { code: "already_imported", detail: "exists", account_number: "A-1" });
  const stored = { number: "K1", name: "old", account_number: "A-1" };
  const { push, cwd } = await accountScene(DEDUPES, [CREATED, closeSilently, exists], stored);
  expect(await push("accounts.csv")).toMatchObject({ status: "rejected", http: 201, account: "A-1" });
  writeFileSync(path.join(cwd, "accounts.csv"), "REF,NAME\nK1,new\n");
  expect(await push("accounts.csv")).toMatchObject({
    status: "rejected",
    account: "A-1",
    errors: [{ attr: "name", code: "conflict" }],
  });
});

test("reconcile accepts only the account that was created with a rejected item", async () => {
  const stored = { number: "K1", name: "old", account_number: "A-2" };
  const { push, cwd } = await accountScene("", [CREATED, closeSilently], stored);
  expect(await push("accounts.csv")).toMatchObject({ status: "rejected", account: "A-1" });
  expect(await push("accounts.csv", "--revise")).toMatchObject({ status: "ambiguous" });
  const words = ["reconcile", "--quiet-period", "0s", "--format", "ndjson"];
  const { code, stdout, stderr } = await runCli(words, { cwd, env: { MIGRATE_TOKEN: "token" } });
  expect(stderr).toContain("the platform returns the account number A-2, but an earlier reply had A-1");
  expect(outcomeLines(stdout)).toMatchObject([{ status: "ambiguous" }]);
  expect(code).toBe(5);
});

test("a revision is not accepted if the platform had all its items already", async () => {
  const added = reply(201, { number: "K1", results: [{ status: "NOTE_CREATION_SUCCESS" }] });
  const unchanged = reply(201, { number: "K1", results: [{ status: "NOTE_ALREADY_EXISTS" }] });
  const { push, cwd } = await accountScene(DEDUPES, [added, unchanged, added], {});
  expect(await push("accounts.csv")).toMatchObject({ status: "accepted" });
  writeFileSync(path.join(cwd, "accounts.csv"), "REF,NAME\nK1,new\n");
  expect(await push("accounts.csv", "--revise")).toMatchObject({
    status: "rejected",
    errors: [{ attr: "non_field_errors", code: "revision_ignored" }],
  });
  writeFileSync(path.join(cwd, "accounts.csv"), "REF,NAME\nK1,old\n");
  expect(await push("accounts.csv")).toMatchObject({ status: "skipped" });
});
