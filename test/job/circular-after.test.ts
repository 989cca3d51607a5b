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
`;

async function afterOf(after: string): Promise<object | undefined> {
  const folder = temporaryFolder();
  const file = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  file("contract.yaml", CONTRACT);
  file("things.csv", "REF,PARENT\n1,2\n");
  file(
    "mapping.yaml",
    `operation: import-thing\nkey: ref\nafter: ${after}\nsources: { things: { files: things.csv } }\n` +
      "payload: { ref: REF, parent: PARENT }\n",
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
