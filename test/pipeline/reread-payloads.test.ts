import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Job } from "../../src/job/job.ts";
import type { SendableItem } from "../../src/ledger/records/requests.ts";
import { contentText, contentTextHash } from "../../src/ledger/records/record-hashes.ts";
import { compileSentForm } from "../../src/map/node/sent-form.ts";
import type { InputPosition } from "../../src/model/record.ts";
import { compileFastPath, type ScanPurpose } from "../../src/pipeline/bytes/compile-fast-path.ts";
import { groupsOfRows, type PayloadGroup } from "../../src/pipeline/send/payload-group.ts";
import { rereadPayloads } from "../../src/pipeline/send/reread-payloads.ts";
import { recordsToSend, type SendHandle } from "../../src/pipeline/send/records-to-send.ts";
import { createByteList } from "../../src/text/byte-list.ts";
import type { RecordToSend } from "../../src/upload/upload-types.ts";
import { all } from "../job/sample-job.ts";
import { campaignSize } from "../campaign.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import * as joined from "./bytes/odd-joined-records.ts";
import { COLUMNS, CONTRACT, file, GOOD, MAPPING } from "./bytes/odd-records.ts";
import { sheet, writeSheet } from "./bytes/odd-sheets.ts";
import { openFolder } from "./bytes/open-folder.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const { signal } = new AbortController();

/** Returns a run in which every record of the input is pending. */
async function allPlanned(job: Job): Promise<SendHandle> {
  const items: SendableItem[] = [];
  for await (const batch of job.input.records()) {
    for (const { number: record, row } of batch.filter(({ orphan }) => !orphan)) {
      const { payload, parameters } = compileSentForm(job.operation)(job.mapping.map(row));
      const content = contentTextHash(contentText(payload, parameters));
      items.push({ record, identity: new Uint8Array(), content, attempts: 0, isAmbiguous: false, prior: "none" });
    }
  }
  const sendable = async (_run: string, first: number, last: number): Promise<readonly SendableItem[]> =>
    items.filter(({ record }) => record >= first && record <= last);
  return {
    ledger: { sendable },
    run: { id: "run" },
  };
}

/** The purpose of the scan that plans a push. */
const PLANNING: ScanPurpose = {
  kind: "plan",
  texts: createByteList(),
  identifiedBy: { kind: "send", endpoint: "POST localhost/things", supplier: "S1" },
};

const ATTRS = [["ref"], ["name"], ["people", 0, "last"], ["people", 1, "last"], ["place", "town"]];

/** Returns the payloads of groups with the locations of some cells, or the failure that ends reading. */
async function sent(groups: AsyncIterable<PayloadGroup>, job: Job, handle: SendHandle): Promise<unknown> {
  try {
    const records: readonly RecordToSend[] = await all(recordsToSend(groups, { job, handle }));
    return records.map(({ record, json, payload, supplier, locate }) => {
      return [record, json?.toString(), payload, supplier, ATTRS.map(locate)];
    });
  } catch (error) {
    return String(error);
  }
}

/** Returns the payloads of the fast path and of the row path. If planning fails, returns its failure for both paths. */
async function sentOf(job: Job): Promise<{ readonly byBytes: unknown; readonly byRows: unknown }> {
  const handle = await allPlanned(job).catch(String);
  if (typeof handle === "string") return { byBytes: handle, byRows: handle };
  return {
    byBytes: await sent(rereadPayloads(job)(signal), job, handle),
    byRows: await sent(groupsOfRows(job.input.records()), job, handle),
  };
}

test("payloads rebuilt from bytes equal payloads built from rows", async () => {
  const folder = temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": MAPPING });
  await fc.assert(
    fc.asyncProperty(file, async (content) => {
      writeFileSync(path.join(folder, "things.csv"), content);
      const job = await openFolder(folder);
      const { byBytes, byRows } = await sentOf(job).finally(job.input.close);
      expect(byBytes).toEqual(byRows);
    }),
    { numRuns: campaignSize({ part: 25, whole: 30 }) },
  );
});

