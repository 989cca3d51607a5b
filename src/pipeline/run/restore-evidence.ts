import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import type { JournalEnvironment } from "../../job/dependencies.ts";
import type { JournalComparison, JournalPlace } from "../../ledger/journal/compare-journal.ts";
import { compareMachineJournals, ledgerFolders, removeOldJournals } from "../../ledger/journal/machine-journals.ts";
import { machineId, readSeenOrigin, type SeenOrigin } from "../../ledger/journal/seen-origin.ts";
import type { OriginFacts } from "../../ledger/journal/recovery.ts";
import type { JournaledLedger } from "../../ledger/ledger.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import { counted } from "../../text/count.ts";

/** A ledger on a server. Its database may be restored from a backup that lacks some of this machine's requests. */
export interface ServerStore {
  readonly name: string;
  readonly server: string;
}

export function machineJournals({ server }: ServerStore, { stateFolder }: JournalEnvironment): JournalPlace {
  return { folder: path.join(stateFolder(), "ledgers"), ledgerName: server };
}

/**
 * Opens a ledger that must exist.
 * @throws Failure `ledger_outdated` if a database without a ledger has replaced a ledger that this machine has used
 */
export async function openExisting<Result>(
  { name, server }: Pick<LedgerStore, "name" | "server">,
  open: () => Promise<Result>,
  dependencies: JournalEnvironment,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    if (server === undefined || !(error instanceof Failure) || error.code !== "run_unknown") throw error;
    const place = machineJournals({ name, server }, dependencies);
    const [folder] = await usingStateFolder(dependencies, async () => ledgerFolders(place, undefined));
    throw folder === undefined ? error : lostDatabase(name, folder);
  }
}

/**
 * Compares the journals on this machine with the database.
 * @throws Failure `ledger_outdated` if the database lacks requests that the journals contain, or if a journal is
 * corrupt
 */
export async function requireJournaledRequests(
  store: ServerStore,
  ledger: JournaledLedger,
  dependencies: JournalEnvironment,
): Promise<void> {
  const { outdated } = await usingStateFolder(dependencies, () =>
    compareMachineJournals(machineJournals(store, dependencies), ledger),
  );
  const [first] = outdated;
  if (first !== undefined) throw outdatedDatabase(store, first);
}

/**
 * Compares all evidence on this machine with the database.
 * @param remembered the state that this process last observed. If it is given, and the database was moved and contains
 * no requests from other machines, the database is accepted with a notice
 * @throws Failure `ledger_outdated` if the database lacks requests, or may lack requests from other machines
 */
export async function requireCompleteAfterRestore(
  store: ServerStore,
  ledger: JournaledLedger,
  dependencies: JournalEnvironment,
  remembered?: SeenOrigin,
): Promise<void> {
  await requireJournaledRequests(store, ledger, dependencies);
  const place = machineJournals(store, dependencies);
  const found = await usingStateFolder(dependencies, () =>
    findRestoreEvidence(place, ledger, dependencies, { remembered }),
  );
  if (found?.kind === "lost") throw lostRequests(store, found);
  if (found !== undefined && (found.others > 0 || remembered === undefined)) throw movedDatabase(store, found);
  if (found !== undefined) dependencies.notice(movedText(store, found.seen));
  const { id } = await ledger.history();
  if (id === undefined) return;
  await usingStateFolder(dependencies, async () => removeOldJournals(place, id, dependencies.clock.now()));
}

/**
 * Performs work on the files in the state folder.
 * @throws Failure `storage` if one of them cannot be read or written
 */
export async function usingStateFolder<Result>(
  { stateFolder }: Pick<JournalEnvironment, "stateFolder">,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const code = errorCode(cause) ?? "";
    if (!SYSTEM_ERROR.test(code)) throw cause;
    throw new Failure("storage", `the state folder ${stateFolder()} cannot be read or written (${code})`, {
      hint: "nothing more was sent; grant this user write access to the folder, or set XDG_STATE_HOME to another folder",
      cause,
    });
  }
}

