import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import type { Dependencies } from "../../job/dependencies.ts";
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
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { Failure } from "../../model/failure.ts";
import { counted } from "../../text/count.ts";
import { timestamp } from "../../time/clock.ts";

type SharedLedger = Pick<Ledger, "findRun" | "history" | "recovery" | "origin">;
export type EvidenceDependencies = Pick<Dependencies, "clock" | "rescueFolder" | "stateFolder" | "notice">;

/** A ledger on a server, which outlives this process and may be restored without it. */
export type ServerStore = Pick<LedgerStore, "name"> & { readonly server: string };

/** Where the processes of this machine keep the journals of a ledger on a server. */
export function machineJournals(
  { server }: Pick<ServerStore, "server">,
  { stateFolder }: Pick<Dependencies, "stateFolder">,
): MachineJournals {
  return { folder: path.join(stateFolder(), "ledgers"), ledgerName: server };
}

/**
 * The journal of this process for a ledger on a server.
 * @throws Failure `ledger_outdated` when the ledger lacks requests that this machine knows, or may lack those of others
 */
export async function openMachineJournal(
  store: ServerStore,
  ledger: SharedLedger,
  dependencies: EvidenceDependencies,
): Promise<Journal> {
  await requireRestoredWhole(store, ledger, dependencies);
  const { clock, rescueFolder, notice } = dependencies;
  const place = machineJournals(store, dependencies);
  const journal = openProcessJournal(place, ledger, { clock, rescueFolder, notice });
  let begun: string | undefined;
  return {
    ...journal,
    async begin(run) {
      const { id = run } = await ledger.history();
      begun = path.join(place.folder, id);
      await writable(place.folder, async () => {
        await ledger.origin?.noteMachine(machineId(dependencies.stateFolder()));
        await journal.begin(run);
        await noteSeen(path.join(place.folder, id), ledger, dependencies);
      });
    },
    async end() {
      await journal.end();
      // The server may be away: the journal tells.
      if (begun !== undefined) await noteSeen(begun, ledger, dependencies).catch(() => undefined);
    },
  };
}

async function writable<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (errorCode(cause) === undefined || cause instanceof Failure) throw cause;
    throw new Failure("storage", `the state folder ${folder} cannot be written`, {
      hint: "nothing was sent; give this user write access to it, or name another one in XDG_STATE_HOME",
      cause,
    });
  }
}

/** Notes in a ledger's folder where the ledger comes from, and how many requests it knows. */
export async function noteSeen(
  folder: string,
  { history, origin }: Pick<SharedLedger, "history" | "origin">,
  { clock }: Pick<Dependencies, "clock">,
  state: "recovered" | "in use" = "in use",
): Promise<void> {
  if (origin === undefined) return;
  const seen = { ...(await origin.facts()), requests: (await history()).requests, at: timestamp(clock) };
  await writeSeenOrigin(folder, seen, state);
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
 * Compares all that this machine knows of the ledger with the database.
 * @throws Failure `ledger_outdated`
 */
async function requireRestoredWhole(
  store: ServerStore,
  ledger: SharedLedger,
  dependencies: EvidenceDependencies,
): Promise<void> {
  await requireJournaledRequests(store, ledger, dependencies);
  const place = machineJournals(store, dependencies);
  const doubt = await doubtOf(place, ledger, dependencies);
  if (doubt?.kind === "lost") throw lostRequests(store, doubt);
  if (doubt !== undefined && doubt.others > 0) throw movedDatabase(store, doubt);
  if (doubt !== undefined) dependencies.notice(movedText(store, doubt.seen));
  const { id } = await ledger.history();
  if (id !== undefined) removeOldJournals(place, id, dependencies.clock.now());
}

/** Why requests may be missing that no journal of this machine knows. */
export interface Doubt {
  /** `lost`: this machine has seen more requests. `moved`: the database was restored, moved or failed over. */
  readonly kind: "lost" | "moved";
  readonly seen: SeenOrigin;
  readonly requests: number;
  /** Other machines that have sent. */
  readonly others: number;
}

/** @param journaled requests that the journals know, and the ledger does not */
export async function doubtOf(
  place: MachineJournals,
  ledger: SharedLedger,
  { stateFolder }: Pick<Dependencies, "stateFolder">,
  journaled = 0,
): Promise<Doubt | undefined> {
  const folders = ledgerFolders(place, (await ledger.history()).id);
  const doubts: Doubt[] = [];
  for (const folder of folders) {
    const seen = readSeenOrigin(folder);
    if (seen === undefined || ledger.origin === undefined) continue;
    const facts = await ledger.origin.facts();
    const { requests } = await ledger.history();
    const machines = new Set([...facts.machines, ...seen.machines]);
    machines.delete(machineId(stateFolder()));
    const found = { seen, requests, others: machines.size };
    const isMoved = seen.origin !== facts.origin || facts.position < seen.position;
    if (seen.requests > requests + journaled) doubts.push({ kind: "lost", ...found });
    else if (isMoved) doubts.push({ kind: "moved", ...found });
  }
  return doubts.find(({ kind }) => kind === "lost") ?? doubts[0];
}

const REPAIR_HINT =
  "nothing was sent. Restore a newer copy of the database; or, without one, run `migrate ledger repair` with the same " +
  "--ledger on each machine that has sent: records that may have been sent become ambiguous, and `migrate reconcile` " +
  "settles them";

function outdatedDatabase({ name }: ServerStore, { file, unknown, lastRun, lastAt, end }: JournalComparison): Failure {
  const run = lastRun === undefined ? "" : ` of run ${lastRun} (${lastAt ?? "time unknown"})`;
  const lacks =
    end.state === "damaged"
      ? `cannot be compared with the journal ${file}, which is damaged`
      : unknown > 0
        ? `does not know ${counted(unknown, "request")} in the journal ${file}${run}`
        : `was restored to a time before the end of the journal ${file}${run}`;
  return new Failure("ledger_outdated", `the ledger ${name} ${lacks}`, {
    hint: `${REPAIR_HINT}. To begin a new ledger on purpose, remove the folder ${path.dirname(path.dirname(file))}`,
  });
}

function lostRequests({ name }: ServerStore, { seen, requests }: Doubt): Failure {
  return new Failure(
    "ledger_outdated",
    `the ledger ${name} knows ${counted(requests, "request")}, and knew ${counted(seen.requests, "request")} at ${seen.at}`,
    { hint: REPAIR_HINT },
  );
}

function movedText({ name }: ServerStore, { at }: SeenOrigin): string {
  return `The database of the ledger ${name} was restored, moved or failed over since ${at}`;
}

function movedDatabase(store: ServerStore, { seen, others }: Doubt): Failure {
  return new Failure(
    "ledger_outdated",
    `${movedText(store, seen)}. It has every request of this machine, but ${counted(others, "other machine")} may have sent more`,
    {
      hint:
        "nothing was sent. When no request is missing (a failover without loss, a move), run `migrate ledger repair " +
        "--nothing-lost` with the same --ledger. Otherwise run `migrate ledger repair` on each machine that has sent",
    },
  );
}
