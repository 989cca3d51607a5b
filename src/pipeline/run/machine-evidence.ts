import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import type { Dependencies, JournalEnvironment } from "../../job/dependencies.ts";
import type { JournalComparison } from "../../ledger/journal/compare-journal.ts";
import {
  compareMachineJournals,
  ledgerFolders,
  type MachineJournals,
  openProcessJournal,
  removeOldJournals,
} from "../../ledger/journal/machine-journals.ts";
import type { Journal } from "../../ledger/journal/open-journal.ts";
import { machineId, readSeenOrigin, type SeenOrigin, writeSeenOrigin } from "../../ledger/journal/seen-origin.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { OriginFacts } from "../../ledger/journal/recovery.ts";
import { Failure } from "../../model/failure.ts";
import { counted } from "../../text/count.ts";
import { timestamp } from "../../time/clock.ts";

type SharedLedger = Pick<Ledger, "findRun" | "history" | "recovery" | "origin">;
export type EvidenceDependencies = JournalEnvironment;

/** A ledger on a server. It outlives this process and may be restored without it. */
export type ServerStore = { readonly name: string } & { readonly server: string };

/** The journals of this machine for a ledger on a server. */
export function machineJournals(
  { server }: Pick<ServerStore, "server">,
  { stateFolder }: Pick<Dependencies, "stateFolder">,
): MachineJournals {
  return { folder: path.join(stateFolder(), "ledgers"), ledgerName: server };
}

/** A journal of a ledger that may be restored while the process is running. */
export interface WatchedJournal extends Journal {
  readonly watch?: OriginWatch;
}

/**
 * The journal of this process for a ledger on a server.
 * @throws Failure `ledger_outdated` if the ledger lacks requests that this machine knows, or may lack requests of
 * others
 */
export async function openMachineJournal(
  store: ServerStore,
  ledger: SharedLedger,
  dependencies: EvidenceDependencies,
): Promise<WatchedJournal> {
  // `look` is called before the comparison, so that a restore between the two is detected.
  const watch = watchOrigin(store, ledger, dependencies);
  await watch.look();
  await requireRestoredWhole(store, ledger, dependencies);
  const { clock, rescueFolder, notice } = dependencies;
  const place = machineJournals(store, dependencies);
  const journal = openProcessJournal(place, ledger, { clock, rescueFolder, notice });
  let hasBegun = false;
  return {
    ...journal,
    watch,
    async begin(run) {
      await writable(place.folder, async () => {
        await ledger.origin?.noteMachine(machineId(dependencies.stateFolder()));
        await watch.confirmComplete();
        await journal.begin(run);
        await watch.note(run);
      });
      hasBegun = true;
    },
    async end() {
      await journal.end();
      // The server may be unreachable: the journal then has the evidence.
      if (hasBegun) await watch.note().catch(() => undefined);
    },
  };
}

/** Detects that the database was replaced by another copy while this process is running. */
export interface OriginWatch {
  /**
   * Compares the database with its last observed state. If it was restored, moved or failed over, compares it with all
   * evidence of this machine. The first call only remembers the state.
   * @throws Failure `ledger_outdated`, again on each call
   */
  readonly look: () => Promise<void>;
  /** Remembers the current state, unless the database was replaced: the next `look` handles that. */
  readonly observe: () => Promise<void>;
  /** Records in the database, for machines without evidence, that its last observed state is complete. */
  readonly confirmComplete: () => Promise<void>;
  /**
   * Saves the observed state, unless the database was replaced: later processes compare with the earlier state.
   * @param run the first run of a ledger that has none
   */
  readonly note: (run?: string) => Promise<void>;
}

