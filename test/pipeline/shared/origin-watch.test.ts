import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { machineId, readSeenOrigin, writeSeenOrigin } from "../../../src/ledger/journal/seen-origin.ts";
import type { OriginFacts, Run } from "../../../src/ledger/ledger.ts";
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
  history: async () => ({ id: "first", requests, lastGivenUpAt: undefined }),
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

/** A process that has looked at the database as it stands. */
async function watching(): Promise<OriginWatch> {
  const watch = watchOrigin(STORE, ledger, dependencies());
  await watch.look();
  return watch;
}

function change(to: Partial<OriginFacts>): void {
  facts = { ...facts, ...to };
}

const OUTDATED = { code: "ledger_outdated" };

describe("a look at the database", () => {
  test("is content with one that goes on", async () => {
    const watch = await watching();
    change({ position: 200 });
    await watch.look();
    await watch.look();
    expect(notices).toEqual([]);
  });

  test("reports one that was moved when only this machine has sent, once", async () => {
    const watch = await watching();
    change({ origin: "two", position: 5 });
    await watch.look();
    await watch.look();
    expect(notices).toEqual([expect.stringMatching(/restored, moved or failed over since/)]);
  });

  test.each<[string, Partial<OriginFacts>]>([
    ["has another origin", { origin: "two" }],
    ["has gone back in its log", { position: 99 }],
  ])("refuses one that %s, each time, when others have sent", async (_, to) => {
    change({ machines: [...facts.machines, "other"] });
    const watch = await watching();
    change({ ...to, machines: [machineId(state)] });
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test.each<[string, Partial<OriginFacts>]>([
    ["has another origin", { origin: "two" }],
    ["was restarted, and has gone further in its log since", { position: 900, startedAt: "later" }],
  ])("refuses one that knows fewer requests than this machine has seen, and %s", async (_, to) => {
    const watch = await watching();
    await writeSeenOrigin(folder(), { ...facts, requests: 10, at: AT });
    change(to);
    requests = 9;
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test("is content with one that was only restarted", async () => {
    change({ machines: [...facts.machines, "other"] });
    const watch = await watching();
    change({ position: 900, startedAt: "later" });
    await watch.observe();
    await watch.look();
    expect(notices).toEqual([]);
  });

  test("counts machines that came later, and that the restored copy does not know", async () => {
    const watch = await watching();
    change({ machines: [...facts.machines, "other"] });
    await watch.look();
    expect(readSeenOrigin(folder())?.machines).toContain("other");
    change({ origin: "two", machines: [machineId(state)] });
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test("compares with what was observed since the last one", async () => {
    const watch = await watching();
    change({ position: 300, machines: [...facts.machines, "other"] });
    await watch.observe();
    change({ position: 200, machines: [machineId(state)] });
    await watch.observe();
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });

  test("counts machines that another process of this machine has seen", async () => {
    const watch = await watching();
    await writeSeenOrigin(folder(), { ...facts, machines: [...facts.machines, "other"], requests: 0, at: AT });
    change({ origin: "two" });
    await expect(watch.look()).rejects.toMatchObject(OUTDATED);
  });
});

test("a process whose database was replaced leaves what the next one compares", async () => {
  change({ machines: [...facts.machines, "other"] });
  const journal = await openMachineJournal(STORE, ledger, dependencies());
  await journal.begin("first");
  change({ origin: "two", machines: [machineId(state)] });
  await journal.end();
  expect(readSeenOrigin(folder())?.origin).toBe("one");
  await expect(openMachineJournal(STORE, ledger, dependencies())).rejects.toMatchObject(OUTDATED);
});

test("a database that is replaced between the comparison and the begin is noticed at the first look", async () => {
  change({ machines: [...facts.machines, "other"] });
  const journal = await openMachineJournal(STORE, ledger, dependencies());
  change({ origin: "two", machines: [] });
  await journal.begin("first");
  expect(facts.noted?.origin).toBe("one");
  await expect(journal.watch?.look()).rejects.toMatchObject(OUTDATED);
});

/** A process that is about to send. */
async function begun(): Promise<void> {
  await (await openMachineJournal(STORE, ledger, dependencies())).begin("first");
}

describe("a new process", () => {
  test("asks when the database was moved since this machine, which alone has sent, last used it", async () => {
    await begun();
    change({ origin: "two" });
    const refused = openMachineJournal(STORE, ledger, dependencies());
    await expect(refused).rejects.toMatchObject(OUTDATED);
    await expect(refused).rejects.toThrow(/another machine may have sent more/);
    expect(facts.noted?.origin).toBe("one");
  });

  test("asks when the database says that it was moved, also on a machine that knows nothing of it", async () => {
    await begun();
    change({ origin: "two" });
    state = temporaryFolder();
    await expect(openMachineJournal(STORE, ledger, dependencies())).rejects.toThrow(
      /1 other machine may have sent more/,
    );
  });

  test("goes on when a process at work has seen the database move, and when a recovery was noted", async () => {
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
