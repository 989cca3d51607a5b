import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { RowWithoutKey } from "../../src/ledger/records/planned-item.ts";
import { contentHash, recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import { check, checkedRecords, type CheckOptions } from "../../src/migrate.ts";
import { rereadPayloads } from "../../src/pipeline/send/reread-payloads.ts";
import { recordsToSend } from "../../src/pipeline/send/records-to-send.ts";
import type { CheckResult } from "../../src/pipeline/plan/plan-records.ts";
import type { MaxErrors } from "../../src/options/option-row.ts";
import { all, startSampleRun, openThings, thingsFolder, writeThings } from "../job/sample-job.ts";

const OPTIONS: CheckOptions = {
  revise: false,
  allowEmpty: false,
  signal: new AbortController().signal,
  onProgress: () => undefined,
};

/** Returns `total` rows, the first `invalid` of which are invalid. */
function rows(total: number, invalid: number): readonly string[] {
  return Array.from({ length: total }, (_, index) => `K${index},${index < invalid ? "toolong" : "Ann"},,`);
}

describe("a plan", () => {
  it.each<[string, MaxErrors | undefined, CheckResult["reason"], number]>([
    ["no tolerance", undefined, "done", 1200],
    ["an error count at the limit", { count: 30 }, "done", 1200],
    ["an error count above the limit", { count: 29 }, "too_many_errors", 500],
    ["a limit of zero", { count: 0 }, "too_many_errors", 500],
    ["a share that is within the limit at the end, but not for the first records", { share: 0.025 }, "done", 1200],
    ["a share above the limit, known only at the end", { share: 0.0249 }, "too_many_errors", 1200],
  ])("is complete only if the errors are within the limit: %s", async (_, maxErrors, reason, records) => {
    const folder = thingsFolder(rows(1200, 30));
    const handle = await startSampleRun(folder);
    const end = await check(await openThings(folder), handle, { ...OPTIONS, maxErrors });
    expect(end).toEqual({ records, invalid: 30, reason });
    const settled = (await handle.ledger.findRun(handle.run.id))?.state;
    expect(settled).toBe(reason === "done" ? "sending" : "planning");
  });

  it.each<[string, readonly string[], CheckResult]>([
    ["every invalid record is excluded", ["K0", "K1"], { records: 3, invalid: 0, reason: "done" }],
    ["another record is invalid", ["K0"], { records: 3, invalid: 1, reason: "too_many_errors" }],
  ])("counts no excluded record as an error: %s", async (_, keys, end) => {
    const folder = thingsFolder(rows(3, 2));
    const { ledger, run } = await startSampleRun(folder);
    const { endpoint, supplier } = run;
    await ledger.excludeRecords(
      keys.map((key) => ({ key, identity: recordIdentity({ endpoint, supplier, key }), at: "", who: "", reason: "" })),
    );
    expect(await check(await openThings(folder), { ledger, run }, { ...OPTIONS, maxErrors: { count: 0 } })).toEqual(
      end,
    );
    const { counts } = await ledger.summary(run.id);
    expect(counts).toEqual({ pending: 1, excluded: keys.length, ...(keys.length === 1 && { invalid: 1 }) });
  });

  it("reports its progress", async () => {
    const folder = thingsFolder(rows(600, 2));
    const seen: unknown[] = [];
    await check(await openThings(folder), await startSampleRun(folder), {
      ...OPTIONS,
      onProgress: (now) => seen.push(now),
    });
    expect(seen).toEqual([
      { records: 500, invalid: 2 },
      { records: 600, invalid: 2 },
    ]);
  });

  it("stays open if it is stopped", async () => {
    const count = 50_000;
    const folder = thingsFolder(rows(count, 0));
    const handle = await startSampleRun(folder);
    const stopping = new AbortController();
    const end = await check(await openThings(folder), handle, {
      ...OPTIONS,
      signal: stopping.signal,
      onProgress: () => stopping.abort(),
    });
    expect(end).toMatchObject({ invalid: 0, reason: "stopped" });
    expect(end.records).toBeGreaterThan(0);
    expect(end.records).toBeLessThan(count);
    expect(await handle.ledger.findRun(handle.run.id)).toMatchObject({ state: "planning" });
  });

  it("stays open if it is stopped while it looks for rows that had no key in earlier pushes", async () => {
    const folder = thingsFolder(rows(3, 0));
    const { ledger, run } = await startSampleRun(folder);
    const stopping = new AbortController();
    const earlierWithoutKey = async (): Promise<readonly RowWithoutKey[]> => {
      stopping.abort();
      return [{ run: "earlier", record: 1, file: "other.csv", rowHash: 1 }];
    };
    const options = { ...OPTIONS, signal: stopping.signal };
    const end = await check(await openThings(folder), { ledger: { ...ledger, earlierWithoutKey }, run }, options);
    expect(end).toEqual({ records: 3, invalid: 0, reason: "stopped" });
    expect(await ledger.findRun(run.id)).toMatchObject({ state: "planning" });
  });

  it("is refused if the input has no records, unless --allow-empty is set", async () => {
    const folder = thingsFolder([]);
    const job = await openThings(folder);
    await expect(check(job, await startSampleRun(folder), OPTIONS)).rejects.toMatchObject({
      code: "source_empty",
      hint: expect.stringContaining("--allow-empty"),
    });
    expect(await check(job, await startSampleRun(folder), { ...OPTIONS, allowEmpty: true })).toMatchObject({
      records: 0,
    });
  });

  it("reports a duplicate key at its cells", async () => {
    const folder = thingsFolder(["A,Ann,,", "A,Bob,,"]);
    const handle = await startSampleRun(folder);
    await check(await openThings(folder), handle, OPTIONS);
    const outcomes = await all(handle.ledger.outcomes(handle.run.id));
    expect(
      outcomes.map(({ problems }) => problems.map(({ code, place }) => [code, place?.line, place?.column])),
    ).toEqual([[["duplicate_key", 2, "REF"]], [["duplicate_key", 3, "REF"]]]);
  });
});

describe("pending records", () => {
  it("are sent with their payloads and the locations of their cells", async () => {
    const folder = thingsFolder(["A,Ann,,", "B,toolong,,", "C,Cid,01/02/2024,"]);
    const handle = await startSampleRun(folder);
    const job = await openThings(folder);
    await check(job, handle, OPTIONS);
    const due = await all(recordsToSend(rereadPayloads(job)(OPTIONS.signal), { job, handle }));
    expect(due.map(({ record, payload }) => [record, payload])).toEqual([
      [1, { ref: "A", name: "Ann" }],
      [3, { ref: "C", name: "Cid", born: "2024-02-01" }],
    ]);
    expect(due[1]?.locate(["born"])).toMatchObject({ line: 4, column: "BORN" });
  });

  it("are planned and sent with date-times in UTC, in any notation and on both paths", async () => {
    const utc = "2024-06-01T08:30:00Z";
    const folder = thingsFolder([`A,Ann,2024-06-01T09:30:00.000+01:00,`, `A,Ann,${utc},`, "B,Bob,2024-06-02,"]);
    const mapping = "operation: import-thing\nkey: ref\nsources: { things: { files: things.csv } }\n";
    writeFileSync(path.join(folder, "seen.yaml"), `${mapping}payload: { ref: REF, name: NAME, seen: BORN }\n`);
    const handle = await startSampleRun(folder);
    const job = await openThings(folder, { mapping: "seen.yaml" });
    await check(job, handle, OPTIONS);
    const outcomes = await all(handle.ledger.outcomes(handle.run.id));
    expect(outcomes.map(({ status }) => status)).toEqual(["pending", "duplicate", "pending"]);
    const [due] = await all(recordsToSend(rereadPayloads(job)(OPTIONS.signal), { job, handle }));
    const payload = { ref: "A", name: "Ann", seen: utc };
    expect(due?.payload).toEqual(payload);
    const contents = await handle.ledger.contents(handle.run.id, 1, 2);
    expect([...contents.values()]).toEqual([contentHash(payload), contentHash(payload)]);
    expect(due?.locate(["seen"])).toMatchObject({ line: 2, column: "BORN" });
  });

  it("are refused if a payload differs from the plan", async () => {
    const folder = thingsFolder(["A,Ann,,", "B,Bob,,"]);
    const handle = await startSampleRun(folder);
    await check(await openThings(folder), handle, OPTIONS);
    writeThings(folder, ["A,Ann,,", "B,Bea,,"]);
    const job = await openThings(folder);
    const due = recordsToSend(rereadPayloads(job)(OPTIONS.signal), { job, handle });
    await expect(all(due)).rejects.toMatchObject({ code: "source_changed", message: expect.stringContaining("2") });
    expect(await all(checkedRecords(job, OPTIONS))).toHaveLength(2);
  });
});
