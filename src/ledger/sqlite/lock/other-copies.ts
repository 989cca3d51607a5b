import { Failure } from "../../../model/failure.ts";
import { statOf } from "../ledger-file.ts";

/**
 * The kernel's locks of files belong to the process (POSIX, `fcntl`). Of two copies of this package in one process, each
 * with an SQLite of its own, the second would get every lock that the first holds, and would release it by closing the
 * file. So a copy writes down for the others which ledgers it holds.
 */
const HELD = Symbol.for("energy-migrate: ledgers in use");
/** This copy. */
const SELF = {};

/**
 * Takes note of a ledger whose lock this copy holds. The function ends that.
 * @param nonce of the holder
 */
export function noteHeld(ledger: string, nonce: string): () => void {
  const keys = [fileOf(ledger), nonce].filter((key) => key !== undefined);
  const held = heldLedgers();
  for (const key of keys) held.set(key, SELF);
  return () => {
    for (const key of keys) held.delete(key);
  };
}

/** Whether any copy in this process holds a lock under this nonce. */
export function isHeldHere(nonce: string): boolean {
  return heldLedgers().has(nonce);
}

/** @throws Failure `ledger_in_use` for a ledger whose lock another copy holds: it is not to be opened, not even to be read */
export function requireNoOtherCopy(ledger: string): void {
  const file = fileOf(ledger);
  const holder = file === undefined ? undefined : heldLedgers().get(file);
  if (holder === undefined || holder === SELF) return;
  throw new Failure(
    "ledger_in_use",
    `the ledger ${ledger} is in use by another copy of energy-migrate in this process`,
    {
      hint: "let all parts of the program use one copy (`npm ls energy-migrate`), or wait until its run has ended",
    },
  );
}

/** Known by its lock file, which is there for as long as the lock is held, whatever path leads to it. */
function fileOf(ledger: string): string | undefined {
  const found = statOf(`${ledger}.lock`);
  return found && `${found.dev}:${found.ino}`;
}

function heldLedgers(): Map<unknown, unknown> {
  const known: unknown = Reflect.get(globalThis, HELD);
  if (known instanceof Map) return known;
  const made = new Map<unknown, unknown>();
  Reflect.set(globalThis, HELD, made);
  return made;
}
