import type { ChaosProxy } from "../chaos-proxy.ts";
import type { CliEnd, RunningCli } from "../e2e/cli.ts";
import { type Admin, outcomeLines, references, statusCounts } from "../e2e/push-scene.ts";
import type { SharedPush } from "../e2e/shared-run-scene.ts";
import type { Dice } from "../seeded-dice.ts";
import { type FaultKind, pause, strike, type Victims } from "./cluster-faults.ts";

export interface StruckPush {
  readonly scene: SharedPush;
  readonly records: number;
  readonly workers: number;
  /** Words that the push is given besides. */
  readonly flags: readonly string[];
  readonly victims: Pick<Victims, "server" | "leaseMs"> & {
    readonly database: ChaosProxy;
    readonly platform: ChaosProxy;
  };
  readonly dice: Dice;
  /** How many faults at most, and how far apart. */
  readonly faults: number;
  /** Of the kinds with this in their name. */
  readonly only: string;
  readonly everyMs: number;
  readonly onFault: (kind: FaultKind) => void;
}

/** Pushes with workers, strikes until the push is over, and resumes until everything is settled. Gives the last end. */
export async function pushUnderFaults(push: StruckPush): Promise<CliEnd> {
  const { scene, workers, flags, victims, dice, onFault } = push;
  const started: RunningCli[] = [];
  let planner = scene.share(workers, flags);
  const resume = (): void => {
    planner = scene.start(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
  };
  /** Where workers have died, others join, so that there are as many again. */
  const replenish = async (): Promise<void> => {
    const living = started.filter(isThere);
    const working = (await workingPids(scene)).length;
    if (working > 0 && working + joining(living, started) < workers) {
      started.push(scene.start(["worker", "--ledger", scene.ledger]));
    }
  };
  const all: Victims = {
    ...victims,
    workers: () => workingPids(scene),
    planner: () => (isThere(planner) ? planner.pid : undefined),
  };
  await untilWorking(scene, planner);
  let left = push.faults;
  while (left > 0) {
    if (!isThere(planner)) {
      if (!needsMore(await planner.ended)) break;
      resume();
    }
    await pause(push.everyMs * (0.5 + dice()));
    const kind = await strike(all, dice, push.only).catch(() => undefined);
    if (kind !== undefined) {
      left -= 1;
      onFault(kind);
    }
    await replenish().catch(() => undefined);
  }
  victims.database.heal();
  victims.platform.heal();
  let end = await planner.ended;
  for (let tries = 0; needsMore(end) && tries < MOST_RESUMES; tries += 1) {
    if (end.code === 7) await pause(1_000);
    resume();
    end = await planner.ended;
  }
  for (const one of started) one.kill("SIGTERM");
  await Promise.all(started.map((one) => one.ended));
  return end;
}

const MOST_RESUMES = 60;

/**
 * Killed, incomplete, stopped by the platform that was out of reach, by the server that was, or by others that still send. What
 * is ambiguous wins over what was not sent.
 */
export function needsMore({ code, stdout }: CliEnd): boolean {
  if (code === null || code === 3 || code === 4 || code === 6 || code === 7) return true;
  const { pending = 0, blocked = 0 } = statusCounts(outcomeLines(stdout));
  return pending + blocked > 0;
}

export function isThere({ process: { exitCode, signalCode } }: RunningCli): boolean {
  return exitCode === null && signalCode === null;
}

function joining(living: readonly RunningCli[], started: readonly RunningCli[]): number {
  // One at a time: the last one that was started may not have joined yet.
  const last = started.at(-1);
  return last !== undefined && living.includes(last) && last.stderr() === "" ? 1 : 0;
}

export async function workingPids({ workers }: SharedPush): Promise<readonly number[]> {
  const found = await workers();
  return found.filter(({ state }) => state === "working" || state === "holding").map(({ pid }) => pid);
}

async function untilWorking(scene: SharedPush, planner: RunningCli): Promise<void> {
  while (isThere(planner) && (await scene.settled().catch(() => 0)) === 0) await pause(100);
}

/** What became of the records, against what the platform holds. */
export interface Verdict {
  readonly lost: readonly string[];
  readonly unaccounted: readonly string[];
  readonly twice: readonly string[];
  readonly ambiguous: number;
  readonly accepted: number;
}

export async function verdictOf(records: number, { stdout }: Pick<CliEnd, "stdout">, admin: Admin): Promise<Verdict> {
  const lines = outcomeLines(stdout);
  const held = (await admin.accounts()).map(({ key }) => key);
  const times = new Map<string, number>();
  for (const key of held) times.set(key, (times.get(key) ?? 0) + 1);
  const status = new Map(lines.map((line) => [line.key, line.status]));
  const { ambiguous = 0, accepted = 0, skipped = 0 } = statusCounts(lines);
  const keys = references(records);
  const isAccepted = (key: string): boolean => status.get(key) === "accepted" || status.get(key) === "skipped";
  return {
    lost: keys.filter((key) => !status.has(key) || (isAccepted(key) && !times.has(key))),
    unaccounted: keys.filter((key) => !isAccepted(key) && status.get(key) !== "ambiguous"),
    twice: keys.filter((key) => (times.get(key) ?? 0) > 1),
    ambiguous,
    accepted: accepted + skipped,
  };
}
