import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { createTestFolder } from "../../temporary-folder.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import type { RateLimitSettings } from "../../../src/job/settings/platform-settings.ts";
import { between, type Dice, pickWeighted, seededDice } from "../../seeded-dice.ts";
import type { Violation } from "../invariants.ts";
import { createModelPlatform } from "../model-platform.ts";
import { importOperations } from "../operations.ts";
import { createSimulatedClock, type SimulatedClock } from "../simulated-clock.ts";
import type { SimulatedRecord } from "../simulated-record.ts";
import { createWeather, type Weather } from "../weather.ts";
import { createNetwork } from "./model-connection.ts";
import { createModelServer } from "./model-server.ts";
import { createRestores, type RestoredDatabase } from "./restored-database.ts";
import { introduceMachines, createStateFolders } from "./state-folders.ts";
import { createSharedWitness } from "./shared-witness.ts";
import { scheduleFaults, calm, type Chaos } from "./chaos.ts";
import { type SharedScene, startPlanner, startWorker } from "./shared-scene.ts";

export interface SharedSimulated {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Every event in order, with its time. */
  readonly trace: readonly string[];
  /** A hash of the trace, for comparisons. */
  readonly fingerprint: string;
  readonly records: number;
  readonly processes: number;
  /** The number of injected faults, by kind. */
  readonly faults: Readonly<Record<string, number>>;
}

export type Restores = "one machine" | "several machines" | "folders lost";

export interface SharedSimulationOptions {
  /** Introduces a bug into the product to show that the simulation detects it. */
  readonly injectBug?: (scene: SharedScene) => SharedScene;
  /**
   * Restores older copies of the database during a run. `one machine`: only one machine has sent records. `several
   * machines`: all machines have sent records. Each machine knows that other machines have sent records, but not which
   * records. `folders lost`: machines may also forget that other machines have sent records (docs/cluster.md).
   */
  readonly restores?: Restores | undefined;
}

/**
 * Simulates several processes that send records to a model platform with a shared ledger. The seed determines all
 * faults of the platform and the network, outages of the database server and changes of its clock, when processes are
 * killed, stopped or frozen, and when the planner is replaced. After that, processes run without faults until
 * everything is settled.
 */
export async function simulateShared(seed: number, options: SharedSimulationOptions = {}): Promise<SharedSimulated> {
  const { injectBug = (scene) => scene, restores } = options;
  const state = restores === undefined ? undefined : createTestFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  const dice = seededDice(seed);
  const trace: string[] = [];
  const faults: Record<string, number> = {};
  const { scene: made, weather, setServerClock } = createScene(dice, trace);
  const scene = injectBug(
    state === undefined
      ? made
      : { ...made, folders: createStateFolders(state.folder, restores === "one machine" ? 1 : between(dice, 2, 3)) },
  );
  const count = (kind: string): void => {
    faults[kind] = (faults[kind] ?? 0) + 1;
  };
  if (scene.folders !== undefined && restores === "several machines")
    await introduceMachines(scene.folders, scene.server);
  const restored = state && createRestores(scene, { count, losesFolders: restores === "folders lost" });
  try {
    await play(scene, weather, { count, setServerClock }, restored);
  } finally {
    state?.remove();
  }
  return {
    seed,
    violations: scene.witness.violations(),
    trace,
    fingerprint: createHash("sha256").update(trace.join("\n")).digest("hex"),
    records: scene.records.length,
    processes: scene.processes.length,
    faults,
  };
}

interface World {
  readonly scene: SharedScene;
  readonly weather: Weather;
  readonly setServerClock: (byMs: number) => void;
}

