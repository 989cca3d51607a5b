import { describe, expect, it, onTestFinished } from "vitest";
import type { Job } from "../../src/job/job.ts";
import { check, type CheckOptions } from "../../src/migrate.ts";
import type { RunHandle } from "../../src/pipeline/plan/plan-records.ts";
import { keepPayloads, keptGroups, type KeptPayloads } from "../../src/pipeline/send/kept-payloads.ts";
import { groupsOfRows } from "../../src/pipeline/send/payload-group.ts";
import { recordsToSend } from "../../src/pipeline/send/records-to-send.ts";
import type { RecordToSend } from "../../src/upload/upload-types.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { CONTRACT, HEADERS, MAPPING } from "./bytes/odd-joined-records.ts";
import { openFolder } from "./bytes/open-folder.ts";
import { all, openThings, startSampleRun, thingsFolder, writeThings } from "../job/sample-job.ts";

const signal = new AbortController().signal;
const OPTIONS: CheckOptions = { revise: false, allowEmpty: false, signal, onProgress: () => undefined };

interface Checked {
  readonly job: Job;
  readonly handle: RunHandle;
  readonly kept: KeptPayloads | undefined;
}

async function checked(folder: string, more: Parameters<typeof openThings>[1] = {}): Promise<Checked> {
  const handle = await startSampleRun(folder);
  const job = await openThings(folder, more);
  const kept = keepPayloads(job, {});
  await check(job, handle, { ...OPTIONS, kept });
  return { job, handle, kept };
}

function fromKept({ job, handle, kept }: Checked): Promise<readonly RecordToSend[]> {
  return all(recordsToSend(keptGroups(kept?.groups() ?? [], job.input, signal), { job, handle }));
}

const shown = ({ record, json, payload, locate }: RecordToSend): unknown => [
  record,
  json ?? JSON.stringify(payload),
  payload,
  locate(["name"]),
  locate(["born"]),
];

/** Enough rows for two chunks. */
const many = Array.from({ length: 900 }, (_, index) => {
  return `K${index},${index % 7 === 3 ? "toolong" : "Ann"},,${"scans/".repeat(70)}a.pdf`;
});

describe("payloads kept from the check", () => {
  it.each<readonly [string, readonly string[], Parameters<typeof openThings>[1]]>([
    ["a few records", ["A,Ann,,", "B,toolong,,", `C,"C\nd",01/02/2024,`, "", "D,Zoë🙂,,", "E,,,"], {}],
    ["more than a chunk of records", many, {}],
    ["records selected by --limit", ["A,Ann,,", "B,Bob,,", "C,Cid,,"], { limit: 2 }],
    ["records selected by --only", ["A,Ann,,", "B,Bob,,", "C,Cid,01/02/2024,"], { only: ["C"] }],
  ])("equal the payloads of a second reading: %s", async (_, rows, more) => {
    const scene = await checked(thingsFolder(rows), more);
    const { job, handle } = scene;
    const again = await all(recordsToSend(groupsOfRows(job.input.records()), { job, handle }));
    const kept = await fromKept(scene);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.map(shown)).toEqual(again.map(shown));
  });

  it("equal the payloads of a second reading: joined files", async () => {
    const folder = temporaryFolder({
      "contract.yaml": CONTRACT,
      "mapping.yaml": MAPPING,
      "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A2,Bob", "A3,Cy", ""].join("\n"),
      "people.csv": [HEADERS["people.csv"], "A2,2,Bo,Smith,", "A1,1,Ann,Smith,", "X9,1,No,One,", ""].join("\n"),
      "more.csv": [HEADERS["more.csv"], "1;A3;Smith;Cy;", ""].join("\n"),
      "meters.csv": [HEADERS["meters.csv"], "1,A2,G", "2,A1,P", "3,A2,G", ""].join("\n"),
    });
    const handle = await startSampleRun(folder);
    const job = await openFolder(folder);
    onTestFinished(() => job.input.close());
    const kept = keepPayloads(job, {});
    await check(job, handle, { ...OPTIONS, kept });
    const again = await all(recordsToSend(groupsOfRows(job.input.records()), { job, handle }));
    const sent = await fromKept({ job, handle, kept });
    expect(sent).toHaveLength(3);
    expect(sent.map(shown)).toEqual(again.map(shown));
  });

  it("are absent if no payload was kept, or if the payloads would exceed the limit", async () => {
    const { job } = await checked(thingsFolder(["A,Ann,,"]));
    const unused = keepPayloads(job, {});
    expect(unused).toBeDefined();
    expect(unused?.groups()).toBeUndefined();
    const files = job.input.files.map((file) => ({ ...file, unpackedBytes: 30_000_000 }));
    const kept = keepPayloads({ ...job, input: { ...job.input, files } }, {});
    const chunk = { file: 0, bytes: new Uint8Array(1000), pieces: [], isFirst: true };
    const one = { starts: Uint32Array.of(0), ends: Uint32Array.of(1000) };
    kept?.keep(chunk, 1, { ...one, bytes: new Uint8Array(1000) });
    expect(kept?.groups()).toHaveLength(1);
    kept?.keep(chunk, 1, { ...one, bytes: new Uint8Array(2000) });
    expect(kept?.groups()).toBeUndefined();
  });

  it("are not sent if the input has changed since the plan", async () => {
    const folder = thingsFolder(["A,Ann,,", "B,Bob,,"]);
    const scene = await checked(folder);
    writeThings(folder, ["A,Ann,,", "B,Bea,,", "C,Cid,,"]);
    await expect(fromKept(scene)).rejects.toMatchObject({ code: "source_changed" });
  });

  it("are absent if the input is large or several threads are used", async () => {
    const { job } = await checked(thingsFolder(["A,Ann,,"]));
    const files = job.input.files.map((file) => ({ ...file, unpackedBytes: 1e9 }));
    expect(keepPayloads({ ...job, input: { ...job.input, files } }, {})).toBeUndefined();
    expect(keepPayloads(job, { threads: 2 })).toBeUndefined();
    expect(keepPayloads(job, { threads: "auto" })).toBeDefined();
  });
});
