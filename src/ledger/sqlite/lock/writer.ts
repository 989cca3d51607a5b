import { Failure } from "../../../model/failure.ts";
import { type Holder, isDead, isOnThisHost, nameOf } from "../../lock-holder.ts";
import { statOf, unlessFailing } from "../ledger-file.ts";
import { openDatabase, type SqliteDatabase } from "../sqlite-database.ts";
import { isHeldHere } from "./other-copies.ts";
import { statement } from "../../tables/tables.ts";

/**
 * The process that may write to a ledger, as recorded in the ledger itself (`ledger_state.writer`). Transactions of any
 * other process fail, even if the lock file was removed.
 */
export interface Writer extends Holder {
  /** Inode of the lock file. If a process holds the lock on the file with this inode, the previous writer is dead. */
  readonly lockInode: number;
  /** Inode of the ledger. A copy of the ledger has another inode, so the recorded writer is ignored in the copy. */
  readonly ledgerInode: number;
}

export function writerText(holder: Holder, lockInode: number): string {
  return JSON.stringify({ ...holder, lockInode });
}

/** Adds the inode of the existing ledger at this path to the text of a writer. */
export function writerOf(text: string, path: string): string {
  return JSON.stringify({ ...parseWriter(text), ledgerInode: statOf(path)?.ino });
}

/**
 * Stores the process as the writer of the ledger. Call this in a transaction.
 * @throws Failure `ledger_in_use`
 */
export function becomeWriter(database: SqliteDatabase, text: string): void {
  const other = otherWriter(database, parseWriter(text));
  if (other !== undefined) throw inUse(database.path, other);
  database.run("update ledger_state set writer = ?", text);
}

export function isWriter(database: SqliteDatabase, text: string): boolean {
  return database.row(SELECT_WRITER)?.writer === text;
}

export function releaseWriter(database: SqliteDatabase): void {
  database.run("update ledger_state set writer = null");
}

const SELECT_WRITER = statement<{ writer: string | null }>("select writer from ledger_state");

/**
 * Returns the recorded writer, if it is another process. Returns undefined if that process is known to be dead, wrote
 * to another file, or used the lock file that this process now holds.
 */
function otherWriter(database: SqliteDatabase, self: Writer | undefined): Writer | undefined {
  const writer = parseWriter(database.row(SELECT_WRITER)?.writer ?? "");
  if (writer === undefined || writer.nonce === self?.nonce) return undefined;
  if (writer.ledgerInode !== statOf(database.path)?.ino || writer.lockInode === self?.lockInode) return undefined;
  return hasEnded(writer) ? undefined : writer;
}

function hasEnded(writer: Writer): boolean {
  return isDead(writer) || (writer.pid === process.pid && !isHeldHere(writer.nonce));
}

function parseWriter(text: string): Writer | undefined {
  return unlessFailing((): Writer | null => JSON.parse(text)) ?? undefined;
}

/**
 * Refuses a ledger that another process is writing to. Call this before you open a ledger for writing or repair it. An
 * unreadable ledger has no known writer, and is accepted.
 * @param isRefused whether to refuse the ledger because of this writer
 * @throws Failure `ledger_in_use`
 */
export function refuseOtherWriter(
  path: string,
  text: string,
  isRefused: (writer: Writer) => boolean = () => true,
): void {
  if ((statOf(path)?.size ?? 0) === 0) return;
  const database = openDatabase(path, { readOnly: true });
  try {
    const other = unlessFailing(() => otherWriter(database, parseWriter(text)));
    if (other !== undefined && isRefused(other)) throw inUse(path, other);
  } finally {
    database.close();
  }
}

/**
 * Refuses a ledger with a live writer before a repair. Accepts the ledger if this host cannot determine whether the
 * writer is alive.
 * @throws Failure `ledger_in_use`
 */
export function refuseLiveWriter(path: string, text: string): void {
  refuseOtherWriter(path, text, isOnThisHost);
}

/** Returns the failure for a writer that another process has replaced. */
export function lostToOtherWriter(database: SqliteDatabase): Failure {
  return inUse(database.path, parseWriter(database.row(SELECT_WRITER)?.writer ?? ""));
}

function inUse(path: string, writer: Writer | undefined): Failure {
  return new Failure("ledger_in_use", `the ledger ${path} is in use by ${nameOf(writer)}`, {
    hint:
      "wait until it has ended, then run the same command again. The lock file of that process was removed while it " +
      "ran. If the process cannot still be running, because its machine or container was stopped, run " +
      "`migrate ledger repair`",
  });
}
