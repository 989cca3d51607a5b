import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { neverAnswer, reply, startChaosServer } from "../chaos-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli, startCli } from "./cli.ts";

const QUIET_MS = 2_000;

/** One request per record. The platform replaces the earlier content of a key, and no rule has the `exists` outcome. */
const CONTRACT = `
openapi: 3.0.3
info: { title: Replacing, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: import-account
      x-migrate-key: number
      x-migrate-dedupe: business-key
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Account" } } } }
      responses: { "201": { description: made } }
components:
  schemas:
    Account: { type: object, required: [number, name], properties: { number: { type: string }, name: { type: string } } }
`;

test("a platform that processes an abandoned request late keeps the changed content that was pushed later", async () => {
  const stored = new Map<string, string>();
  const received: string[] = [];
  const processed: string[] = [];
  const server = await startChaosServer(({ body }) => {
    const { number, name }: { readonly number: string; readonly name: string } = JSON.parse(body);
    const process = (): void => {
      stored.set(number, name);
      processed.push(name);
    };
    received.push(name);
    if (name === "old") {
      setTimeout(process, QUIET_MS / 2);
      return neverAnswer;
    }
    process();
    return reply(201, {});
  });
  onTestFinished(server.close);
  const target = `{ baseUrl: "${server.baseUrl.href}", ca: ca.pem, timeouts: { quietSeconds: ${QUIET_MS / 1000} } }`;
  const cwd = temporaryFolder({
    "ca.pem": server.ca,
    "contract.yaml": CONTRACT,
    "mapping.yaml": "operation: import-account\npayload: { number: REF, name: NAME }\n",
    "migrate.yaml": `contract: contract.yaml\nmapping: mapping.yaml\ntarget: here\ntargets:\n  here: ${target}\n`,
    "accounts.csv": "REF,NAME\nK1,old\n",
  });
  const options = { cwd, env: { MIGRATE_TOKEN: "token" } };
  const killed = startCli(["push", "accounts.csv"], options);
  await expect.poll(() => received).toEqual(["old"]);
  killed.kill("SIGKILL");
  await killed.ended;

  writeFileSync(path.join(cwd, "accounts.csv"), "REF,NAME\nK1,new\n");
  const { code, stderr } = await runCli(["push", "accounts.csv"], options);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("1  accepted") });
  await expect.poll(() => processed).toHaveLength(2);
  expect(stored.get("K1")).toBe("new");
});