export function watchOrigin(store: ServerStore, ledger: SharedLedger, dependencies: EvidenceDependencies): OriginWatch {
  const { origin } = ledger;
  const { clock } = dependencies;
  const place = machineJournals(store, dependencies);
  let last: SeenOrigin | undefined;
  const remember = (facts: OriginFacts): void => {
    last = { ...facts, machines: allOf(facts, last), requests: 0, at: timestamp(clock) };
  };
  const note = async (run?: string): Promise<void> => {
    const { id = run, requests } = await ledger.history();
    const facts = await origin?.facts();
    if (facts === undefined || id === undefined || (last !== undefined && mayBeOther(last, facts))) return;
    remember(facts);
    const machines = allOf(facts, last);
    await writeSeenOrigin(path.join(place.folder, id), { ...facts, machines, requests, at: timestamp(clock) });
  };
  const seen = async (facts: OriginFacts): Promise<void> => {
    const isNew = last !== undefined && allOf(facts, last).length > last.machines.length;
    remember(facts);
    // A restored copy may not know the new machines.
    if (isNew) await writable(place.folder, () => note());
  };
  const confirmComplete = async (): Promise<void> => {
    // Uses the observed origin, not the current one: a copy that replaced the database must not confirm itself.
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
      if (isOther) await requireRestoredWhole(store, ledger, dependencies, last);
      await seen(facts);
      if (!isOther) return;
      await confirmComplete();
      await writable(place.folder, () => note());
    },
  };
}

/** The database was restored, moved, or failed over between the two, or its server was only restarted. */
function mayBeOther(seen: OriginFacts, facts: OriginFacts): boolean {
  return isMoved(seen, facts) || seen.startedAt !== facts.startedAt;
}

/** The database was restored, moved, or failed over between the two. */
function isMoved(seen: OriginFacts, facts: OriginFacts): boolean {
  return seen.origin !== facts.origin || facts.position < seen.position;
}

function allOf(...facts: readonly (OriginFacts | undefined)[]): readonly string[] {
  return [...new Set(facts.flatMap((one) => one?.machines ?? []))];
}

async function writable<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (errorCode(cause) === undefined || cause instanceof Failure) throw cause;
    throw new Failure("storage", `the state folder ${folder} cannot be written`, {
      hint: "nothing was sent; grant this user write access to it, or set XDG_STATE_HOME to another folder",
      cause,
    });
  }
}

/**
 * Records the origin of a ledger whose lost requests are accounted for, and saves its number of requests in its folders
 * on this machine.
 */
export async function noteRecovered(
  folders: readonly string[],
  { history, origin }: Pick<SharedLedger, "history" | "origin">,
  { clock }: Pick<Dependencies, "clock">,
): Promise<void> {
  if (origin === undefined) return;
  const facts = await origin.facts();
  const at = timestamp(clock);
  await origin.noteOrigin(facts.origin, at);
  const { requests } = await history();
  for (const folder of folders) await writeSeenOrigin(folder, { ...facts, requests, at }, "recovered");
}

/**
 * Compares the journals of this machine with the database.
 * @throws Failure `ledger_outdated`
 */
export async function requireJournaledRequests(
  store: ServerStore,
  ledger: SharedLedger,
  dependencies: Pick<Dependencies, "stateFolder">,
): Promise<void> {
  const { outdated } = await compareMachineJournals(machineJournals(store, dependencies), ledger);
  const [first] = outdated;
  if (first !== undefined) throw outdatedDatabase(store, first);
}

/**
 * Compares all evidence of this machine with the database.
 * @param remembered state that this running process observed recently: it then knows whether others have sent
 * @throws Failure `ledger_outdated`
 */
async function requireRestoredWhole(
  store: ServerStore,
  ledger: SharedLedger,
  dependencies: EvidenceDependencies,
  remembered?: SeenOrigin,
): Promise<void> {
  await requireJournaledRequests(store, ledger, dependencies);
  const place = machineJournals(store, dependencies);
  const found = await findRestoreEvidence(place, ledger, dependencies, { remembered });
  if (found?.kind === "lost") throw lostRequests(store, found);
  if (found !== undefined && (found.others > 0 || remembered === undefined)) throw movedDatabase(store, found);
  if (found !== undefined) dependencies.notice(movedText(store, found.seen));
  const { id } = await ledger.history();
  if (id !== undefined) removeOldJournals(place, id, dependencies.clock.now());
}

