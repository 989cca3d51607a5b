import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli, startTestSandbox, type TestSandbox } from "./cli.ts";

const REPLY =
  "{ type: object, required: [id, reference], properties: { id: { type: integer }, reference: { type: string } } }";

/** A workflow with names of its own. The process request and the read-back name the record by its key alone. */
const CONTRACT = `
openapi: 3.0.3
info: { title: steps, version: "1" }
paths:
  /imports/{region}/stage/:
    parameters: [{ name: region, in: path, required: true, schema: { type: string } }]
    post:
      operationId: stage
      x-migrate-key: reference
      x-migrate-supplier: cohort
      x-migrate-steps:
        - { operation: stage, kind: stage }
        - { operation: process, kind: process, body: { ref: reference } }
      x-migrate-read-back:
        - { operation: find, parameters: { region: area, reference: reference }, has: number, account: number, match: { name: name } }
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Member" } } } }
      responses: { "201": { description: staged, content: { application/json: { schema: ${REPLY} } } } }
  /imports/process/:
    post:
      operationId: process
      x-migrate-outcomes: [{ status: 201, outcome: accepted, account: number }]
      requestBody: { content: { application/json: { schema: { type: object, required: [ref], properties: { ref: { type: string } } } } } }
      responses:
        "201":
          description: done
          content:
            application/json:
              schema: { type: object, required: [number, ref], properties: { number: { type: string }, ref: { type: string } } }
  /members/{region}/{reference}/:
    get:
      operationId: find
      parameters:
        - { name: region, in: path, required: true, schema: { type: string } }
        - { name: reference, in: path, required: true, schema: { type: string } }
      responses:
        "200":
          description: a member
          content:
            application/json:
              schema:
                type: object
                required: [id, number, name]
                properties: { id: { type: integer }, number: { type: string }, name: { type: string } }
components:
  schemas:
    Member:
      type: object
      required: [reference, cohort, name, area]
      properties: { reference: { type: string }, cohort: { type: string }, name: { type: string }, area: { type: string } }
`;

const { folder, remove } = createTestFolder();
const contract = path.join(folder, "contract.yaml");
let sandbox: TestSandbox;

beforeAll(async () => {
  writeFileSync(contract, CONTRACT);
  sandbox = await startTestSandbox({ flags: ["--contract", contract, "--suppliers", "SPRING,WINTER=Paused"] });
});
afterAll(async () => {
  await sandbox.stop();
  remove();
});

function migrateIn(cwd: string): (...words: readonly string[]) => Promise<CliEnd> {
  const { ca, apiKey } = sandbox.ready;
  return (...words) => runCli(words, { cwd, env: { MIGRATE_API_KEY: apiKey, MIGRATE_CA: ca } });
}

function folderWith(cohort: string, members = "REF,NAME\nR1,Ada\nR2,Bea\n"): string {
  return temporaryFolder({
    "members.csv": members,
    "mapping.yaml": `
payload: { reference: REF, cohort: { value: ${cohort} }, name: NAME, area: { value: north } }
parameters: { region: { value: north } }
`,
  });
}

test("a workflow with its own names is accepted by the local platform, and can be compared", async () => {
  const migrate = migrateIn(folderWith("SPRING"));
  const flags = ["--contract", contract, "--operation", "stage", "--mapping", "mapping.yaml"];
  const pushed = await migrate("push", "members.csv", ...flags, "--base-url", sandbox.ready.baseUrl);
  expect([pushed.code, pushed.stderr]).toEqual([0, expect.stringMatching(/2 {2}accepted/)]);
  const { code, stdout } = await migrate("compare");
  expect([code, stdout]).toEqual([0, "2 accepted records compared: 2 same\n"]);
});

test("a paused import supplier blocks the records that name it in the attr of `x-migrate-supplier`", async () => {
  const migrate = migrateIn(folderWith("WINTER", "REF,NAME\nR3,Cem\n"));
  const flags = ["--contract", contract, "--operation", "stage", "--mapping", "mapping.yaml"];
  const { code, stderr } = await migrate("push", "members.csv", ...flags, "--base-url", sandbox.ready.baseUrl);
  expect([code, stderr]).toEqual([4, expect.stringContaining("blocked")]);
});
