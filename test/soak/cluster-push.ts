import type { ChaosProxy } from "../chaos-proxy.ts";
import type { CliEnd, RunningCli } from "../e2e/cli.ts";
import { type Admin, outcomeLines, references, statusCounts } from "../e2e/push-scene.ts";
import type { SharedPush } from "../e2e/shared-run-scene.ts";
import type { Dice } from "../seeded-dice.ts";
import { type FaultKind, injectRandomFault, pause, type FaultTargets } from "./cluster-faults.ts";

export interface FaultyPush {
  readonly scene: SharedPush;
  readonly records: number;
  readonly workers: number;
  /** Additional flags of the push. */
  readonly flags: readonly string[];
  readonly targets: Pick<FaultTargets, "server" | "leaseMs"> & {
    readonly database: ChaosProxy;
    readonly platform: ChaosProxy;
  };
  readonly dice: Dice;
  /** Maximum number of faults. */
  readonly faults: number;
  /** Injects only kinds of faults whose names contain this text. */
  readonly only: string;
  readonly everyMs: number;
  readonly onFault: (kind: FaultKind) => void;
}

/**
 * Pushes with workers under faults, and resumes until no record is left to send. Returns how the last command ended.
 */
export async function pushUnderFaults(push: FaultyPush): Promise<CliEnd> {
  const { scene, workers, flags, targets, dice, onFault } = push;
  const started: RunningCli[] = [];
  let planner = scene.share(workers, flags);
  const resume = (): void => {
    planner = scene.start(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
  };
  /** Starts a worker if fewer than `workers` workers are working or joining. */
  const replenish = async (): Promise<void> => {
    const running = started.filter(isRunning);
    const working = (await workingPids(scene)).length;
    if (working > 0 && working + joining(running, started) < workers) {
      started.push(scene.start(["worker", "--ledger", scene.ledger]));
    }
  };
  const all: FaultTargets = {
    ...targets,
    workers: () => workingPids(scene),
    planner: () => (isRunning(planner) ? planner.pid : undefined),
  };
  await untilWorking(scene, planner);
  let left = push.faults;
  while (left > 0) {
    if (!isRunning(planner)) {
      if (!needsResume(await planner.ended)) break;
      resume();
    }
    await pause(push.everyMs * (0.5 + dice()));
    const kind = await injectRandomFault(all, dice, push.only).catch(() => undefined);
    if (kind !== undefined) {
      left -= 1;
      onFault(kind);
    }
    await replenish().catch(() => undefined);
  }
  targets.database.heal();
  targets.platform.heal();
  let end = await planner.ended;
  for (let tries = 0; needsResume(end) && tries < MAX_RESUMES; tries += 1) {
    if (end.code === 7) await pause(1_000);
    resume();
    end = await planner.ended;
  }
  for (const one of started) one.kill("SIGTERM");
  await Promise.all(started.map((one) => one.ended));
  return end;
}

const MAX_RESUMES = 60;

/**
 * Returns whether the run must be resumed: the command was killed, left records unsent, was stopped by a failure of the
 * platform or the database, or found other workers still sending. Also checks the outcomes, because the exit code for
 * ambiguous records takes precedence over the exit code for unsent records.
 */
export function needsResume({ code, stdout }: CliEnd): boolean {
  if (code === null || code === 3 || code === 4 || code === 6 || code === 7) return true;
  const { pending = 0, blocked = 0 } = statusCounts(outcomeLines(stdout));
  return pending + blocked > 0;
}

export function isRunning({ process: { exitCode, signalCode } }: RunningCli): boolean {
  return exitCode === null && signalCode === null;
}

function joining(running: readonly RunningCli[], started: readonly RunningCli[]): number {
  // The last worker that was started may not have joined yet.
  const last = started.at(-1);
  return last !== undefined && running.includes(last) && last.stderr() === "" ? 1 : 0;
}

export async function workingPids({ workers }: SharedPush): Promise<readonly number[]> {
  const found = await workers();
  return found.filter(({ state }) => state === "working" || state === "holding").map(({ pid }) => pid);
}

async function untilWorking(scene: SharedPush, planner: RunningCli): Promise<void> {
  while (isRunning(planner) && (await scene.settled().catch(() => 0)) === 0) await pause(100);
}

/** The result of comparing the reported outcomes with the accounts on the platform. */
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
