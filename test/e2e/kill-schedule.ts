import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createTestFolder } from "../temporary-folder.ts";
import { DatabaseSync } from "@photostructure/sqlite";
import type { CliEnd, RunningCli, SandboxProcess } from "./cli.ts";
import type { Dice } from "../seeded-dice.ts";

/** Counts the data-import requests that a sandbox started with --verbose has answered. */
export interface RequestCounter {
  readonly count: () => number;
  /** Resolves once so many more requests have been answered. */
  readonly after: (more: number) => Promise<void>;
}

export function countRequests({ running }: Pick<SandboxProcess, "running">): RequestCounter {
  let count = 0;
  const waiting = new Map<() => void, number>();
  running.process.stderr?.on("data", (text: string) => {
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
  /** Kills before the first request of a command, while it loads, plans or takes the lock. */
  idle: number;
  /** Processes that were started. */
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
 * Records that the ledger holds as accepted. A copy is asked, so that nothing is mended in the ledger of a killed process
 * but by the next one.
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
      return 0; // killed before its tables were made
    } finally {
      database.close();
    }
  } finally {
    remove();
  }
}

const ACCEPTED = "select count(*) as count from records where state = 'accepted'";

/** How long after its start a command is killed, at most, when its requests are not what the moment hangs on. */
const LOADING_MS = 700;
/** How long after a request's answer, at most: the ledger writes in groups of up to 50 ms. */
const AFTERWARDS_MS = 60;

/**
 * Kills a push and its resumptions with SIGKILL, so many times, at random moments: three in four after a random
 * number of requests and up to 60 ms more, the others after a random time since the start, when most are still
 * loading, planning or taking the lock over. The numbers of requests are such that the last kills still have a push
 * to kill, as far as its pace allows.
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
    const requests = 1 + Math.floor((dice() * 2 * left) / (kills - tally.kills + 1));
    const moment =
      left > 0 && dice() < 0.75 ? requestsLater(counter, requests, dice() * AFTERWARDS_MS) : delay(dice() * LOADING_MS);
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

/** The push was killed before it had begun its run. */
function hasNoRun(end: CliEnd | void): boolean {
  return end !== undefined && end.code === 2 && /no run/.test(end.stderr);
}
