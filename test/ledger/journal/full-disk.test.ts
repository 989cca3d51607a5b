import type * as fsModule from "node:fs";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { compareJournal, type JournalPlace } from "../../../src/ledger/journal/compare-journal.ts";
import { findOutdated, type Journal, openJournal } from "../../../src/ledger/journal/open-journal.ts";
import { journalFile, readJournal } from "../../../src/ledger/journal/journal-reader.ts";
import type { JournaledLedger } from "../../../src/ledger/ledger.ts";
import type { Intent, SentRequest } from "../../../src/ledger/records/requests.ts";
import { journaled } from "../../../src/pipeline/send/send-records.ts";
import { systemClock } from "../../../src/time/system-clock.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { PUSH } from "../ledger-input.ts";

/** Maximum size of a file on the disk. */
const disk = vi.hoisted(() => ({
  capacity: Number.POSITIVE_INFINITY,
  canTruncate: true,
  /** Called after each read. */
  afterRead: (): void => undefined,
}));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof fsModule>();
  return {
    ...fs,
    writeSync(...[descriptor, bytes, from, length, position]: [number, Uint8Array, number, number, number]): number {
      const room = Math.min(length, disk.capacity - position);
      if (room <= 0) throw diskError("ENOSPC");
      return fs.writeSync(descriptor, bytes, from, room, position);
    },
    readSync(...[descriptor, bytes, from, length, position]: [number, Uint8Array, number, number, number]): number {
      const read = fs.readSync(descriptor, bytes, from, length, position);
      disk.afterRead();
      return read;
    },
    ftruncateSync(descriptor: number, length: number): void {
      if (!disk.canTruncate) throw diskError("EIO");
      fs.ftruncateSync(descriptor, length);
    },
  };
});

function diskError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function freeDisk(): void {
  Object.assign(disk, { capacity: Number.POSITIVE_INFINITY, canTruncate: true });
}

afterEach(freeDisk);

/** A ledger that contains every request, because requests are saved before they are added to the journal. */
function ledgerOf(saved: readonly SentRequest[]): JournaledLedger {
  return {
    findRun: async (id = "") => ({ ...PUSH, id, state: "sending" }),
    history: async () => ({ id: "first", requests: saved.length, msSinceAbandoned: undefined }),
  };
}

function requests(count: number): readonly SentRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    identity: new Uint8Array(32).fill(index + 1),
    content: new Uint8Array(32).fill(255 - index),
    attempt: 1,
  }));
}

interface Scene {
  readonly place: JournalPlace;
  readonly file: string;
  readonly ledger: JournaledLedger;
  readonly journal: Journal;
  /** Saves requests in the ledger, and adds them to the journal. */
  readonly send: (count: number) => void;
}

function scene(): Scene {
  const place = { folder: temporaryFolder(), ledgerName: "ledger.db" };
  const saved: SentRequest[] = [];
  const ledger = ledgerOf(saved);
  const options = { clock: systemClock, rescueFolder: "/nonexistent", notice: (): void => undefined };
  const journal = openJournal(place, ledger, options);
  const send = (count: number): void => {
    const added = requests(count);
    saved.push(...added);
    journal.add(added);
  };
  return { place, file: journalFile(place.folder, place.ledgerName, "first"), ledger, journal, send };
}

/** Fills the disk when part of an entry has been written, ends the journal, and frees the disk. */
async function fillWhileAdding({ file, journal, send }: Scene, written: number, canTruncate: boolean): Promise<void> {
  await journal.begin("run");
  send(2);
  Object.assign(disk, { capacity: readFileSync(file).length + written, canTruncate });
  expect(() => send(6)).toThrow(/cannot be written/);
  await journal.end().catch(() => undefined);
  freeDisk();
}

test("a journal stays readable if the disk becomes full in the middle of an entry", async () => {
  const fault = fc.record({ written: fc.integer({ min: 0, max: 400 }), canTruncate: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fault, async ({ written, canTruncate }) => {
      const one = scene();
      await fillWhileAdding(one, written, canTruncate);
      expect((await compareJournal(one.file, one.ledger)).end.state).not.toBe("corrupt");
      expect(await findOutdated(one.place, one.ledger)).toEqual([]);
    }),
    { examples: [[{ written: 300, canTruncate: true }], [{ written: 300, canTruncate: false }]] },
  );
});

test("a later run continues a journal that was cut off by a full disk", async () => {
  const one = scene();
  await fillWhileAdding(one, 300, false);
  await one.journal.begin("run");
  one.send(5);
  await one.journal.end();
  const entries = [...readJournal(one.file)].map(({ kind }) => kind);
  expect(entries).toEqual(["ledger", "begin", "requests", "begin", "requests", "end"]);
});

test("an entry whose space is reserved can be added to a full disk", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2500 }), async (count) => {
      const { file, ledger, journal, send } = scene();
      await journal.begin("run");
      journal.reserve(count);
      disk.capacity = readFileSync(file).length;
      send(count);
      expect((await compareJournal(file, ledger)).end).toEqual({ state: "whole", validBytes: disk.capacity });
      freeDisk();
    }),
    { numRuns: 10, examples: [[1000], [1001]] },
  );
});

test("the next entry removes the reserved space that it does not use", async () => {
  const { file, ledger, journal, send } = scene();
  await journal.begin("run");
  send(2);
  journal.reserve(100);
  expect((await compareJournal(file, ledger)).end.state).toBe("torn");
  await journal.end();
  expect((await compareJournal(file, ledger)).end.state).toBe("whole");
});

test("no intent is saved if the disk has no space for its journal entry", async () => {
  const { file, journal } = scene();
  await journal.begin("run");
  disk.capacity = readFileSync(file).length + 50;
  const saved: Intent[] = [];
  const ledger = journaled(
    {
      saveIntents: async (_run, intents) => void saved.push(...intents),
      saveOutcomes: async () => undefined,
    },
    journal,
  );
  const intents = requests(3).map((one, index) => ({ ...one, record: index + 1, at: "2026-01-01T00:00:00.000Z" }));
  await expect(ledger.saveIntents("run", intents)).rejects.toThrow(/cannot be written/);
  expect(saved).toEqual([]);
});

test("a journal is not considered corrupt if entries are added while it is read", async () => {
  const { file, ledger, journal, send } = scene();
  await journal.begin("run");
  journal.reserve(3);
  let reads = 0;
  disk.afterRead = (): void => {
    reads += 1;
    // The first read returns the start of the file, the second one everything else.
    if (reads !== 2) return;
    send(3);
    send(2);
  };
  const { end, requests: count } = await compareJournal(file, ledger);
  disk.afterRead = (): void => undefined;
  expect({ end: end.state, count }).toEqual({ end: "whole", count: 5 });
});
