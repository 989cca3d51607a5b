import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { machineId, readSeenOrigin, writeSeenOrigin } from "../../../src/ledger/journal/seen-origin.ts";
import type { OriginFacts } from "../../../src/ledger/journal/recovery.ts";
import type { Run } from "../../../src/ledger/records/run.ts";
import {
  noteRecovered,
  openMachineJournal,
  type OriginWatch,
  watchOrigin,
} from "../../../src/pipeline/run/machine-evidence.ts";
import { systemClock } from "../../../src/time/system-clock.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const STORE = { name: "postgres://db.example/migrate", server: "db.example:5432/migrate" };
const AT = "2026-01-01T00:00:00.000Z";

const RUN: Run = {
  id: "first",
  command: "push",
  target: "",
  supplier: "",
  operation: "",
  endpoint: "",
  settings: {},
  dryRun: false,
  startedAt: AT,
  state: "sending",
};

let state: string;
let notices: string[];
let facts: OriginFacts;
let requests: number;

beforeEach(() => {
  state = temporaryFolder();
  notices = [];
  facts = { origin: "one", position: 100, machines: [machineId(state)] };
  requests = 0;
});

const ledger = {
  findRun: async () => RUN,
  history: async () => ({ id: "first", requests, msSinceAbandoned: undefined }),
  origin: {
    facts: async () => facts,
    noteMachine: async (id: string) => {
      facts = { ...facts, machines: [...new Set([...facts.machines, id])] };
    },
    noteOrigin: async (origin: string, at: string) => {
      facts = { ...facts, noted: { origin, at } };
    },
  },
};

function dependencies() {
  return { clock: systemClock, rescueFolder: state, stateFolder: () => state, notice };
}

function notice(text: string): void {
  notices.push(text);
}

function folder(): string {
  return path.join(state, "ledgers", "first");
}

/** Returns the watch of a process that has observed the current state of the database. */
async function watching(): Promise<OriginWatch> {
  const watch = watchOrigin(STORE, ledger, dependencies());
  await watch.look();
  return watch;
}

function change(to: Partial<OriginFacts>): void {
  facts = { ...facts, ...to };
}

const OUTDATED = { code: "ledger_outdated" };

describe("an observation of the database", () => {
  test("accepts a database whose log position has advanced", async () => {
    const watch = await watching();
    change({ position: 200 });
    await watch.look();
    await watch.look();
    expect(notices).toEqual([]);
  });

  test("reports a moved database once if only this machine has sent", async () => {
    const watch = await watching();
    change({ origin: "two", position: 5 });
    await watch.look();
    await watch.look();
    expect(notices).toEqual([expect.stringMatching(/restored, moved or failed over since/)]);
  });

  test.each<[string, Partial<OriginFacts>]>([
    ["with another origin", { origin: "two" }],
    ["whose log position has decreased", { position: 99 }],
  ])("refuses, at every observation, a database %s if other machines have sent requests", async (_, to) => {
    change({ machines: [...facts.machines, "other"] });
    const watch = await watching();
    change({ ...to, machines: [machineId(state)] });
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test.each<[string, Partial<OriginFacts>]>([
    ["with another origin", { origin: "two" }],
    ["that was restarted and whose log position has increased since then", { position: 900, startedAt: "later" }],
  ])("refuses a database with fewer requests than this machine has seen, %s", async (_, to) => {
    const watch = await watching();
    await writeSeenOrigin(folder(), { ...facts, requests: 10, at: AT });
    change(to);
    requests = 9;
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test("accepts a database that was only restarted", async () => {
    change({ machines: [...facts.machines, "other"] });
    const watch = await watching();
    change({ position: 900, startedAt: "later" });
    await watch.observe();
    await watch.look();
    expect(notices).toEqual([]);
  });

  test("refuses a restored copy that lacks a machine that was observed later", async () => {
    const watch = await watching();
    change({ machines: [...facts.machines, "other"] });
    await watch.look();
    expect(readSeenOrigin(folder())?.machines).toContain("other");
    change({ origin: "two", machines: [machineId(state)] });
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test("refuses a database whose log position is lower than at the previous observation", async () => {
    const watch = await watching();
    change({ position: 300, machines: [...facts.machines, "other"] });
    await watch.observe();
    change({ position: 200, machines: [machineId(state)] });
    await watch.observe();
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test("takes into account the machines that another process on this machine has seen", async () => {
    const watch = await watching();
    await writeSeenOrigin(folder(), { ...facts, machines: [...facts.machines, "other"], requests: 0, at: AT });
    change({ origin: "two" });
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });
});

test("a process whose database was replaced keeps the recorded origin, so that the next process detects the replacement", async () => {
  change({ machines: [...facts.machines, "other"] });
  const journal = await openMachineJournal(STORE, ledger, dependencies());
  await journal.begin("first");
  change({ origin: "two", machines: [machineId(state)] });
  await journal.end();
  expect(readSeenOrigin(folder())?.origin).toBe("one");
  await expect(openMachineJournal(STORE, ledger, dependencies())).rejects.toMatchObject(OUTDATED);
});

test("a database replaced between the comparison and the start is noticed at the first observation", async () => {
  change({ machines: [...facts.machines, "other"] });
  const journal = await openMachineJournal(STORE, ledger, dependencies());
  change({ origin: "two", machines: [] });
  await journal.begin("first");
  expect(facts.noted?.origin).toBe("one");
  await expect(journal.watch?.look()).rejects.toMatchObject(OUTDATED);
});

/** Starts a process that is about to send. */
async function begun(): Promise<void> {
  await (await openMachineJournal(STORE, ledger, dependencies())).begin("first");
}

describe("a new process", () => {
  test("refuses a database that was moved since this machine, the only sender, last used it", async () => {
    await begun();
    change({ origin: "two" });
    const refused = openMachineJournal(STORE, ledger, dependencies());
    await expect(refused).rejects.toMatchObject(OUTDATED);
    await expect(refused).rejects.toThrow(/another machine may have sent more/);
    expect(facts.noted?.origin).toBe("one");
  });

  test("refuses a database that has recorded its own move, even on a machine that has never used it", async () => {
    await begun();
    change({ origin: "two" });
    state = temporaryFolder();
    await expect(openMachineJournal(STORE, ledger, dependencies())).rejects.toThrow(
      /1 other machine may have sent more/,
    );
  });

  test("accepts a move that a running process has seen, or for which a recovery was recorded", async () => {
    const journal = await openMachineJournal(STORE, ledger, dependencies());
    await journal.begin("first");
    change({ origin: "two" });
    await journal.watch?.look();
    await begun();
    change({ origin: "three" });
    await noteRecovered([folder()], ledger, dependencies());
    await begun();
    state = temporaryFolder();
    await begun();
    expect(notices).toHaveLength(1);
  });
});

describe("a state folder", () => {
  test.each<[string, Parameters<typeof temporaryFolder>[0], string]>([
    ["that cannot be created", { file: "" }, "file/state"],
    ["whose folder of ledgers is a file", { "state/ledgers": "" }, "state"],
    ["whose machine id is a folder", { "state/machine/file": "" }, "state"],
  ])("%s is a storage failure that names XDG_STATE_HOME", async (_, files, name) => {
    state = path.join(temporaryFolder(files), name);
    const hint: unknown = expect.stringContaining("XDG_STATE_HOME");
    await expect(openMachineJournal(STORE, ledger, dependencies())).rejects.toMatchObject({ code: "storage", hint });
  });
});