test("payloads rebuilt from a workbook equal payloads built from rows", async () => {
  const mapping = MAPPING.replace("things.csv", "things.xlsx");
  const folder = temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": mapping });
  await fc.assert(
    fc.asyncProperty(sheet, async (content) => {
      await writeSheet(folder, content);
      const job = await openFolder(folder);
      const { byBytes, byRows } = await sentOf(job).finally(job.input.close);
      expect(byBytes).toEqual(byRows);
    }),
    { numRuns: campaignSize({ part: 20, whole: 25 }) },
  );
});

test("payloads rebuilt from bytes of joined files equal payloads built from rows", async () => {
  const folder = temporaryFolder({ "contract.yaml": joined.CONTRACT });
  await fc.assert(
    fc.asyncProperty(joined.files, fc.constantFrom(...joined.MAPPINGS), async (contents, mapping) => {
      for (const [name, content] of Object.entries(contents)) writeFileSync(path.join(folder, name), content);
      writeFileSync(path.join(folder, "mapping.yaml"), mapping);
      const job = await openFolder(folder);
      const { byBytes, byRows } = await sentOf(job).finally(job.input.close);
      expect(byBytes).toEqual(byRows);
    }),
    { numRuns: campaignSize({ part: 20, whole: 25 }) },
  );
});

/** Opens an input with several chunks. Every hundredth record must be built from its row. */
async function openLarge(contract = CONTRACT): Promise<Job> {
  const rows = Array.from({ length: 8000 }, (_, index) => {
    return GOOD.with(0, `A${index}`).with(
      12,
      index % 100 === 99 ? '"12 ""High"" St"' : index % 3 === 0 ? '"High St, Bath"' : "High St",
    );
  });
  const content = [COLUMNS, ...rows.flatMap((row, index) => (index % 1000 === 500 ? [[], row] : [row]))];
  const files = { "contract.yaml": contract, "mapping.yaml": MAPPING };
  const folder = temporaryFolder({ ...files, "things.csv": content.map((cells) => cells.join(",")).join("\n") });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  return job;
}

async function groupsFrom(job: Job, from?: InputPosition): Promise<readonly PayloadGroup[]> {
  const groups: PayloadGroup[] = [];
  for await (const group of rereadPayloads(job)(signal, from)) groups.push(group);
  return groups;
}

/** Returns the payload of each record, or the line of its row if the payload must be built from the row. */
function textsOf(groups: readonly PayloadGroup[]): readonly (string | number | undefined)[] {
  return groups.flatMap(({ first, last, payload, row }) =>
    Array.from({ length: last - first + 1 }, (_, at) => payload(first + at)?.toString() ?? row(first + at)?.line),
  );
}

test("reading from a position after some records returns the remaining records", async () => {
  const job = await openLarge();
  const { byBytes, byRows } = await sentOf(job);
  expect(byBytes).toEqual(byRows);
  const groups = await groupsFrom(job);
  expect(groups.length).toBeGreaterThan(2);
  for (const [index, { next: behind, last }] of groups.entries()) {
    if (behind === undefined) throw new Error("no position in the file");
    expect(behind.record).toBe(last + 1);
    expect(textsOf(await groupsFrom(job, behind))).toEqual(textsOf(groups.slice(index + 1)));
  }
});

test("payloads are built from bytes, except for records that need rows", async () => {
  const job = await openLarge();
  const made = (await groupsFrom(job)).flatMap(({ first, last, payload }) =>
    Array.from({ length: last - first + 1 }, (_, at) => payload(first + at) === undefined),
  );
  expect(made).toHaveLength(8000);
  expect(made.filter((isOfRow) => isOfRow)).toHaveLength(80);
});

/** A contract with two requests for each record. */
const WORKFLOW = CONTRACT.replace(
  "x-migrate-key: ref",
  `x-migrate-key: ref
      x-migrate-steps: [{ operation: check-thing, kind: validate }, { operation: import-thing, kind: process }]`,
).replace(
  "components:",
  `  /data-import/things/check/:
    post:
      operationId: check-thing
      requestBody:
        content: { application/json: { schema: { $ref: "#/components/schemas/Thing" } } }
      responses: { "200": { description: valid } }
components:`,
);

