import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openJob } from "../../src/job/job.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const CONTRACT = `
openapi: 3.0.3
info: { title: Parents, version: "1" }
paths:
  /things/:
    post:
      operationId: import-thing
      x-migrate-key: ref
      x-migrate-steps:
        - { operation: import-thing, kind: stage }
        - { operation: process-thing, kind: process, body: { ref: ref } }
      requestBody: &body
        content:
          application/json:
            schema: { type: object, properties: { ref: { type: string }, parent: { type: string } } }
      responses: { "201": { description: made } }
  /things/process/:
    post: { operationId: process-thing, requestBody: *body, responses: { "201": { description: made } } }
  /others/:
    post: { operationId: import-other, requestBody: *body, responses: { "201": { description: made } } }
  /companies/{company}/others/:
    parameters: &company [{ name: company, in: path, required: true, schema: { type: string } }]
    post: { operationId: import-for-company, requestBody: *body, responses: { "201": { description: made } } }
  /companies/{company}/things/:
    parameters: *company
    post: { operationId: import-into-company, requestBody: *body, responses: { "201": { description: made } } }
`;

async function afterOf(after: string, operation = "import-thing", more = ""): Promise<object | undefined> {
  const folder = temporaryFolder();
  const file = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  file("contract.yaml", CONTRACT);
  file("things.csv", "REF,PARENT\n1,2\n");
  file(
    "mapping.yaml",
    `operation: ${operation}\nkey: ref\nafter: ${after}\nsources: { things: { files: things.csv } }\n` +
      `payload: { ref: REF, parent: PARENT }\n${more}`,
  );
  const settings = { folder, contract: ["contract.yaml"], mapping: "mapping.yaml", sources: [], namedSources: {} };
  const clock = { now: () => 0, monotonic: () => 0, sleep: () => Promise.resolve() };
  const job = await openJob(settings, { temporaryFolder: folder, notice: () => undefined, clock });
  await job.input.close();
  return job.after;
}

test.each(["import-thing", "{ operation: import-thing, key: ref }", "process-thing", "POST /things/"])(
  "a mapping whose records would all wait for themselves is refused before anything is sent: after %s",
  async (after) => {
    await expect(afterOf(after)).rejects.toMatchObject({
      code: "mapping_invalid",
      exitCode: 2,
      message: expect.stringContaining("wait for itself"),
      place: { line: 3 },
    });
  },
);

test.each(["{ operation: import-thing, key: parent }", "import-other"])(
  "a mapping whose records wait for other records is accepted: after %s",
  async (after) => {
    expect(await afterOf(after)).toBeDefined();
  },
);

test("refuses a mapping whose records would wait forever for records with another path parameter", async () => {
  await expect(afterOf("{ operation: import-for-company, key: parent }")).rejects.toMatchObject({
    code: "mapping_invalid",
    exitCode: 2,
    message: expect.stringContaining('the path parameter "company"'),
    place: { line: 3 },
  });
});

test("a mapping is accepted if it sets the path parameters of the records that its own records wait for", async () => {
  const after = "{ operation: import-for-company, key: parent }";
  expect(await afterOf(after, "import-into-company", "parameters: { company: { value: C1 } }\n")).toBeDefined();
});
