import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { isRunning, pidNamespace, processStart } from "../files/running-process.ts";
import { parseJson } from "../json/parse-json.ts";
import { timestamp } from "../time/clock.ts";
import { systemClock } from "../time/system-clock.ts";

/** `kernel`: the lock ends with its process. `lease`: the lock expires if its holder does not renew it in time. */
export type LockKind = "kernel" | "lease";

/** The holder of a lock, as shown to other processes. */
export interface Holder {
  readonly host: string;
  /** Processes in different namespaces cannot see each other's pids, even if their host names are the same. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /**
   * Start time of the process (`processStart`), or null if the system does not state it. The start time distinguishes
   * processes that have used the same pid.
   */
  readonly processStart: string | null;
  readonly command: string;
  /** When the lock was acquired, ISO 8601 UTC. */
  readonly since: string;
  readonly nonce: string;
  readonly kind: LockKind;
  /** The id of the run that the holder started or resumed, if recorded. */
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

/** Parses the text of a lock holder; undefined if the text is not valid. */
export function parseHolder(text: string): Holder | undefined {
  const value: unknown = parseJson(text);
  return isHolder(value) ? value : undefined;
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["host", "command", "since", "nonce"].map((name): unknown => Reflect.get(value, name));
  return texts.every((text) => typeof text === "string") && Number.isInteger(Reflect.get(value, "pid"));
}

/** Whether the holder is known to be dead. Processes on other hosts or in other namespaces cannot be checked. */
export function isDead(holder: Holder): boolean {
  return isOnThisHost(holder) && !isRunning(holder.pid, holder.processStart ?? undefined);
}

/** Whether the holder is on a host with this name, in this namespace. */
export function isOnThisHost(holder: Holder): boolean {
  return holder.host === hostname() && (holder.pidNamespace ?? undefined) === pidNamespace();
}

export function nameOf(holder: Holder | undefined): string {
  if (holder === undefined) return "another run";
  return `\`${holder.command}\`, process ${holder.pid} on ${holder.host}, since ${holder.since}`;
}