/** The reason why the ledger may lack requests that no journal of this machine contains. */
export interface RestoreEvidence {
  /** `lost`: this machine has seen more requests. `moved`: the database was restored, moved or failed over. */
  readonly kind: "lost" | "moved";
  readonly seen: SeenOrigin;
  readonly requests: number;
  /** Other machines that have sent requests. */
  readonly others: number;
}

interface Known {
  /** Journal requests missing from the ledger. */
  readonly journaled?: number;
  /** The state that this process observed. */
  readonly remembered?: SeenOrigin | undefined;
}

export async function findRestoreEvidence(
  place: MachineJournals,
  ledger: SharedLedger,
  { stateFolder }: Pick<Dependencies, "stateFolder">,
  { journaled = 0, remembered }: Known = {},
): Promise<RestoreEvidence | undefined> {
  const { id } = await ledger.history();
  if (ledger.origin === undefined) return undefined;
  const facts = await ledger.origin.facts();
  const seenHere = [remembered, ...ledgerFolders(place, id).map(readSeenOrigin)];
  const known = [...seenHere, notedIn(facts)].filter((seen) => seen !== undefined);
  const { requests } = await ledger.history();
  const machines = new Set(allOf(facts, ...known));
  machines.delete(machineId(stateFolder()));
  const allEvidence = known.flatMap((seen): readonly RestoreEvidence[] => {
    const found = { seen, requests, others: machines.size };
    if (seen.requests > requests + journaled) return [{ kind: "lost", ...found }];
    return isMoved(seen, facts) ? [{ kind: "moved", ...found }] : [];
  });
  return allEvidence.find(({ kind }) => kind === "lost") ?? allEvidence[0];
}

/** The evidence that the database itself recorded, for a machine without evidence. */
function notedIn({ noted }: OriginFacts): SeenOrigin | undefined {
  return noted && { ...noted, position: 0, machines: [], requests: 0 };
}

const REPAIR_HINT =
  "nothing was sent. Restore a newer copy of the database. If there is none, run `migrate ledger repair` with the same " +
  "--ledger on each machine that has sent records: records that may have been sent become ambiguous, and `migrate reconcile` " +
  "resolves them";

function outdatedDatabase({ name }: ServerStore, { file, unknown, lastRun, lastAt, end }: JournalComparison): Failure {
  const run = lastRun === undefined ? "" : ` of run ${lastRun} (${lastAt ?? "time unknown"})`;
  const lacks =
    end.state === "corrupt"
      ? `cannot be compared with the corrupt journal ${file}`
      : unknown > 0
        ? `does not know ${counted(unknown, "request")} in the journal ${file}${run}`
        : `was restored to a state older than the journal ${file}${run}`;
  return new Failure("ledger_outdated", `the ledger ${name} ${lacks}`, {
    hint: `${REPAIR_HINT}. To start a new ledger, remove the folder ${path.dirname(path.dirname(file))}`,
  });
}

function lostRequests({ name }: ServerStore, { seen, requests }: RestoreEvidence): Failure {
  return new Failure(
    "ledger_outdated",
    `the ledger ${name} has ${counted(requests, "request")}, but had ${counted(seen.requests, "request")} at ${seen.at}`,
    { hint: REPAIR_HINT },
  );
}

function movedText({ name }: ServerStore, { at }: SeenOrigin): string {
  return `The database of the ledger ${name} has been restored, moved or failed over since ${at}`;
}

function movedDatabase(store: ServerStore, { seen, others }: RestoreEvidence): Failure {
  const senders = others === 0 ? "another machine" : counted(others, "other machine");
  return new Failure(
    "ledger_outdated",
    `${movedText(store, seen)}. It has every request known to this machine, but ${senders} may have sent more`,
    {
      hint:
        "nothing was sent. If no request is missing (a move, or a failover without loss), run `migrate ledger repair " +
        "--nothing-lost` with the same --ledger. Otherwise run `migrate ledger repair` on each machine that has sent records",
    },
  );
}
