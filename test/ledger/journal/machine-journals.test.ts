import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { JournalPlace } from "../../../src/ledger/journal/compare-journal.ts";
import {
  compareMachineJournals,
  hasMachineJournals,
  openProcessJournal,
  removeOldJournals,
} from "../../../src/ledger/journal/machine-journals.ts";
import { readSeenOrigin, writeSeenOrigin } from "../../../src/ledger/journal/seen-origin.ts";
import type { JournaledRequest, LedgerRecovery } from "../../../src/ledger/journal/recovery.ts";
import type { LedgerHistory, Run } from "../../../src/ledger/records/run.ts";
import { contentHash, recordIdentity } from "../../../src/ledger/records/record-hashes.ts";
import { systemClock } from "../../../src/time/system-clock.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { PUSH } from "../ledger-input.ts";

const OPTIONS = { clock: systemClock, rescueFolder: "/nonexistent", notice: (): void => undefined };

/** A database that can be copied and restored. */
interface Tables {
  readonly attempts: ReadonlyMap<string, number>;
  readonly requests: number;
  readonly runs: readonly string[];
  readonly notes: readonly string[];
}
const EMPTY: Tables = { attempts: new Map(), requests: 0, runs: ["first"], notes: [] };

let tables: Tables;
let place: JournalPlace;
beforeEach(() => {
  tables = EMPTY;
  place = { folder: temporaryFolder(), ledgerName: "db.example:5432/migrate" };
});

const recovery: LedgerRecovery = {
  unknownRequests: async (requests) => requests.filter(({ identity, attempt }) => attemptsOf(identity) < attempt),
  markPossiblySent: async () => 0,
  noteRecovery: async ({ id }) => {
    tables = { ...tables, notes: [...tables.notes, id] };
  },
  isRecoveryKnown: async (id) => tables.notes.includes(id),
};
const ledger = {
  recovery,
  history: async (): Promise<LedgerHistory> => ({
    id: tables.runs[0],
    requests: tables.requests,
    msSinceAbandoned: undefined,
  }),
  findRun: async (id?: string): Promise<Run | undefined> =>
    tables.runs.includes(id ?? "") ? { ...PUSH, id: id ?? "", state: "sending" } : undefined,
};

function attemptsOf(identity: Uint8Array): number {
  return tables.attempts.get(Buffer.from(identity).toString("hex")) ?? 0;
}

/** Saves requests in the database, and returns them for the journal. A push also writes to the ledger first. */
function send(...keys: readonly string[]): readonly JournaledRequest[] {
  return keys.map((key) => {
    const identity = recordIdentity({ endpoint: PUSH.endpoint, supplier: PUSH.supplier, key });
    const attempt = attemptsOf(identity) + 1;
    const attempts = new Map(tables.attempts).set(Buffer.from(identity).toString("hex"), attempt);
    tables = { ...tables, attempts, requests: tables.requests + 1 };
    return { identity, content: contentHash({ key }), attempt };
  });
}

async function process(run: string, keys: readonly string[], end: "ended" | "killed"): Promise<void> {
  const journal = openProcessJournal(place, ledger, OPTIONS);
  await journal.begin(run);
  journal.add(send(...keys));
  if (end === "ended") await journal.end();
}

const compared = (): ReturnType<typeof compareMachineJournals> => compareMachineJournals(place, ledger);

test.each(["ended", "killed"] as const)(
  "finds the requests that an older copy lacks after the process was %s",
  async (end) => {
    await process("first", ["a"], end);
    const dump = tables;
    await process("first", ["b", "c"], end);
    await process("first", ["d"], end);
    expect(await compared()).toMatchObject({ outdated: [], unknown: 0, isComplete: true });
    tables = dump;
    const { outdated, unknown, isComplete } = await compared();
    // Processes that started in the same millisecond are in no particular order.
    expect(outdated.map((one) => one.unknown).toSorted((a, b) => a - b)).toEqual([1, 2]);
    expect({ unknown, isComplete }).toEqual({ unknown: 3, isComplete: true });
  },
);

test("detects, after a process has ended, that an older copy was restored while the process was running", async () => {
  const dump = tables;
  const journal = openProcessJournal(place, ledger, OPTIONS);
  await journal.begin("first");
  journal.add(send("a"));
  tables = dump;
  await journal.end();
  expect(await compared()).toMatchObject({ outdated: [{ unknown: 1 }] });
});

test("a machine remembers the highest number of requests in a ledger or, after a recovery, the actual number", async () => {
  const folder = temporaryFolder();
  const seen = { origin: "same", position: 1, machines: [], at: "2026-01-01T00:00:00.000Z" };
  await writeSeenOrigin(folder, { ...seen, requests: 9 });
  await writeSeenOrigin(folder, { ...seen, requests: 5 });
  expect(readSeenOrigin(folder)?.requests).toBe(9);
  await writeSeenOrigin(folder, { ...seen, requests: 5 }, "recovered");
  expect(readSeenOrigin(folder)?.requests).toBe(5);
});

test("detects missing requests of other machines without the journals of those machines", async () => {
  const dump = tables;
  send("of another machine");
  await process("first", ["a"], "ended");
  tables = dump;
  expect(await compared()).toMatchObject({ unknown: 1, isComplete: false });
});

test("detects a restored copy even if other machines have since sent more requests than the copy lacks", async () => {
  await process("first", ["a"], "ended");
  const dump = tables;
  const planner = openProcessJournal(place, ledger, OPTIONS);
  await planner.begin("first");
  send("b", "c");
  planner.addCount(2);
  await planner.end();
  tables = dump;
  send("d", "e", "f");
  expect((await compared()).outdated).toHaveLength(1);
});

test("finds the journals of a recreated database by the database name, and ignores journals of other ledgers", async () => {
  await process("first", ["a"], "ended");
  tables = { ...EMPTY, runs: [] };
  expect(await compared()).toMatchObject({ unknown: 1 });
  place = { ...place, ledgerName: "db.example:5432/other" };
  expect(await compared()).toMatchObject({ outdated: [], unknown: 0 });
  expect(hasMachineJournals(place)).toBe(false);
});

test("does not consider a ledger complete if a journal is corrupt", async () => {
  await process("first", ["a", "b"], "ended");
  const [file = ""] = journalPaths();
  const bytes = readFileSync(file);
  bytes.fill(7, Math.floor(bytes.length / 3), Math.floor(bytes.length / 2));
  // Truncates the journal, too, because its final entry would confirm all requests.
  writeFileSync(file, bytes.subarray(0, -100));
  expect(await compared()).toMatchObject({ outdated: [{ end: { state: "corrupt" } }], isComplete: false });
});

test("removes journals older than a month, but never the latest", async () => {
  await process("first", ["a"], "ended");
  await process("first", ["b"], "ended");
  const files = journalPaths();
  removeOldJournals(place, "first", Date.now());
  expect(journalPaths()).toEqual(files);
  for (const file of files) utimesSync(file, new Date(0), new Date(0));
  removeOldJournals(place, "first", Date.now());
  expect(files.map((file) => existsSync(file))).toEqual([false, true]);
});

function journalPaths(): readonly string[] {
  const folder = path.join(place.folder, "first");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".log"))
    .toSorted()
    .map((name) => path.join(folder, name));
}
