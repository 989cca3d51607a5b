import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { reply, startChaosServer } from "../chaos-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";
import { outcomeLines } from "./push-scene.ts";

const text = { type: "string" };

function postOf(operationId: string, key: string, properties: object): object {
  const schema = { type: "object", required: Object.keys(properties), properties };
  const content = { "application/json": { schema } };
  return { post: { operationId, "x-migrate-key": key, requestBody: { content }, responses: { "201": {} } } };
}

/** @param mandateKey the key of mandates in the contract */
function contractOf(mandateKey: string): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Accounts and mandates", version: "1" },
    paths: {
      "/accounts/": postOf("import-account", "account", { account: text }),
      "/mandates/": postOf("add-mandate", mandateKey, { account: text, reference: text }),
    },
  });
}

const body = z.object({ account: z.string(), reference: z.string().optional() });

test.each([
  [
    "`after` names their account by another attr than their key",
    "reference",
    "after: { operation: import-account, key: account }",
  ],
  ["the mapping replaces the key of the contract", "account", "key: reference"],
])("several records of one account are accepted if %s", async (_, mandateKey, setting) => {
  const server = await startChaosServer(({ body: sent }) => {
    const { account, reference } = body.parse(JSON.parse(sent));
    return reply(201, { account, reference, account_number: `A-${account}` });
  });
  onTestFinished(server.close);
  const cwd = temporaryFolder({
    "ca.pem": server.ca,
    "contract.json": contractOf(mandateKey),
    "accounts.yaml": "operation: import-account\npayload: { account: ACCOUNT }\n",
    "mandates.yaml": `operation: add-mandate\n${setting}\npayload: { account: ACCOUNT, reference: REF }\n`,
    "migrate.yaml": `contract: contract.json\ntarget: here\ntargets:\n  here: { baseUrl: "${server.baseUrl.href}", ca: ca.pem }\n`,
    "accounts.csv": "ACCOUNT\nG1\nG2\n",
    "mandates.csv": "ACCOUNT,REF\nG1,M1\nG1,M2\nG2,M3\n",
  });
  const push = async (name: string): Promise<readonly string[]> => {
    const words = ["push", `${name}.csv`, "--mapping", `${name}.yaml`, "--format", "ndjson"];
    const { stdout } = await runCli(words, { cwd, env: { MIGRATE_TOKEN: "token" } });
    return outcomeLines(stdout).map(({ status }) => status);
  };
  expect(await push("accounts")).toEqual(["accepted", "accepted"]);
  expect(await push("mandates")).toEqual(["accepted", "accepted", "accepted"]);
  writeFileSync(path.join(cwd, "mandates.csv"), "ACCOUNT,REF\nG1,M4\n");
  expect(await push("mandates")).toEqual(["accepted"]);
});

test("several records of one account are accepted if a path parameter is the number of the account", async () => {
  const server = await startChaosServer(({ path: sentTo }) => reply(201, { account_number: sentTo.split("/")[3] }));
  onTestFinished(server.close);
  const parameters = [{ name: "number", in: "path", required: true, schema: text }];
  const paths = {
    "/accounts/{number}/debts/": { parameters, ...postOf("add-debt", "reference", { reference: text }) },
  };
  const cwd = temporaryFolder({
    "ca.pem": server.ca,
    "contract.json": JSON.stringify({ openapi: "3.1.0", info: { title: "Debts", version: "1" }, paths }),
    "mapping.yaml": "operation: add-debt\nparameters: { number: NUMBER }\npayload: { reference: REF }\n",
    "migrate.yaml": `contract: contract.json\nmapping: mapping.yaml\ntarget: here\ntargets:\n  here: { baseUrl: "${server.baseUrl.href}", ca: ca.pem }\n`,
    "debts.csv": "NUMBER,REF\nA-1,D1\nA-1,D2\n",
  });
  const words = ["push", "debts.csv", "--format", "ndjson"];
  const { stdout } = await runCli(words, { cwd, env: { MIGRATE_TOKEN: "token" } });
  expect(outcomeLines(stdout).map(({ status, account }) => [status, account])).toEqual([
    ["accepted", "A-1"],
    ["accepted", "A-1"],
  ]);
});
