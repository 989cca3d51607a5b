import { hostname } from "node:os";
import { pidNamespace } from "../../../files/running-process.ts";
import { Failure } from "../../../model/failure.ts";
import { type Holder, isDead, nameOf } from "../../lock-holder.ts";
import { statOf } from "../ledger-file.ts";
import { openDatabase, type Query, type SqliteDatabase } from "../sqlite-database.ts";
import { isHeldHere } from "./other-copies.ts";

/**
 * The process that may write to a ledger, as the ledger itself says (`seal.writer`): every transaction fails unless it is
 * the one that writes. So a second process is kept out also where the lock file was removed.
 */
export interface Writer extends Holder {
  /** Inode of the lock file: who holds the lock on this very file knows that the writer before is dead. */
  readonly lockInode: number;
  /** Inode of the ledger: in a copy the writer is without meaning. */
  readonly ledgerInode: number;
}

export function writerText(holder: Holder, lockInode: number): string {
  const writer: Omit<Writer, "ledgerInode"> = { ...holder, lockInode };
  return JSON.stringify(writer);
}

/** The same as the writer of the ledger at this path, which exists. */
export function writerOf(text: string, path: string): string {
  return JSON.stringify({ ...parseWriter(text), ledgerInode: statOf(path)?.ino });
}

/** Writes the process down as the ledger's writer. Within a transaction. @throws Failure `ledger_in_use` */
export function takeWriter(database: SqliteDatabase, text: string): void {
  const other = otherWriter(database, parseWriter(text));
  if (other !== undefined) throw inUse(database.path, other);
  database.run("update seal set writer = ?", text);
}

export function isWriter(database: SqliteDatabase, text: string): boolean {
  return database.row(SELECT_WRITER)?.writer === text;
}

export function releaseWriter(database: SqliteDatabase): void {
  database.run("update seal set writer = null");
}

const SELECT_WRITER: Query<{ writer: string | null }> = { sql: "select writer from seal" };

function unlessUnreadable<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // Damage, or an older format: whatever reads the ledger next says so.
    return undefined;
  }
}

/** Undefined where the writer is known to be dead, or wrote to another file. */
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
  try {
    const writer: Writer | null = JSON.parse(text);
    return writer ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Refuses a ledger that another process writes to, before anything of it is read or repaired. A ledger that cannot be
 * read tells of no writer.
 * @throws Failure `ledger_in_use`
 */
export function refuseOtherWriter(path: string, text: string, isMeant: (writer: Writer) => boolean = () => true): void {
  if ((statOf(path)?.size ?? 0) === 0) return;
  const database = openDatabase(path, { readOnly: true });
  try {
    const other = unlessUnreadable(() => otherWriter(database, parseWriter(text)));
    if (other !== undefined && isMeant(other)) throw inUse(path, other);
  } finally {
    database.close();
  }
}

/**
 * The same before a repair, which goes on where nobody can see whether the other process lives.
 * @throws Failure `ledger_in_use`
 */
export function refuseLiveWriter(path: string, text: string): void {
  refuseOtherWriter(path, text, isSeen);
}

function isSeen({ host, pidNamespace: namespace }: Writer): boolean {
  return host === hostname() && (namespace ?? undefined) === pidNamespace();
}

/** The ledger belongs to another process since it was last written to. */
export function lostToOtherWriter(database: SqliteDatabase): Failure {
  return inUse(database.path, parseWriter(database.row(SELECT_WRITER)?.writer ?? ""));
}

function inUse(path: string, writer: Writer | undefined): Failure {
  return new Failure("ledger_in_use", `the ledger ${path} is in use by ${nameOf(writer)}`, {
    hint:
      "wait until it has ended, then run the same command again. Its lock file was removed while it ran: if it cannot have " +
      "survived, because its machine or container was stopped, run `migrate ledger repair`",
  });
}
