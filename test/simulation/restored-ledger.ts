import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ledgerRepair } from "../../src/commands/ledger/ledger-maintenance.ts";
import { openJournal, type Journal } from "../../src/ledger/journal/open-journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { watchPlace } from "../../src/ledger/sqlite/lock/ledger-place.ts";
import { guardedLedger } from "../../src/ledger/sqlite/sqlite-store.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import { Failure } from "../../src/model/failure.ts";
import { journalPlace, openRunJournal } from "../../src/pipeline/run/run-journal.ts";
import { between, type Dice } from "../seeded-dice.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

/** Takes copies of the ledger at random, and sometimes replaces the ledger with one of them. */
export interface Restores {
  /** Receives every event, because some copies are taken while a run sends. */
  readonly notice: (event: string) => void;
  /** Called after a process has closed the ledger. Returns whether the ledger was replaced or removed. */
  readonly betweenProcesses: () => boolean;
  /** Called while a process uses the ledger. May replace the ledger. */
  readonly whileInUse: () => LedgerInUse;
  /** Returns the command to run after a repair. */
  readonly afterRepair: () => "push" | "resume";
  /** Opens the ledger as a command does. If the ledger is refused, repairs it as documented. */
  readonly open: () => Promise<JournaledLedger>;
}

interface LedgerInUse {
  /** Called when the process has ended. Returns whether its ledger was replaced or removed. */
  readonly end: () => boolean;
}

export interface JournaledLedger {
  readonly ledger: Ledger;
  readonly journal: Journal;
  /** Whether the ledger was repaired before it was opened. */
  readonly isRepaired: boolean;
  /** Closes the journal of a dead process. Its files stay unchanged. */
  readonly abandon: () => Promise<void>;
}

export interface RestoreOptions {
  readonly ledgerPath: string;
  readonly dice: Dice;
  /** Random numbers for replacing the ledger while a process uses it, and for the command after a repair. */
  readonly inUseDice: Dice;
  readonly clock: SimulatedClock;
  readonly note: (event: string) => void;
  /** Whether the ledger is compared with its journal before a run sends anything. */
  readonly comparesJournal: boolean;
}

const SIDES = ["", "-wal", "-checksums"] as const;
const COPY_SHARE_OF_WRITES = 0.1;
const COPY_SHARE_OF_PROCESSES = 0.4;
const RESTORE_SHARE = 0.4;
const IN_USE_SHARE = 0.25;
const RESUME_SHARE = 0.4;
/** The share of restores that only remove the ledger. */
const LOSS_SHARE = 0.15;
/** The share of restores whose copy has no checksum file. */
const NO_CHECKSUM_SHARE = 0.3;

export function createRestores(options: RestoreOptions): Restores {
  const { ledgerPath, dice, inUseDice, clock, note } = options;
  let copies = 0;

  const copyOf = (copy: number): string => path.join(path.dirname(ledgerPath), `copy-${copy}`);
  const take = (): void => {
    if (!existsSync(ledgerPath)) return;
    copies += 1;
    for (const side of SIDES) if (existsSync(ledgerPath + side)) copyFileSync(ledgerPath + side, copyOf(copies) + side);
    note(`copy ${copies} of the ledger taken`);
  };
  const restore = (by: Dice): void => {
    for (const side of ["", "-wal", "-shm", "-checksums"]) rmSync(ledgerPath + side, { force: true });
    if (copies === 0 || by() < LOSS_SHARE) return note("the ledger is removed");
    const copy = between(by, 1, copies);
    const sides = by() < NO_CHECKSUM_SHARE ? SIDES.slice(0, 2) : SIDES;
    for (const side of sides) if (existsSync(copyOf(copy) + side)) copyFileSync(copyOf(copy) + side, ledgerPath + side);
    note(`the ledger is replaced by copy ${copy}, ${sides.length === 2 ? "without" : "with"} checksums`);
  };

  return {
    notice(event) {
      if (event.endsWith(" written") && dice() < COPY_SHARE_OF_WRITES) take();
    },
    betweenProcesses() {
      const isRestored = dice() < RESTORE_SHARE;
      if (isRestored) restore(dice);
      if (dice() < COPY_SHARE_OF_PROCESSES) take();
      return isRestored;
    },
    whileInUse() {
      const flags = { hasEnded: false, isReplaced: false };
      const replaceLater = async (): Promise<void> => {
        await clock.sleep(between(inUseDice, 1, inUseDice() < 0.7 ? 1_500 : 20_000));
        if (flags.hasEnded) return;
        note("the ledger is replaced while it is in use");
        flags.isReplaced = true;
        restore(inUseDice);
      };
      if (inUseDice() < IN_USE_SHARE) void replaceLater();
      return {
        end() {
          flags.hasEnded = true;
          return flags.isReplaced;
        },
      };
    },
    afterRepair: () => (inUseDice() < RESUME_SHARE ? "resume" : "push"),
    async open() {
      try {
        return await openJournaled(options);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        note(`refused: ${error.code}`);
        await repair(options);
        return { ...(await openJournaled(options)), isRepaired: true };
      }
    },
  };
}

function toolsOf({ ledgerPath, clock }: RestoreOptions) {
  const folder = path.dirname(ledgerPath);
  return { clock, rescueFolder: folder, stateFolder: () => path.join(folder, "state"), notice: () => undefined };
}

async function repair(options: RestoreOptions): Promise<void> {
  const { ledgerPath, clock, note } = options;
  // Waits 2 s, because a repair renames the previous ledger, and the new name contains the time only to the second.
  const until = clock.monotonic() + 2_000;
  void clock.sleep(2_000);
  while (clock.monotonic() < until && clock.step()) await new Promise(setImmediate);
  const { ambiguous, noted, isUncertain } = await ledgerRepair({ ledger: ledgerPath }, toolsOf(options));
  note(`repaired: ${ambiguous} ambiguous, ${noted} noted from the journal${isUncertain ? ", uncertain" : ""}`);
}

async function openJournaled(options: RestoreOptions): Promise<JournaledLedger> {
  const { ledgerPath, clock, comparesJournal } = options;
  const place = { folder: path.dirname(ledgerPath), name: ledgerPath };
  const ledger = guardedLedger(
    await openLedger({ path: ledgerPath, clock }),
    NO_LOCK,
    watchPlace(ledgerPath, (work, everyMs) => repeated(clock, work, everyMs)),
  );
  try {
    const tools = toolsOf(options);
    const journal = comparesJournal
      ? await openRunJournal(place, ledger, tools)
      : openJournal(journalPlace(place), ledger, tools);
    return { ledger, journal, isRepaired: false, abandon: () => abandon(journal, journalPlace(place).folder) };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

const NO_LOCK = { requireHeld: () => undefined, release: () => Promise.resolve() };

function repeated(clock: SimulatedClock, work: () => void, everyMs: number): () => void {
  const over = new AbortController();
  const repeat = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(everyMs, over.signal);
      if (over.signal.aborted) return;
      work();
    }
  };
  void repeat();
  return () => over.abort();
}

/** Closes the journal, then restores its files, because a dead process writes no final entry. */
async function abandon(journal: Journal, folder: string): Promise<void> {
  const files = existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
  const before = files.map((file) => ({ file, bytes: readFileSync(file) }));
  await journal.end();
  for (const { file, bytes } of before) writeFileSync(file, bytes);
}
