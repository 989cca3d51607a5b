import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "../../../files/error-code.ts";
import { Failure } from "../../../model/failure.ts";
import { timestamp } from "../../../time/clock.ts";
import { systemClock } from "../../../time/system-clock.ts";
import { prepareFolderOf } from "../ledger-file.ts";
import { isRunning, pidNamespace, processStart } from "../../../files/running-process.ts";
import { ledgerFailure } from "../ledger-file.ts";

export interface Lock {
  readonly release: () => Promise<void>;
}

/**
 * Makes this process the only one that writes to the ledger at `path`, until `release` or the end of the process.
 * The lock is a file beside the ledger that says who holds it. One whose holder has died on this host is taken over;
 * one from another host never is: nobody here can know whether its holder lives.
 *
 * Raises Failure `ledger_in_use` at once when another process holds it, and `storage`.
 */
export async function lockLedger(path: string, command: string): Promise<Lock> {
  const lockPath = `${path}.lock`;
  const holder = thisProcess(command);
  try {
    prepareFolderOf(lockPath);
    acquire(lockPath, holder, path);
  } catch (error) {
    throw ledgerFailure(error, path);
  }
  const release = (): void => releaseLock(lockPath, holder);
  process.once("exit", release);
  return {
    release: async () => {
      process.off("exit", release);
      release();
    },
  };
}

/** Whether a process holds the ledger at `path` that lives, or may live, for all that can be known here. */
export function isLocked(path: string): boolean {
  const text = readIfThere(`${path}.lock`);
  if (text === undefined) return false;
  const holder = parseHolder(text);
  return holder === undefined || !isDead(holder);
}

interface Holder {
  readonly host: string;
  /** Processes of two namespaces cannot see each other's pids, though their host has one name. */
  readonly pidNamespace?: string;
  readonly pid: number;
  /** When the process started, as its operating system counts: a reused pid has another. */
  readonly processStart?: string;
  readonly command: string;
  /** ISO 8601 UTC: when the lock was taken. */
  readonly since: string;
  readonly nonce: string;
}

function thisProcess(command: string): Holder {
  const namespace = pidNamespace();
  const start = processStart(process.pid);
  return {
    host: hostname(),
    ...(namespace !== undefined && { pidNamespace: namespace }),
    pid: process.pid,
    ...(start !== undefined && { processStart: start }),
    command,
    since: timestamp(systemClock),
    nonce: randomBytes(8).toString("hex"),
  };
}

/**
 * The holder is written to a file of its own first and then given the lock's name, so that a lock is never seen half
 * written. A dead holder's lock is replaced by whoever first links a claim named for that holder; a claim can be left
 * behind by a death too, and is then claimed in its turn.
 */
function acquire(lockPath: string, holder: Holder, ledger: string): void {
  const own = `${lockPath}.${holder.nonce}`;
  writeFileSync(own, JSON.stringify(holder), { flag: "wx", mode: 0o600 });
  chmodSync(own, 0o600);
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      if (linkIfFree(own, lockPath) || takeOver(lockPath, own, ledger)) return;
    }
    throw inUse(ledger, lockPath);
  } finally {
    rmSync(own, { force: true });
  }
}

/** The lock can change hands while it is looked at; not this often. */
const TRIES = 20;

/** True when the lock is ours now; false when it changed meanwhile and is worth another look. */
function takeOver(lockPath: string, own: string, ledger: string): boolean {
  const head = readHolder(lockPath, ledger);
  if (head === undefined) return false;
  const claims: string[] = [];
  for (let current = head; ;) {
    if (!isDead(current)) throw inUse(ledger, lockPath, current);
    const claim = `${lockPath}.after-${current.nonce}`;
    claims.push(claim);
    if (linkIfFree(own, claim)) break;
    const claimant = readHolder(claim, ledger);
    if (claimant === undefined) return false;
    current = claimant;
  }
  const isUnchanged = readHolder(lockPath, ledger)?.nonce === head.nonce;
  if (isUnchanged) renameSync(own, lockPath);
  for (const claim of isUnchanged ? claims : claims.slice(-1)) rmSync(claim, { force: true });
  return isUnchanged;
}

function linkIfFree(own: string, name: string): boolean {
  try {
    linkSync(own, name);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function releaseLock(lockPath: string, holder: Holder): void {
  if (parseHolder(readIfThere(lockPath) ?? "")?.nonce === holder.nonce) rmSync(lockPath, { force: true });
}

function isDead(holder: Holder): boolean {
  if (holder.host !== hostname() || holder.pidNamespace !== pidNamespace()) return false;
  return !isRunning(holder.pid, holder.processStart);
}

/** Undefined when the file has gone meanwhile. */
function readHolder(path: string, ledger: string): Holder | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const holder = parseHolder(text);
  if (holder === undefined) throw inUse(ledger, path);
  return holder;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["host", "command", "since", "nonce"].map((name): unknown => Reflect.get(value, name));
  return texts.every((text) => typeof text === "string") && Number.isInteger(Reflect.get(value, "pid"));
}

function inUse(ledger: string, lockPath: string, holder?: Holder): Failure {
  const by =
    holder === undefined
      ? "another run"
      : `\`${holder.command}\`, process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  return new Failure("ledger_in_use", `the ledger ${ledger} is in use by ${by}`, {
    hint: `wait until it has ended; if you are sure that it no longer runs, remove ${lockPath}`,
  });
}