function createScene(dice: Dice, trace: string[]): World {
  const clock = createSimulatedClock();
  const weather = createWeather(dice);
  const note = (event: string): void => void trace.push(`${clock.monotonic()} ${event}`);
  const operation = pickWeighted<Operation>(dice, [
    [4, importOperations.deduping],
    [4, importOperations.notDeduping],
    [1, importOperations.staged],
    [1, importOperations.scheduled],
  ]);
  const records = recordsFor(dice);
  const onRepeat = operation.dedupesByKey ? "refuse" : "create";
  const platform = createModelPlatform({ clock, dice, weather, onRepeat, refuses: isBad, note });
  let serverOffset = between(dice, -100_000, 100_000);
  const server = createModelServer(() => clock.monotonic() + serverOffset, clock.monotonic);
  const leaseMs = pickWeighted(dice, [
    [1, 2_000],
    [3, 5_000],
    [1, 30_000],
  ]);
  const scene: SharedScene = {
    clock,
    dice,
    operation,
    platform,
    server,
    network: createNetwork(clock, dice),
    witness: createSharedWitness({ platform, server, records, operation }),
    records,
    corrected: new Set(),
    correctedOf: new Map(),
    pace: paceFor(dice),
    workers: { count: between(dice, 1, 3), leaseMs },
    stalls: { share: dice() < 0.3 ? 0.02 : 0 },
    processes: [],
    note,
  };
  const setServerClock = (byMs: number): void => {
    serverOffset += byMs;
    scene.witness.clockWasSet();
  };
  return { scene, weather, setServerClock };
}

function isBad(_: string, content: string): boolean {
  return content === "bad";
}

function paceFor(dice: Dice): RateLimitSettings {
  const concurrency = pickWeighted<RateLimitSettings["concurrency"]>(dice, [
    [3, "auto"],
    [2, 4],
    [2, 16],
  ]);
  return { concurrency, maxConcurrency: 16, ...(dice() < 0.2 && { rps: between(dice, 5, 50) }) };
}

function recordsFor(dice: Dice): readonly SimulatedRecord[] {
  const count = pickWeighted(dice, [
    [2, between(dice, 1, 6)],
    [5, between(dice, 7, 25)],
    [1, between(dice, 26, 60)],
  ]);
  const badShare = dice() < 0.5 ? 0 : dice() * 0.3;
  return Array.from({ length: count }, (_, index) => ({
    record: index + 1,
    key: `K${index + 1}`,
    isBad: dice() < badShare,
  }));
}

const STORMY: readonly (readonly [number, number])[] = [
  [4, 1],
  [2, 2],
  [1, 3],
];
const CALM = 8;
/** The time that a user gives the platform after learning of ambiguous records. */
const QUIET_MS = 60_000;
/** The time after which a user would have stopped a planner. */
const PLANNER_MS = 600_000;

async function play(
  scene: SharedScene,
  weather: Weather,
  chaos: Chaos,
  restored: RestoredDatabase | undefined,
): Promise<void> {
  const runs = await storm(scene, chaos, restored);
  restored?.end();
  calm(scene, weather);
  const isDone = await finish(scene, runs, restored);
  if (isDone) await checkIdle(scene);
  else scene.witness.addViolation("liveness", `not done after ${CALM} planners without faults`);
}

/** Runs planners and workers under faults. Returns the number of runs that were started. */
async function storm(scene: SharedScene, chaos: Chaos, restored: RestoredDatabase | undefined): Promise<number> {
  const { dice } = scene;
  let runs = 0;
  for (let left = pickWeighted(dice, STORMY) + (restored === undefined ? 0 : 2); left > 0; left -= 1) {
    const how = dice() < 0.2 ? "push" : nextCommand(scene);
    if (how === "push") {
      runs += 1;
      maybeCorrect(scene);
    }
    const run = runFor(scene, how, runs);
    const planner = startPlanner(scene, how, run);
    joinFromElsewhere(scene, run);
    scheduleFaults(scene, planner, chaos);
    restored?.scheduleFaults();
    await passUntil(scene, () => planner.process.isOver(), between(dice, 20_000, 150_000));
    if (!planner.process.isOver()) planner.process.kill();
    await passUntil(scene, () => false, between(dice, 0, dice() < 0.7 ? 5_000 : 60_000));
    if (planner.end()?.isOutdated === true && dice() < 0.7) await repaired(scene, restored);
  }
  return runs;
}

function maybeCorrect({ dice, corrected, records }: SharedScene): void {
  if (dice() < 0.5) for (const { key } of records) corrected.add(key);
}

/**
 * Runs up to `CALM` planners without faults, until everything is settled. Returns false if records remain unsettled.
 */
