import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { reply, startChaosServer } from "../chaos-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";
import { CONTRACT, goodAccounts, latestRun, useSandbox, workplace } from "./push-scene.ts";

const NOTES_KEY = `
overlay: 1.0.0
info: { title: Notes, version: "1" }
actions:
  - target: $.paths['/data-import/notes/'].post
    update: { x-migrate-key: external_account_number }
`;

const { sandbox } = useSandbox();

test("explain does not take the account for an earlier version of its notes (both have the same key)", async () => {
  const work = workplace({ accounts: goodAccounts(1) }, sandbox);
  expect((await work.push()).code).toBe(0);
  const accounts = await latestRun(work);
  const [{ REF: key } = { REF: "" }] = goodAccounts(1);
  writeFileSync(work.file("notes.yaml"), NOTES_KEY);
  const record = { external_account_number: key, import_supplier: "SANDBOX", notes: [{ created_at: "yesterday" }] };
  writeFileSync(work.file("notes.ndjson"), `${JSON.stringify(record)}\n`);
  const notes = "push notes.ndjson --operation create-notes --contract".split(" ");
  expect((await work.migrate([...notes, CONTRACT, "--contract", "notes.yaml"])).code).toBe(1);

  const { stdout } = await work.migrate(["explain", key]);
  expect(stdout).toMatch(/^invalid, from notes.ndjson:1$/m);
  expect(stdout).not.toContain("On the platform since");
  expect(stdout).not.toContain("\nRequests\n");
  const other = `Another record has this key (import-account): migrate explain ${key} --run ${accounts}`;
  expect(stdout).toContain(other);
  renameSync(work.file(".migrate"), work.file("moved"));
  const moved = ["--ledger", "moved/ledger.db"];
  expect((await work.migrate(["explain", key, ...moved])).stdout).toContain([other, ...moved].join(" "));
  renameSync(work.file("moved"), work.file(".migrate"));
  const json: unknown = JSON.parse((await work.migrate(["explain", key, "--json"])).stdout);
  expect(json).toMatchObject({ attempts: [], sameKeyElsewhere: [{ run: accounts, operation: "import-account" }] });
  expect((await work.migrate(["explain", key, "--run", accounts])).stdout).toMatch(
    /^accepted, account [^]*\nRequests\n/m,
  );
});

const DEBTS_CONTRACT = `
openapi: 3.1.0
info: { title: Debts, version: "1" }
paths:
  /accounts/{number}/debts/:
    parameters: [{ name: number, in: path, required: true, schema: { type: string } }]
    post:
      operationId: add-debt
      x-migrate-key: reference
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { reference: { type: string }, note: { type: string } } }
      responses: { "201": {} }
`;

test("explain separates records that share a key but have different path parameters", async () => {
  const server = await startChaosServer(({ path: sentTo, body }) =>
    body.includes("bad") ? reply(422, { reference: ["bad"] }) : reply(201, { account_number: sentTo.split("/")[3] }),
  );
  onTestFinished(server.close);
  const cwd = temporaryFolder({
    "ca.pem": server.ca,
    "contract.yaml": DEBTS_CONTRACT,
    "mapping.yaml": "operation: add-debt\nparameters: { number: NUMBER }\npayload: { reference: REF, note: NOTE }\n",
    "migrate.yaml": `contract: contract.yaml\nmapping: mapping.yaml\ntarget: here\ntargets:\n  here: { baseUrl: "${server.baseUrl.href}", ca: ca.pem }\n`,
    "first.csv": "NUMBER,REF,NOTE\nA-1,D1,good\n",
    "second.csv": "NUMBER,REF,NOTE\nA-2,D1,bad\n",
  });
  const migrate = (...words: readonly string[]): ReturnType<typeof runCli> =>
    runCli(words, { cwd, env: { MIGRATE_TOKEN: "token" } });
  expect((await migrate("push", "first.csv")).code).toBe(0);
  const first = await latestRun({ migrate: (words) => migrate(...words) });
  expect((await migrate("push", "second.csv")).code).toBe(1);

  const second = (await migrate("explain", "D1")).stdout;
  expect(second).toMatch(/^rejected, from second.csv:2$/m);
  expect(second).not.toContain("On the platform since");
  expect(second).not.toMatch(/ accepted /);
  expect(second).toContain(`Another record has this key (add-debt): migrate explain D1 --run ${first}`);
  expect((await migrate("explain", "D1", "--run", first)).stdout).toMatch(/^accepted, account A-1, from first.csv:2$/m);

  writeFileSync(path.join(cwd, "second.csv"), "NUMBER,REF,NOTE\nA-2,D1,good\nA-3,D1,good\n");
  expect((await migrate("push", "second.csv")).code).toBe(1);
  const unsent = (await migrate("explain", "D1")).stdout;
  expect(unsent).toMatch(/^error +reference +duplicate_key: /m);
  expect(unsent).not.toContain("On the platform since");
});
