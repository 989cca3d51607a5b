import { Failure } from "../../../model/failure.ts";
import { statOf } from "../ledger-file.ts";

/**
 * The kernel's file locks belong to the process (POSIX, `fcntl`). If one process loads two copies of this package, each
 * copy has its own SQLite. The second copy could then acquire any lock that the first copy holds, and would release
 * that lock by closing the file. Each copy therefore records which ledgers it holds.
 */
const HELD = Symbol.for("energy-migrate: ledgers in use");
/** Identifies this copy. */
const SELF = {};

/**
 * Registers a ledger whose lock this copy holds. Returns a function that ends the registration.
 * @param nonce the nonce of the holder
 */
export function noteHeld(ledger: string, nonce: string): () => void {
  const keys = [fileOf(ledger), nonce].filter((key) => key !== undefined);
  const held = heldLedgers();
  for (const key of keys) held.set(key, SELF);
  return () => {
    for (const key of keys) held.delete(key);
  };
}

/** Whether any copy in this process holds a lock with this nonce. */
export function isHeldHere(nonce: string): boolean {
  return heldLedgers().has(nonce);
}

/** Whether this copy holds the lock of the ledger. */
export function isHeldBySelf(ledger: string): boolean {
  const file = fileOf(ledger);
  return file !== undefined && heldLedgers().get(file) === SELF;
}

/**
 * Refuses a ledger whose lock another copy holds. Such a ledger must not be opened, not even for reading.
 * @throws Failure `ledger_in_use`
 */
export function requireNoOtherCopy(ledger: string): void {
  const file = fileOf(ledger);
  const holder = file === undefined ? undefined : heldLedgers().get(file);
  if (holder === undefined || holder === SELF) return;
  throw new Failure(
    "ledger_in_use",
    `the ledger ${ledger} is in use by another copy of energy-migrate in this process`,
    {
      hint: "make all parts of the program use the same copy (`npm ls energy-migrate`), or wait until the other copy's run has ended",
    },
  );
}

/**
 * Identifies a ledger by its lock file, which exists while the lock is held and does not depend on the path to the
 * ledger.
 */
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
