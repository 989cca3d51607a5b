import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isRunning, pidNamespace, processStart } from "../files/running-process.ts";
import { timestamp } from "../time/clock.ts";
import { systemClock } from "../time/system-clock.ts";

/** `kernel`: the lock ends with its process. `lease`: it ends when it has not been renewed for a while. */
export type LockKind = "kernel" | "lease";

/** Who holds a lock, as others are told. */
export interface Holder {
  readonly host: string;
  /** Processes of two namespaces cannot see each other's pids, though their host has one name. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** When the process started, as its operating system counts: a reused pid has another. */
  readonly processStart: string | null;
  readonly command: string;
  /** ISO 8601 UTC: when the lock was taken. */
  readonly since: string;
  readonly nonce: string;
  readonly kind: LockKind;
  /** The id of the run that it has begun, or goes on with, where it says so. */
  readonly run?: string;
}

export function thisProcess(command: string, kind: LockKind): Holder {
  return {
    host: hostname(),
    pidNamespace: pidNamespace() ?? null,
    pid: process.pid,
    processStart: processStart(process.pid) ?? null,
    command,
    since: timestamp(systemClock),
    nonce: randomBytes(8).toString("hex"),
    kind,
  };
}

/** Undefined where the text is no holder as JSON. */
export function parseHolder(text: string): Holder | undefined {
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

/** Known to be: processes of other hosts and namespaces cannot be seen. */
export function isDead(holder: Holder): boolean {
  if (holder.host !== hostname() || (holder.pidNamespace ?? undefined) !== pidNamespace()) return false;
  return !isRunning(holder.pid, holder.processStart ?? undefined);
}

export function nameOf(holder: Holder | undefined): string {
  if (holder === undefined) return "another run";
  return `\`${holder.command}\`, process ${holder.pid} on ${holder.host}, since ${holder.since}`;
}
