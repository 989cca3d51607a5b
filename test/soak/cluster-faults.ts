import type { ChaosProxy } from "../chaos-proxy.ts";
import { between, type Dice, pickWeighted } from "../seeded-dice.ts";

/** The processes and connections that a fault may affect. */
export interface FaultTargets {
  /** Process ids of the active workers. */
  readonly workers: () => Promise<readonly number[]>;
  /** Process id of the planner; undefined if it has ended. */
  readonly planner: () => number | undefined;
  readonly database: ChaosProxy;
  readonly platform: ChaosProxy;
  readonly server: {
    readonly crash: () => Promise<void>;
    readonly start: () => Promise<void>;
    readonly query: (sql: string) => Promise<unknown>;
  };
  readonly leaseMs: number;
}

export type FaultKind =
  | "SIGKILL to a worker"
  | "SIGSTOP beyond the lease, SIGCONT"
  | "SIGKILL to the planner"
  | "connections to the database reset"
  | "connections to the database silenced"
  | "connections to the platform reset"
  | "connections to the platform silenced"
  | "pg_terminate_backend"
  | "server crashed and restarted";

const KINDS: readonly (readonly [number, FaultKind])[] = [
  [6, "SIGKILL to a worker"],
  [6, "SIGSTOP beyond the lease, SIGCONT"],
  [0.7, "SIGKILL to the planner"],
  [3, "connections to the database reset"],
  [2, "connections to the database silenced"],
  [3, "connections to the platform reset"],
  [2, "connections to the platform silenced"],
  [3, "pg_terminate_backend"],
  [2, "server crashed and restarted"],
];

/**
 * Injects one random fault. Returns the kind of fault, or undefined if there was no target.
 * @param only injects only kinds whose names contain this text; default: all kinds
 */
export async function injectRandomFault(targets: FaultTargets, dice: Dice, only = ""): Promise<FaultKind | undefined> {
  const kind = pickWeighted(
    dice,
    KINDS.filter(([, each]) => each.includes(only)),
  );
  return (await injectFault(kind, targets, dice)) ? kind : undefined;
}

/** Injects a fault. Returns false if there was no target. */
export function injectFault(kind: FaultKind, targets: FaultTargets, dice: Dice): Promise<boolean> {
  return injections[kind](targets, dice);
}

const injections: Readonly<Record<FaultKind, (targets: FaultTargets, dice: Dice) => Promise<boolean>>> = {
  async "SIGKILL to a worker"(targets, dice) {
    return signal(await randomWorker(targets, dice), "SIGKILL");
  },
  async "SIGSTOP beyond the lease, SIGCONT"(targets, dice) {
    const pid = await randomWorker(targets, dice);
    if (!signal(pid, "SIGSTOP")) return false;
    // Does not wait, so that other faults are injected while the process is stopped.
    setTimeout(() => signal(pid, "SIGCONT"), targets.leaseMs * (1.2 + dice()));
    return true;
  },
  "SIGKILL to the planner": async ({ planner }) => signal(planner(), "SIGKILL"),
  async "connections to the database reset"({ database }) {
    database.cut();
    return true;
  },
  "connections to the database silenced": ({ database, leaseMs }, dice) =>
    silence(database, between(dice, 300, 1.5 * leaseMs)),
  async "connections to the platform reset"({ platform }) {
    platform.cut();
    return true;
  },
  "connections to the platform silenced": ({ platform }, dice) => silence(platform, between(dice, 300, 3_000)),
  async pg_terminate_backend({ server }) {
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'migrate'");
    return true;
  },
  async "server crashed and restarted"({ server }, dice) {
    await server.crash();
    await pause(between(dice, 0, 1_500));
    await server.start();
    return true;
  },
};

async function silence(proxy: ChaosProxy, ms: number): Promise<boolean> {
  proxy.partition();
  await pause(ms);
  proxy.heal();
  return true;
}

async function randomWorker({ workers }: FaultTargets, dice: Dice): Promise<number | undefined> {
  const pids = await workers();
  return pids[Math.floor(dice() * pids.length)];
}

function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
