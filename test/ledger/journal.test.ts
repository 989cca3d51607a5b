import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { compareJournal, endsUpToDate, journalsOf } from "../../src/ledger/journal/compare-journal.ts";
import { framesOf, type JournalEntry, MAGIC } from "../../src/ledger/journal/journal-format.ts";
import { journalFile, readJournal } from "../../src/ledger/journal/journal-reader.ts";
import type { JournaledRequest } from "../../src/ledger/journal/recovery.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const AT = "2026-11-23T10:00:00.000Z";

function request(number: number): JournaledRequest {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, number);
  const mark = number % 2 === 0 ? { rowMark: 2 ** 52 - 1 - number } : {};
  const poll = number % 7 < 2 ? { isPoll: true } : {};
  return { identity: hash, content: hash, attempt: 1 + (number % 3), idempotent: number % 5 === 0, ...poll, ...mark };
}

/** Returns a journal of one run with these groups of requests, and the position where each group ends. */
function journalOf(groups: readonly number[]): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  const ends: number[] = [];
  let next = 0;
  let bytes = Buffer.concat([
    MAGIC,
    framesOf({ kind: "ledger", name: "ledger.db", id: "first" }),
    framesOf({ kind: "begin", run: "first", at: AT, requests: 0 }),
  ]);
  for (const size of groups) {
    const requests = Array.from({ length: size }, () => request((next += 1)));
    bytes = Buffer.concat([bytes, framesOf({ kind: "requests", requests })]);
    ends.push(bytes.length);
  }
  return { bytes, ends };
}

function numberOf({ identity }: JournaledRequest): number {
  return new DataView(identity.slice().buffer).getUint32(0);
}

/** Returns a ledger that contains only the first `known` requests of the run. */
function ledgerKnowing(known: number): Parameters<typeof compareJournal>[1] {
  return {
    findRun: async () => undefined,
    history: async () => ({ id: "first", requests: known, msSinceAbandoned: undefined }),
    recovery: {
      unknownRequests: async (requests) => requests.filter((one) => numberOf(one) > known),
      markPossiblySent: async () => 0,
      noteRecovery: async () => undefined,
      isRecoveryKnown: async () => false,
    },
  };
}

function entriesOf(file: string): readonly JournalEntry[] {
  return [...readJournal(file)];
}

it("reads back the requests that were written", () => {
  const file = path.join(temporaryFolder(), "a.log");
  const requests = Array.from({ length: 1100 }, (_, index) => request(index));
  writeFileSync(file, MAGIC);
  appendFileSync(file, framesOf({ kind: "requests", requests }));
  appendFileSync(file, framesOf({ kind: "end", at: AT, run: "first", requests: 1100 }));
  const entries = entriesOf(file);
  expect(entries.flatMap((entry) => (entry.kind === "requests" ? entry.requests : []))).toEqual(requests);
  expect(entries.at(-1)).toEqual({ kind: "end", at: AT, run: "first", requests: 1100 });
});

const groups = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 });

it("finds every unknown request before the point where a journal was truncated", async () => {
  const file = path.join(temporaryFolder(), "a.log");
  await fc.assert(
    fc.asyncProperty(groups, fc.nat(), fc.nat(), async (sizes, cut, part) => {
      const { bytes, ends } = journalOf(sizes);
      const length = cut % (bytes.length + 1);
      writeFileSync(file, bytes.subarray(0, length));
      const whole = sizes.filter((_, index) => (ends[index] ?? 0) <= length).reduce((sum, size) => sum + size, 0);
      const known = part % (whole + 1);
      const { unknown, isUpToDate } = await compareJournal(file, ledgerKnowing(known));
      expect(unknown).toBe(whole - known);
      expect(known < whole && isUpToDate).toBe(false);
    }),
  );
});

it("never considers a ledger complete if any bit of its journal has changed", async () => {
  const file = path.join(temporaryFolder(), "a.log");
  await fc.assert(
    fc.asyncProperty(groups, fc.nat(), fc.integer({ min: 0, max: 7 }), async (sizes, at, bit) => {
      const { bytes } = journalOf(sizes);
      const place = at % bytes.length;
      bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
      writeFileSync(file, bytes);
      const { isComplete, isUpToDate } = await compareJournal(file, ledgerKnowing(0));
      expect([isComplete, isUpToDate]).toEqual([false, false]);
    }),
  );
});

it("tolerates zeros in place of the last bytes, as after a power failure", async () => {
  const file = path.join(temporaryFolder(), "a.log");
  const { bytes, ends } = journalOf([3, 4]);
  bytes.fill(0, (ends[0] ?? 0) + 20);
  writeFileSync(file, bytes);
  const { unknown, isComplete, end } = await compareJournal(file, ledgerKnowing(0));
  expect([unknown, isComplete, end]).toEqual([3, true, { state: "torn", validBytes: ends[0] }]);
  expect(statSync(file).size).toBe(readFileSync(file).length);
});

it("attributes an unreadable journal to the ledger named in its file name, and a renamed journal to every ledger", () => {
  const folder = temporaryFolder();
  const [first, second] = ["20261123-1000-0001", "20261123-1100-0002"];
  const named = journalFile(folder, "my ledger.db", first);
  const renamed = path.join(folder, "old.log");
  for (const file of [named, renamed]) writeFileSync(file, Buffer.concat([MAGIC, Buffer.alloc(40, 1)]));
  expect(journalsOf({ folder, ledgerName: "my ledger.db" }, undefined)).toEqual([named, renamed]);
  expect(journalsOf({ folder, ledgerName: "copy.db" }, first)).toEqual([named, renamed]);
  expect(journalsOf({ folder, ledgerName: "other.db" }, second)).toEqual([renamed]);
});

it("reads only the end of the journal to detect that a ledger lacks the last request", async () => {
  const file = path.join(temporaryFolder(), "a.log");
  const { bytes } = journalOf([3, 2]);
  writeFileSync(file, Buffer.concat([bytes, framesOf({ kind: "end", at: AT, requests: 5 })]));
  expect(await endsUpToDate(file, ledgerKnowing(5))).toBe(true);
  expect(await endsUpToDate(file, ledgerKnowing(4))).toBe(false);
});
