import type { ChaosProxy } from "../chaos-proxy.ts";
import { between, type Dice, oneOf } from "../seeded-dice.ts";

/** What a fault may strike. */
export interface Victims {
  /** Process ids of the workers that work. */
  readonly workers: () => Promise<readonly number[]>;
  /** The process that planned; undefined when it has ended. */
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
  | "connections to the database silent"
  | "connections to the platform reset"
  | "connections to the platform silent"
  | "pg_terminate_backend"
  | "server stopped at once, and started";

const KINDS: readonly (readonly [number, FaultKind])[] = [
  [6, "SIGKILL to a worker"],
  [6, "SIGSTOP beyond the lease, SIGCONT"],
  [0.7, "SIGKILL to the planner"],
  [3, "connections to the database reset"],
  [2, "connections to the database silent"],
  [3, "connections to the platform reset"],
  [2, "connections to the platform silent"],
  [3, "pg_terminate_backend"],
  [2, "server stopped at once, and started"],
];

/**
 * Strikes once. Gives what it did, when it is over; undefined where there was nothing to strike.
 * @param only of the kinds with this in their name; default: of all
 */
export async function strike(victims: Victims, dice: Dice, only = ""): Promise<FaultKind | undefined> {
  const kind = oneOf(
    dice,
    KINDS.filter(([, each]) => each.includes(only)),
  );
  return (await strikeBy(kind, victims, dice)) ? kind : undefined;
}

/** False where there was nothing to strike. */
export function strikeBy(kind: FaultKind, victims: Victims, dice: Dice): Promise<boolean> {
  return strikes[kind](victims, dice);
}

const strikes: Readonly<Record<FaultKind, (victims: Victims, dice: Dice) => Promise<boolean>>> = {
  async "SIGKILL to a worker"(victims, dice) {
    return signal(await oneWorker(victims, dice), "SIGKILL");
  },
  async "SIGSTOP beyond the lease, SIGCONT"(victims, dice) {
    const pid = await oneWorker(victims, dice);
    if (!signal(pid, "SIGSTOP")) return false;
    // It goes on while others are struck.
    setTimeout(() => signal(pid, "SIGCONT"), victims.leaseMs * (1.2 + dice()));
    return true;
  },
  "SIGKILL to the planner": async ({ planner }) => signal(planner(), "SIGKILL"),
  async "connections to the database reset"({ database }) {
    database.cut();
    return true;
  },
  "connections to the database silent": ({ database, leaseMs }, dice) =>
    silence(database, between(dice, 300, 1.5 * leaseMs)),
  async "connections to the platform reset"({ platform }) {
    platform.cut();
    return true;
  },
  "connections to the platform silent": ({ platform }, dice) => silence(platform, between(dice, 300, 3_000)),
  async pg_terminate_backend({ server }) {
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'migrate'");
    return true;
  },
  async "server stopped at once, and started"({ server }, dice) {
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

async function oneWorker({ workers }: Victims, dice: Dice): Promise<number | undefined> {
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