test("payloads for a workflow are built from bytes, unless a record has fields for the steps", async () => {
  const expected = textsOf(await groupsFrom(await openLarge()));
  const job = await openLarge(WORKFLOW);
  expect(textsOf(await groupsFrom(job))).toEqual(expected);
  const withFields = { ...job, mapping: { ...job.mapping, payloadNode: undefined } };
  expect(textsOf(await groupsFrom(withFields))).not.toContainEqual(expect.any(String));
});

test.each<readonly [string, (job: Job) => Promise<Job>]>([
  ["selected keys", async (job) => ({ ...job, settings: { ...job.settings, only: ["A1"] } })],
  [
    "records that wait for other records",
    async (job) => ({
      ...job,
      after: { operation: job.operation, key: ["ref"], isOwnKey: false, isOwnOperation: false },
    }),
  ],
])(
  "payloads are built from bytes even if the check needed rows for %s, because the plan contains the findings",
  async (_, changed) => {
    const job = await openLarge();
    const other = await changed(job);
    expect(compileFastPath(job, PLANNING)).toBeDefined();
    expect(compileFastPath(other, PLANNING)).toBeUndefined();
    expect(textsOf(await groupsFrom(other))).toEqual(textsOf(await groupsFrom(job)));
  },
);

function contentsOf(one: RecordToSend | undefined): unknown {
  return [one?.json, one?.payload, ATTRS.map((at) => one?.locate(at))];
}

/** Returns the seventh record of a group, and its detached copy. */
async function detachSeventh(job: Job, group: PayloadGroup): Promise<readonly (RecordToSend | undefined)[]> {
  async function* seventh(): AsyncGenerator<PayloadGroup> {
    yield { ...group, first: 7, last: 7 };
  }
  const [record] = await all(recordsToSend(seventh(), { job, handle: await allPlanned(job) }));
  return [record, record?.detached?.()];
}

test("a detached record is unchanged, and releases the other records of its group", async () => {
  const job = await openLarge();
  const [group] = await groupsFrom(job);
  if (group === undefined) throw new Error("there are no records");
  const [record, detachedCopy] = await detachSeventh(job, group);
  expect(detachedCopy?.json?.toString()).toContain('"ref":"A6"');
  expect(detachedCopy?.locate(["name"])).toMatchObject({ line: 8, column: "NAME" });
  expect(contentsOf(detachedCopy)).toEqual(contentsOf(record));
  expect(detachedCopy?.detached).toBeUndefined();
});

/** Returns a weak reference to the row function of a group, and a detached record of the group. */
async function leftOfGroup(job: Job): Promise<{ readonly row: WeakRef<object>; readonly detachedCopy: unknown }> {
  const [group] = await groupsFrom(job);
  if (group === undefined) throw new Error("there are no records");
  const [, detachedCopy] = await detachSeventh(job, group);
  return { row: new WeakRef(group.row), detachedCopy };
}

test("the memory of a group is released even if one of its detached records is kept", async () => {
  const { row, detachedCopy } = await leftOfGroup(await openLarge());
  await new Promise(setImmediate);
  collectGarbage();
  expect(row.deref()).toBeUndefined();
  expect(detachedCopy).toMatchObject({ record: 7 });
});

test("an aborted read ends early without an error", async () => {
  const job = await openLarge();
  const stop = new AbortController();
  const groups: PayloadGroup[] = [];
  for await (const group of rereadPayloads(job)(stop.signal)) {
    groups.push(group);
    stop.abort();
  }
  expect(groups).toHaveLength(1);
});

test("a position beyond the end of the file is ignored, and the whole file is read", async () => {
  const job = await openLarge();
  const [first] = await groupsFrom(job, { record: 100, file: "things.csv", byte: 1e12, line: 100 });
  expect(first?.first).toBe(1);
});
