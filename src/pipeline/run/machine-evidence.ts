import path from "node:path";
import type { JournalEnvironment } from "../../job/dependencies.ts";
import { openProcessJournal } from "../../ledger/journal/machine-journals.ts";
import type { Journal } from "../../ledger/journal/open-journal.ts";
import type { JournaledLedger } from "../../ledger/ledger.ts";
import type { OriginFacts } from "../../ledger/journal/recovery.ts";
import { machineId, type SeenOrigin, writeSeenOrigin } from "../../ledger/journal/seen-origin.ts";
import { timestamp } from "../../time/clock.ts";
import {
  isMoved,
  machineJournals,
  machinesIn,
  requireCompleteAfterRestore,
  type ServerStore,
  usingStateFolder,
} from "./restore-evidence.ts";

/** The journal for a ledger that may be restored while the process is running. */
export interface WatchedJournal extends Journal {
  readonly watch?: OriginWatch;
}

/**
 * Opens the journal of this process for a ledger on a server.
 * @throws Failure `ledger_outdated` if the ledger lacks requests that this machine recorded, or may lack requests from
 * other machines
 */
export async function openMachineJournal(
  store: ServerStore,
  ledger: JournaledLedger,
  dependencies: JournalEnvironment,
): Promise<WatchedJournal> {
  // `look` remembers the state before the comparison, so that a later call detects a restore during the comparison.
  const watch = watchOrigin(store, ledger, dependencies);
  await watch.look();
  await requireCompleteAfterRestore(store, ledger, dependencies);
  const { clock, rescueFolder, notice } = dependencies;
  const place = machineJournals(store, dependencies);
  const journal = openProcessJournal(place, ledger, { clock, rescueFolder, notice });
  let hasBegun = false;
  return {
    ...journal,
    watch,
    async begin(run) {
      await usingStateFolder(dependencies, async () => {
        await ledger.origin?.noteMachine(machineId(dependencies.stateFolder()));
        await watch.confirmComplete();
        await journal.begin(run);
        await watch.note(run);
      });
      hasBegun = true;
    },
    async end() {
      await journal.end();
      // If the server is unreachable, the journal alone is sufficient evidence.
      if (hasBegun) await watch.note().catch(() => undefined);
    },
  };
}

/** Detects whether the database is replaced by another copy while this process is running. */
export interface OriginWatch {
  /**
   * Compares the database with its last observed state. If the database was restored, moved or failed over, compares it
   * with all evidence on this machine. The first call only remembers the state.
   * @throws Failure `ledger_outdated`, and again on each later call
   */
  readonly look: () => Promise<void>;
  /** Remembers the current state. Does nothing if the database was replaced, because the next `look` handles that. */
  readonly observe: () => Promise<void>;
  /** Notes in the database, for machines without evidence of their own, that its last observed state is complete. */
  readonly confirmComplete: () => Promise<void>;
  /**
   * Saves the current state for later processes. Keeps the earlier saved state if the database was replaced.
   * @param run the run that begins, for a ledger without earlier runs
   */
  readonly note: (run?: string) => Promise<void>;
}

export function watchOrigin(
  store: ServerStore,
  ledger: JournaledLedger,
  dependencies: JournalEnvironment,
): OriginWatch {
  const { origin } = ledger;
  const { clock } = dependencies;
  const place = machineJournals(store, dependencies);
  let last: SeenOrigin | undefined;
  const remember = (facts: OriginFacts): void => {
    last = { ...facts, machines: machinesIn(facts, last), requests: 0, at: timestamp(clock) };
  };
  const note = async (run?: string): Promise<void> => {
    const { id = run, requests } = await ledger.history();
    const facts = await origin?.facts();
    if (facts === undefined || id === undefined || (last !== undefined && mayBeOther(last, facts))) return;
    remember(facts);
    const machines = machinesIn(facts, last);
    await writeSeenOrigin(path.join(place.folder, id), { ...facts, machines, requests, at: timestamp(clock) });
  };
  const seen = async (facts: OriginFacts): Promise<void> => {
    const isNew = last !== undefined && machinesIn(facts, last).length > last.machines.length;
    remember(facts);
    // A restored copy may lack the new machines, so they are also stored on this machine.
    if (isNew) await usingStateFolder(dependencies, () => note());
  };
  const confirmComplete = async (): Promise<void> => {
    // Uses the observed origin, not the current one, because a copy that has replaced the database must not confirm
    // itself.
    if (last !== undefined) await origin?.noteOrigin(last.origin, timestamp(clock));
  };
  return {
    note,
    confirmComplete,
    async observe() {
      const facts = await origin?.facts();
      if (facts !== undefined && last !== undefined && !mayBeOther(last, facts)) await seen(facts);
    },
    async look() {
      const facts = await origin?.facts();
      if (facts === undefined) return;
      const isOther = last !== undefined && mayBeOther(last, facts);
      if (isOther) await requireCompleteAfterRestore(store, ledger, dependencies, last);
      await seen(facts);
      if (!isOther) return;
      await confirmComplete();
      await usingStateFolder(dependencies, () => note());
    },
  };
}

/**
 * Whether the database may be another copy: it was restored, moved or failed over between the two observations, or its
 * server was restarted.
 */
function mayBeOther(seen: OriginFacts, facts: OriginFacts): boolean {
  return isMoved(seen, facts) || seen.startedAt !== facts.startedAt;
}

/**
 * Records the origin of a ledger that accounts for all lost requests, and saves the ledger's number of requests in its
 * folders on this machine.
 */
export async function noteRecovered(
  folders: readonly string[],
  ledger: JournaledLedger,
  { clock }: JournalEnvironment,
): Promise<void> {
  const { origin } = ledger;
  if (origin === undefined) return;
  const facts = await origin.facts();
  const at = timestamp(clock);
  await origin.noteOrigin(facts.origin, at);
  const { requests } = await ledger.history();
  for (const folder of folders) await writeSeenOrigin(folder, { ...facts, requests, at }, "recovered");
}
