import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { CliEnd, RunningCli } from "../e2e/cli.ts";
import { latestRun, references, statusCounts, type Workplace } from "../e2e/push-scene.ts";
import { contradictions, collectEvidence } from "../e2e/push-evidence.ts";
import { type Dice, seededDice } from "../seeded-dice.ts";
import { type ChaosPlatform, startChaosPlatform } from "./chaos-platform.ts";
import { soakWorkplace } from "./soak-workplace.ts";

const records = Number(process.env["SOAK_RECORDS"] ?? 2_000);
const minutes = Number(process.env["SOAK_MINUTES"] ?? 1);
const killEveryMs = 1_000 * Number(process.env["SOAK_KILL_SECONDS"] ?? 10);
const seed = Number(process.env["SOAK_SEED"] ?? 1);
const PATIENCE_MS = 24 * 3_600_000;

/** Once this share of the records has been created, no process is killed, so that memory can be measured over time. */
const KILLED_SHARE = 0.5;

test(
  `a push of ${records} records to a chaos server for ${minutes} minutes loses no record and creates none twice`,
  { timeout: PATIENCE_MS },
  async () => {
    const dice = seededDice(seed);
    const startedAt = performance.now();
    const platform = await startChaosPlatform({ dice, perSecond: records / (minutes * 60) });
    try {
      const work = soakWorkplace(platform, records);
      const { end, kills, starts, memory } = await pushToTheEnd(work, platform, dice);
      const evidence = await collectEvidence(platform, work.file(".migrate/ledger.db"), await latestRun(work));
      const took = (performance.now() - startedAt) / 60_000;
      const { requests } = evidence.platform;
      say(`seed ${seed}: ${records} records in ${took.toFixed(1)} minutes, ${requests.length} requests,`);
      say(
        `  ${platform.refused()} of them 429 (${percent(platform.refused() / requests.length)}); ${kills} kills, ${starts} starts`,
      );
      say(`  ${JSON.stringify(statusCounts(evidence.report.lines))}, exit code ${end.code}`);
      say(
        `  memory of the longest-running process, ${memory.minutes.toFixed(1)} minutes: ${memory.startMb} MB at its start, ${memory.endMb} MB at its end, at most ${memory.mostMb} MB`,
      );
      expect(contradictions(references(records), evidence, { ambiguous: 0, cutReplies: true }).slice(0, 20)).toEqual(
        [],
      );
      expect(end.code).toBe(0);
      expect(took).toBeGreaterThanOrEqual(0.9 * minutes);
      expect(memory.endMb).toBeLessThan(1.5 * memory.startMb + 30);
    } finally {
      await platform.server.close();
    }
  },
);

interface Pushed {
  readonly end: CliEnd;
  readonly kills: number;
  readonly starts: number;
  readonly memory: Memory;
}

async function pushToTheEnd(work: Workplace, platform: ChaosPlatform, dice: Dice): Promise<Pushed> {
  let kills = 0;
  let longest: Memory = { minutes: 0, startMb: 0, endMb: 0, mostMb: 0 };
  for (let starts = 1; ; starts += 1) {
    const options = { timeoutMs: PATIENCE_MS };
    const hasRun = platform.created() > 0;
    const running = hasRun ? work.start(["resume"], options) : work.startPush([], options);
    const watched = watchMemory(running);
    const isKilled = platform.created() < KILLED_SHARE * records;
    if (isKilled) {
      const end = await Promise.race([delay(killEveryMs * 2 * dice()), running.ended]);
      if (end === undefined) kills += 1;
      running.kill("SIGKILL");
    }
    const end = await running.ended;
    const memory = watched();
    if (memory.minutes > longest.minutes) longest = memory;
    const isOver = end.signal === null && end.code !== 3 && end.code !== 4 && end.code !== 5;
    if (isOver || starts > MAX_STARTS) return { end, kills, starts, memory: longest };
    if (end.signal === null) say(`  ended with ${end.code}: ${end.stderr.trim().split("\n").slice(-3).join(" | ")}`);
  }
}

/** More starts than this indicate an endless loop. */
const MAX_STARTS = 500;

interface Memory {
  readonly minutes: number;
  readonly startMb: number;
  readonly endMb: number;
  readonly mostMb: number;
}

/**
 * Samples resident memory once a second. The values for the start and the end are means over the first and the last
 * quarter of the samples.
 */
function watchMemory({ pid, ended }: Pick<RunningCli, "pid" | "ended">): () => Memory {
  const seen: number[] = [];
  const timer = setInterval(() => {
    const mb = residentMb(pid);
    if (mb !== undefined) seen.push(mb);
  }, 1_000);
  const stop = (): void => clearInterval(timer);
  ended.then(stop, stop);
  return () => {
    const quarter = Math.max(1, Math.floor(seen.length / 4));
    const [startMb, endMb] = [mean(seen.slice(0, quarter)), mean(seen.slice(-quarter))];
    return { minutes: seen.length / 60, startMb, endMb, mostMb: Math.max(0, ...seen) };
  };
}

function residentMb(pid: number): number | undefined {
  try {
    const [, kb] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kb === undefined ? undefined : Math.round(Number(kb) / 1_000);
  } catch {
    return undefined;
  }
}

function mean(numbers: readonly number[]): number {
  return Math.round(numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length));
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