async function finish(scene: SharedScene, before: number, restored: RestoredDatabase | undefined): Promise<boolean> {
  let runs = before;
  for (let number = 0; number < CALM; number += 1) {
    const how = scene.folders !== undefined && scene.dice() < 0.3 ? "push" : nextCommand(scene);
    if (how === "push") runs += 1;
    const planner = startPlanner(scene, how, runFor(scene, how, runs));
    await passUntil(scene, () => planner.process.isOver(), PLANNER_MS);
    if (!planner.process.isOver()) scene.witness.addViolation("liveness", "a planner does not end without faults");
    const end = planner.end();
    if (end?.how === "done" && end.isSettled) return true;
    if (end?.isOutdated === true) await repaired(scene, restored);
    await pass(scene, QUIET_MS);
  }
  return false;
}

async function repaired(scene: SharedScene, restored: RestoredDatabase | undefined): Promise<void> {
  await restored?.repair((process) => passUntil(scene, () => process.isOver(), PLANNER_MS));
}

/** Returns the command that a user would run. */
function nextCommand({ server, corrected, correctedOf }: SharedScene): "push" | "resume" {
  const run = server.tables.latest();
  if (run === undefined) return "push";
  // `resume` is refused if the input has changed.
  return (correctedOf.get(run) ?? corrected.size) === corrected.size ? "resume" : "push";
}

function runFor(
  { server, folders, corrected, correctedOf }: SharedScene,
  how: "push" | "resume",
  runs: number,
): string {
  if (how === "resume") return server.tables.latest() ?? nameOf(runs);
  if (folders !== undefined) correctedOf.set(nameOf(runs), corrected.size);
  return nameOf(runs);
}

function anyMachine({ dice, folders }: SharedScene): number {
  return folders === undefined ? 0 : between(dice, 0, folders.machines - 1);
}

function nameOf(run: number): string {
  return `run-${run}`;
}

function joinFromElsewhere(scene: SharedScene, run: string): void {
  const { dice, clock } = scene;
  const join = async (): Promise<void> => {
    await clock.sleep(between(dice, 1_000, 30_000));
    startWorker(scene, run, anyMachine(scene));
  };
  for (let count = pickWeighted(dice, REMOTE); count > 0; count -= 1) void join();
}

const REMOTE: readonly (readonly [number, number])[] = [
  [3, 0],
  [2, 1],
  [1, 2],
];

/** Checks I9 (completed work is not repeated), and that all processes end. */
async function checkIdle(scene: SharedScene): Promise<void> {
  const { processes, server, witness } = scene;
  await passUntil(scene, () => processes.every((one) => one.isOver()), PLANNER_MS);
  const late = processes.filter((one) => !one.isOver());
  if (late.length > 0) witness.addViolation("liveness", `process ${late[0]?.pid} does not end`);
  const before = witness.left();
  const run = runFor(scene, "resume", 0);
  // A record whose repeat was refused is sent again by each resume until the record is reconciled.
  const isRefused = server.tables.outcomes(run).some(({ status }) => status === "ambiguous");
  const planner = startPlanner(scene, "resume", run);
  await passUntil(scene, () => planner.process.isOver(), PLANNER_MS);
  const more = witness.left() - before;
  if (more > 0 && !isRefused) witness.addViolation("I9", `${more} requests after everything was done`);
}

/** Advances the clock in steps until the condition holds, this time has passed, or no process sleeps any more. */
async function passUntil(
  { clock }: { readonly clock: SimulatedClock },
  isSo: () => boolean,
  ms: number,
): Promise<void> {
  const until = clock.monotonic() + ms;
  for (let idle = 0; clock.monotonic() < until && idle < IDLE_TURNS;) {
    await new Promise(setImmediate);
    if (isSo()) return;
    idle = clock.step() ? 0 : idle + 1;
  }
}

/** Advances the time even if no process sleeps. */
async function pass(scene: SharedScene, ms: number): Promise<void> {
  void scene.clock.sleep(ms);
  await passUntil(scene, () => false, ms);
}

const IDLE_TURNS = 50;
