import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ledgerRepair } from "../../src/commands/ledger/ledger-maintenance.ts";
import { openJournal, type Journal } from "../../src/ledger/journal/open-journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";
import { Failure } from "../../src/model/failure.ts";
import { journalPlace, openRunJournal } from "../../src/pipeline/run/run-journal.ts";
import { between, type Dice } from "../seeded-dice.ts";
import type { SimulatedClock } from "./simulated-clock.ts";

/** Copies of the ledger that are taken now and then, and that somebody puts in the place of the ledger. */
export interface Restores {
  /** To be told everything that happens: some copies are taken while a run sends. */
  readonly notice: (event: string) => void;
  /** A process has ended, and the ledger is closed. True when another ledger, or none, is in its place now. */
  readonly betweenProcesses: () => boolean;
  /** Opens the ledger as commands do. When it is refused, the operator repairs it, as the documentation says. */
  readonly open: () => Promise<JournaledLedger>;
}

export interface JournaledLedger {
  readonly ledger: Ledger;
  readonly journal: Journal;
  /** It was repaired just now: the documentation has the operator push next, because a resume tells only of its own run. */
  readonly isRepaired: boolean;
  /** The process is dead: the journal stays as it is. */
  readonly abandon: () => Promise<void>;
}

export interface RestoreOptions {
  readonly ledgerPath: string;
  readonly dice: Dice;
  readonly clock: SimulatedClock;
  readonly note: (event: string) => void;
  /** Compare the ledger with its journal before a run sends. */
  readonly comparesJournal: boolean;
}

const SIDES = ["", "-wal", "-seal"] as const;
const COPY_SHARE_OF_WRITES = 0.1;
const COPY_SHARE_OF_PROCESSES = 0.4;
const RESTORE_SHARE = 0.4;
/** Among restores: nothing is put in the place of a lost ledger; the copy has no checksum file. */
const LOSS_SHARE = 0.15;
const NO_CHECKSUM_SHARE = 0.3;

export function createRestores(options: RestoreOptions): Restores {
  const { ledgerPath, dice, note } = options;
  let copies = 0;

  const copyOf = (copy: number): string => path.join(path.dirname(ledgerPath), `copy-${copy}`);
  const take = (): void => {
    if (!existsSync(ledgerPath)) return;
    copies += 1;
    for (const side of SIDES) if (existsSync(ledgerPath + side)) copyFileSync(ledgerPath + side, copyOf(copies) + side);
    note(`copy ${copies} of the ledger taken`);
  };
  const restore = (): void => {
    for (const side of ["", "-wal", "-shm", "-seal"]) rmSync(ledgerPath + side, { force: true });
    if (copies === 0 || dice() < LOSS_SHARE) return note("the ledger is lost");
    const copy = between(dice, 1, copies);
    const sides = dice() < NO_CHECKSUM_SHARE ? SIDES.slice(0, 2) : SIDES;
    for (const side of sides) if (existsSync(copyOf(copy) + side)) copyFileSync(copyOf(copy) + side, ledgerPath + side);
    note(`copy ${copy} of the ledger is put in its place, ${sides.length === 2 ? "without" : "with"} checksums`);
  };

  return {
    notice(event) {
      if (event.endsWith(" written") && dice() < COPY_SHARE_OF_WRITES) take();
    },
    betweenProcesses() {
      const isRestored = dice() < RESTORE_SHARE;
      if (isRestored) restore();
      if (dice() < COPY_SHARE_OF_PROCESSES) take();
      return isRestored;
    },
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
  // The kept ledgers are named by the second.
  const until = clock.monotonic() + 2_000;
  void clock.sleep(2_000);
  while (clock.monotonic() < until && clock.step()) await new Promise(setImmediate);
  const { ambiguous, noted, isUncertain } = await ledgerRepair({ ledger: ledgerPath }, toolsOf(options));
  note(`repaired: ${ambiguous} ambiguous, ${noted} noted from the journal${isUncertain ? ", uncertain" : ""}`);
}

async function openJournaled(options: RestoreOptions): Promise<JournaledLedger> {
  const { ledgerPath, clock, comparesJournal } = options;
  const place = { folder: path.dirname(ledgerPath), name: ledgerPath };
  const ledger = await openLedger({ path: ledgerPath, clock });
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

/** Closes the journal, and puts back what was in its folder: a dead process writes no last entry. */
async function abandon(journal: Journal, folder: string): Promise<void> {
  const files = existsSync(folder) ? readdirSync(folder).map((name) => path.join(folder, name)) : [];
  const before = files.map((file) => ({ file, bytes: readFileSync(file) }));
  await journal.end();
  for (const { file, bytes } of before) writeFileSync(file, bytes);
}
