import { writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openTemporaryLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import type { MappedRecord } from "../../src/model/record.ts";
import { type Job, openJob } from "../../src/job/job.ts";
import type { JobSettings } from "../../src/job/settings/job-settings.ts";
import type { RunHandle } from "../../src/pipeline/plan/plan-records.ts";
import type { RunSettings } from "../../src/job/settings/recorded-settings.ts";

const CONTRACT = `
openapi: 3.0.3
info: { title: Small, version: "1" }
paths:
  /data-import/things/:
    post:
      operationId: import-thing
      x-migrate-key: ref
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [name]
              properties:
                ref: { type: string }
                name: { type: string, maxLength: 5 }
                born: { type: string, format: date }
                file: { type: string, x-document-path: true }
                seen: { type: string, format: date-time }
      responses: { "201": { description: made } }
`;

const MAPPING = `
operation: import-thing
key: ref
sources: { things: { files: things.csv } }
payload:
  ref: REF
  name: NAME
  born: { from: BORN, date: dd/MM/yyyy }
  file: FILE
`;

const HEADER = "REF,NAME,BORN,FILE";

export function thingsFolder(rows: readonly string[]): string {
  const folder = temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": MAPPING });
  writeThings(folder, rows);
  return folder;
}

export function writeThings(folder: string, rows: readonly string[]): void {
  writeFileSync(path.join(folder, "things.csv"), [HEADER, ...rows, ""].join("\n"));
}

export function thingsSettings(folder: string, more: Partial<JobSettings> = {}): JobSettings {
  return { folder, contract: ["contract.yaml"], mapping: "mapping.yaml", sources: [], namedSources: {}, ...more };
}

/** Opens the job of a folder made by `thingsFolder`, and closes it when the test ends. */
export async function openThings(folder: string, more: Partial<JobSettings> = {}): Promise<Job> {
  const job = await openJob(thingsSettings(folder, more), {
    temporaryFolder: path.join(folder, "temp"),
    notice: () => undefined,
    clock: { now: Date.now, monotonic: Date.now, sleep: () => Promise.resolve() },
  });
  onTestFinished(() => job.input.close());
  return job;
}

/** The settings of a push, as the ledger records them. */
export const PUSH_SETTINGS: RunSettings = {
  job: { folder: process.cwd(), contract: ["contract.yaml"], sources: [], namedSources: {} },
  target: {
    baseUrl: "https://t.example/v1/",
    flags: ["--target", "t"],
    allowInsecureLoopback: false,
    production: false,
    auth: {},
  },
  pace: { concurrency: "auto", maxConcurrency: 16 },
  revise: false,
  allowEmpty: false,
  rejectsSecret: "a secret for fingerprints",
  files: [],
};

export async function startSampleRun(folder: string, settings: unknown = PUSH_SETTINGS): Promise<RunHandle> {
  const ledger: Ledger = await openTemporaryLedger(folder);
  onTestFinished(() => ledger.close());
  const run = await ledger.startRun({
    command: "push",
    target: "t.example",
    supplier: "",
    operation: "import-thing",
    endpoint: "POST t.example/v1/things",
    settings,
    dryRun: false,
    startedAt: "2026-11-20T23:41:07.000Z",
  });
  return { ledger, run };
}

export async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly T[]> {
  const items: T[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}

/** Returns `record attr code` of every problem. */
export function problemsOf(records: readonly MappedRecord[]): readonly string[] {
  return records.flatMap(({ number, problems }) => problems.map(({ attr, code }) => `${number} ${attr} ${code}`));
}
