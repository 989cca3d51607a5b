import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createTestFolder } from "../temporary-folder.ts";
import { DatabaseSync } from "@photostructure/sqlite";
import type { CliEnd, RunningCli, TestSandbox } from "./cli.ts";
import type { Dice } from "../seeded-dice.ts";

/** Counts the data-import requests to which a sandbox with --verbose has replied. */
export interface RequestCounter {
  readonly count: () => number;
  /** Resolves after replies to this many more requests. */
  readonly after: (more: number) => Promise<void>;
}

export function countRequests({ onStderr }: Pick<TestSandbox, "onStderr">): RequestCounter {
  let count = 0;
  const waiting = new Map<() => void, number>();
  onStderr((text) => {
    count += text.split("/data-import/").length - 1;
    for (const [resolve, due] of waiting) {
      if (count < due) continue;
      waiting.delete(resolve);
      resolve();
    }
  });
  return {
    count: () => count,
    after: (more) =>
      new Promise((resolve) => {
        waiting.set(resolve, count + more);
      }),
  };
}

export interface KillTally {
  kills: number;
  /** Kills before the first request of a command, while the command loads, plans or acquires the lock. */
  idle: number;
  /** Number of started processes. */
  starts: number;
}

export interface Victim {
  readonly push: () => RunningCli;
  readonly resume: () => RunningCli;
  readonly records: number;
  /** Path of the ledger. */
  readonly ledger: string;
}

/**
 * Counts the accepted records in a copy of the ledger, so that the ledger of a killed process is not repaired before
 * the next command.
 */
function acceptedIn(ledger: string): number {
  if (!existsSync(ledger)) return 0;
  const { folder, remove } = createTestFolder();
  try {
    const copy = path.join(folder, "ledger.db");
    for (const side of ["", "-wal"]) if (existsSync(ledger + side)) copyFileSync(ledger + side, copy + side);
    const database = new DatabaseSync(copy);
    try {
      return Number(database.prepare(ACCEPTED).get()?.["count"] ?? 0);
    } catch {
      return 0; // the process was killed before it created the tables
    } finally {
      database.close();
    }
  } finally {
    remove();
  }
}

const ACCEPTED = "select count(*) as count from records where state = 'accepted'";

/** The longest time in ms between the start of a command and a kill that does not depend on requests. */
const LOADING_MS = 700;
/** The longest time in ms between a reply and a kill: the ledger commits in groups of up to 50 ms. */
const AFTERWARDS_MS = 60;

/**
 * Kills a push and its resumptions with SIGKILL `kills` times, at random moments. Three in four kills happen up to 60
 * ms after a random number of requests. The other kills happen a random time after the start, when most commands are
 * still loading, planning or taking over the lock. The numbers of requests are small enough for records to remain for
 * the last kills, unless the push is too fast.
 */
export async function killRepeatedly(
  { push, resume, records, ledger }: Victim,
  kills: number,
  { counter, dice }: { readonly counter: RequestCounter; readonly dice: Dice },
): Promise<KillTally> {
  const tally: KillTally = { kills: 0, idle: 0, starts: 0 };
  let next = push;
  let over = false;
  while (tally.kills < kills) {
    const left: number = over ? 0 : records - acceptedIn(ledger);
    const before = counter.count();
    const running = next();
    tally.starts += 1;
    // The last kill interrupts requests if no earlier kill did.
    const isLastChance = tally.idle === kills - 1;
    const share = isLastChance ? 0.5 : 2 / (kills - tally.kills + 1);
    const requests = 1 + Math.floor(dice() * share * left);
    const moment =
      left > 0 && (isLastChance || dice() < 0.75)
        ? requestsLater(counter, requests, dice() * AFTERWARDS_MS)
        : delay(dice() * LOADING_MS);
    const end = await Promise.race([moment, running.ended]);
    running.kill("SIGKILL");
    const { signal } = await running.ended;
    next = hasNoRun(end) ? push : resume;
    over ||= end !== undefined && !hasNoRun(end);
    if (signal !== "SIGKILL") continue;
    tally.kills += 1;
    if (counter.count() === before) tally.idle += 1;
  }
  return tally;
}

async function requestsLater(counter: RequestCounter, requests: number, thenMs: number): Promise<void> {
  await counter.after(requests);
  await delay(thenMs);
}

/** Returns whether there is nothing to resume, because the push was killed before it started its run. */
export function hasNoRun(end: CliEnd | void): boolean {
  return end !== undefined && end.code === 2 && /no run/.test(end.stderr);
}
