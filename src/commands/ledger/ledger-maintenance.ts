import type { ExportedRow, LedgerCheck, LedgerRepair, StoreOptions } from "../../ledger/ledger-store.ts";
import type { JournaledLedger, Ledger } from "../../ledger/ledger.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { JournalEnvironment } from "../../job/dependencies.ts";
import { recoverFromJournals, recoverMachine } from "../../ledger/journal/recover-from-journals.ts";
import { hasMachineJournals, ledgerFolders } from "../../ledger/journal/machine-journals.ts";
import { settingsWithoutSecret } from "../../job/settings/recorded-settings.ts";
import { noteRecovered } from "../../pipeline/run/machine-evidence.ts";
import { findRestoreEvidence, machineJournals, usingStateFolder } from "../../pipeline/run/restore-evidence.ts";
import { hasJournals, journalPlace } from "../../pipeline/run/run-journal.ts";
import { timestamp } from "../../time/clock.ts";

export interface LedgerOptions {
  /** Locator of the ledger: the path of its file, or its URL. */
  readonly ledger: string;
}

/** Checks the ledger for corruption. Changes nothing. */
export async function ledgerCheck({ ledger }: LedgerOptions, { notice }: StoreOptions): Promise<LedgerCheck> {
  return (await openLedgerStore(ledger, { notice })).check();
}

/** The result of a repair, which also adds requests from the journals. */
export interface RepairedLedger extends LedgerRepair {
  /** The number of requests that were in the journals but not in the ledger. */
  readonly noted: number;
  /** Whether the journals may lack requests. If so, records that are new to the ledger may already have been sent. */
  readonly isUncertain: boolean;
}

export interface RepairOptions extends LedgerOptions {
  /** Whether the user confirms that the only missing requests are those in the journals of this machine. */
  readonly nothingLost?: boolean | undefined;
  /**
   * Whether the user says that requests are missing from the ledger and from its journals. If there is no ledger, an
   * empty one is created.
   */
  readonly someLost?: boolean | undefined;
}

type RepairDependencies = JournalEnvironment & Pick<StoreOptions, "drain">;

/**
 * Repairs the ledger from its readable data and adds the requests that only its journals contain. Keeps the corrupt
 * ledger.
 */
export async function ledgerRepair(
  { ledger, nothingLost = false, someLost = false }: RepairOptions,
  dependencies: RepairDependencies,
): Promise<RepairedLedger> {
  const { clock, rescueFolder, notice } = dependencies;
  const store = await openLedgerStore(ledger, dependencies);
  const at = timestamp(clock);
  const { server } = store;
  if (server !== undefined) {
    const recovery = { ...dependencies, at, nothingLost, someLost };
    return usingStateFolder(dependencies, () => recoverServerLedger({ ...store, server }, recovery));
  }
  if (nothingLost) {
    throw new Failure("usage", "--nothing-lost applies only to a ledger in PostgreSQL", {
      hint: "omit the option: the journal of a ledger file shows which requests are missing",
    });
  }
  if (store.repair === undefined) {
    throw new Failure("usage", `the ledger ${store.name} is not kept in a file, so there is nothing to repair here`, {
      hint: "restore it with the tools of its database server",
    });
  }
  const stamp = at.replaceAll(/\D/g, "");
  const repaired = await store.repair(stamp, { mayRecreate: hasJournals(store), mayCreate: someLost });
  const opened = await store.write("ledger repair", { create: false });
  try {
    const options = { at, rescueFolder, notice, someLost };
    const { noted, isUncertain } = await recoverFromJournals(journalPlace(store), opened, options);
    return { ...repaired, noted, isUncertain };
  } finally {
    await opened.close();
  }
}

export interface ServerRecovery extends RepairDependencies {
  readonly at: string;
  readonly nothingLost: boolean;
  readonly someLost: boolean;
}

/** The part of a server-based ledger store that a recovery needs. */
export interface ServerLedgerStore {
  readonly name: string;
  readonly server: string;
  readonly write: (
    command: "ledger repair",
    options: { readonly create: boolean },
  ) => Promise<JournaledLedger & Pick<Ledger, "close">>;
}

/**
 * Adds to a restored database the requests that only the journals of this machine contain. The tools of the database
 * server repair the database itself.
 */
export async function recoverServerLedger(
  store: ServerLedgerStore,
  { at, nothingLost, someLost, ...dependencies }: ServerRecovery,
): Promise<RepairedLedger> {
  const { rescueFolder, notice } = dependencies;
  const place = machineJournals(store, dependencies);
  const ledger = await store.write("ledger repair", { create: someLost || hasMachineJournals(place) });
  try {
    const isUncertain = async (isComplete: boolean, unknown: number): Promise<boolean> => {
      if (nothingLost || someLost) return someLost;
      const found = await findRestoreEvidence(place, ledger, dependencies, { journaled: unknown });
      return !isComplete || found?.kind === "lost" || (found?.others ?? 0) > 0;
    };
    const recovered = await recoverMachine(place, ledger, { at, rescueFolder, notice, isUncertain });
    await noteRecovered(ledgerFolders(place, (await ledger.history()).id), ledger, dependencies);
    return { tables: [], ambiguous: 0, noted: recovered.noted, isUncertain: recovered.isUncertain };
  } finally {
    await ledger.close();
  }
}

/** Exports all data of the ledger, except the secrets of runs. */
export async function* ledgerExport({ ledger }: LedgerOptions): AsyncGenerator<readonly ExportedRow[]> {
  for await (const rows of (await openLedgerStore(ledger)).export()) yield rows.map(withoutSecret);
}

function withoutSecret(row: ExportedRow): ExportedRow {
  const { settings } = row;
  return typeof settings === "string" ? { ...row, settings: settingsWithoutSecret(settings) } : row;
}