/** Matches error codes of the operating system, such as `ENOENT`, but not of failures or the database server. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

/** A reason why the ledger may lack requests that no journal on this machine contains. */
export interface RestoreEvidence {
  /**
   * `lost`: more requests were seen earlier than the ledger and the journals contain. `moved`: the database was
   * restored, moved or failed over.
   */
  readonly kind: "lost" | "moved";
  readonly seen: SeenOrigin;
  readonly requests: number;
  /** Number of other machines that have sent requests. */
  readonly others: number;
}

interface Known {
  /** Number of requests that the journals contain but the ledger lacks. */
  readonly journaled?: number;
  /** The state that this process last observed. */
  readonly remembered?: SeenOrigin | undefined;
}

export async function findRestoreEvidence(
  place: JournalPlace,
  ledger: JournaledLedger,
  { stateFolder }: JournalEnvironment,
  { journaled = 0, remembered }: Known = {},
): Promise<RestoreEvidence | undefined> {
  const { id } = await ledger.history();
  if (ledger.origin === undefined) return undefined;
  const facts = await ledger.origin.facts();
  const seenByMachine = [remembered, ...ledgerFolders(place, id).map(readSeenOrigin)];
  // The evidence in the database itself is for machines without evidence of their own.
  const noted = facts.noted && { ...facts.noted, position: 0, machines: [], requests: 0 };
  const known = [...seenByMachine, noted].filter((seen) => seen !== undefined);
  const { requests } = await ledger.history();
  const machines = new Set(machinesIn(facts, ...known));
  machines.delete(machineId(stateFolder()));
  const allEvidence = known.flatMap((seen): readonly RestoreEvidence[] => {
    const found = { seen, requests, others: machines.size };
    if (seen.requests > requests + journaled) return [{ kind: "lost", ...found }];
    return isMoved(seen, facts) ? [{ kind: "moved", ...found }] : [];
  });
  return allEvidence.find(({ kind }) => kind === "lost") ?? allEvidence[0];
}

/** Whether the database was restored, moved or failed over between the two observations. */
export function isMoved(seen: OriginFacts, facts: OriginFacts): boolean {
  return seen.origin !== facts.origin || facts.position < seen.position;
}

/** Returns the machines in these facts, without duplicates. */
export function machinesIn(...facts: readonly (OriginFacts | undefined)[]): readonly string[] {
  return [...new Set(facts.flatMap((one) => one?.machines ?? []))];
}

const REPAIR_HINT =
  "nothing more was sent. Restore a newer copy of the database. If there is none, run `migrate ledger repair` with the same " +
  "--ledger on each machine that has sent records: records that may have been sent become ambiguous, and `migrate reconcile` " +
  "resolves them";

/** Names the last run in a journal, at the end of a message. */
export function lastRunText({ lastRun, lastAt }: JournalComparison): string {
  return lastRun === undefined ? "" : `; the last run in the journal is ${lastRun} (${lastAt ?? "time unknown"})`;
}

function outdatedDatabase({ name }: ServerStore, comparison: JournalComparison): Failure {
  const { file, unknown, end } = comparison;
  const last = lastRunText(comparison);
  const finding =
    end.state === "corrupt"
      ? `cannot be compared with the corrupt journal ${file}`
      : unknown > 0
        ? `lacks ${counted(unknown, "request")} that the journal ${file} contains${last}`
        : `was restored to a state older than the journal ${file}${last}`;
  return new Failure("ledger_outdated", `the ledger ${name} ${finding}`, {
    hint: `${REPAIR_HINT}. To start a new ledger, remove the folder ${path.dirname(path.dirname(file))}`,
  });
}

function lostDatabase(name: string, folder: string): Failure {
  return new Failure(
    "ledger_outdated",
    `the ledger ${name} is lost: its database has no ledger, but this machine has its journals in ${folder}`,
    { hint: `${REPAIR_HINT}. To start a new ledger, remove this folder` },
  );
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
        "nothing more was sent. If no request is missing (a move, or a failover without loss), run `migrate ledger repair " +
        "--nothing-lost` with the same --ledger. Otherwise run `migrate ledger repair` on each machine that has sent records",
    },
  );
}
