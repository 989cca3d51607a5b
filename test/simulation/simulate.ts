import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { createTestFolder } from "../temporary-folder.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { between, type Dice, pickWeighted, seededDice } from "../seeded-dice.ts";
import { type Violation, createWitness } from "./invariants.ts";
import { createInput } from "./changing-input.ts";
import { createModelPlatform, type OnRepeat } from "./model-platform.ts";
import { importOperations } from "./operations.ts";
import { createRestores } from "./restored-ledger.ts";
import { createSession, type Job, type SessionEnd } from "./session.ts";
import type { SimulatedRecord } from "./simulated-record.ts";
import { createSimulatedClock } from "./simulated-clock.ts";
import { createWeather, type Weather } from "./weather.ts";

export interface Simulated {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** Every event in order, with its time. */
  readonly trace: readonly string[];
  /** A hash of the trace, for comparisons. */
  readonly fingerprint: string;
  readonly records: number;
  readonly sessions: number;
  readonly kills: number;
}

export interface SimulationOptions {
  /** Introduces a bug into the product to show that the simulation detects it. */
  readonly injectBug?: (job: Job) => Job;
  /** Restores older copies of the ledger. `unnoticed`: the ledger is not compared with its journal. */
  readonly restores?: "noticed" | "unnoticed";
  /** Returns the time of the wall clock. Default: the simulated time. */
  readonly wall?: (monotonic: number) => number;
}

/**
 * Pushes records to a model platform. The seed determines all faults of the platform, the network and the disk, and
 * when processes are killed or drained. After that, processes run without faults until everything is settled.
 */
export async function simulate(seed: number, options: SimulationOptions = {}): Promise<Simulated> {
  const { injectBug = (job) => job, wall, restores } = options;
  const dice = seededDice(seed);
  const { folder, remove } = createTestFolder(existsSync("/dev/shm") ? "/dev/shm" : undefined);
  try {
    const world = createWorld(dice, seededDice(seed + 3_000_000), {
      ledgerPath: path.join(folder, "ledger.db"),
      wall,
    });
    const job = injectBug(restores === undefined ? world.job : withRestores(world.job, seed, restores === "noticed"));
    const ends = await playAll(job, dice, world.weather);
    const violations = job.witness.violations();
    const fingerprint = createHash("sha256").update(world.trace.join("\n")).digest("hex");
    return {
      seed,
      violations,
      trace: world.trace,
      fingerprint,
      records: job.input.rows(0).length,
      sessions: ends.length,
      kills: ends.filter(({ reason }) => reason === "killed").length,
    };
  } finally {
    remove();
  }
}

function withRestores(job: Job, seed: number, comparesJournal: boolean): Job {
  const { ledgerPath, clock } = job;
  const dice = seededDice(seed + 1_000_000);
  const inUseDice = seededDice(seed + 2_000_000);
  const restores = createRestores({ ledgerPath, clock, dice, inUseDice, note: job.note, comparesJournal });
  const note = (event: string): void => {
    job.note(event);
    restores.notice(event);
  };
  return { ...job, note, restores };
}

interface World {
  readonly job: Job;
  readonly weather: Weather;
  readonly trace: readonly string[];
}

interface Place {
  readonly wall: SimulationOptions["wall"];
  readonly ledgerPath: string;
}

/** @param changes random numbers that determine how the input changes, and whether the platform replaces content */
function createWorld(dice: Dice, changes: Dice, { ledgerPath, wall }: Place): World {
  const trace: string[] = [];
  const clock = createSimulatedClock(wall);
  const isChanging = changes() < CHANGING_SHARE;
  const weather = createWeather(dice, isChanging && changes() < 0.5 ? LATE_SHARE : 0);
  const note = (event: string): void => void trace.push(`${clock.monotonic()} ${event}`);
  const drawn = pickWeighted<Operation>(dice, [
    [3, importOperations.deduping],
    [3, importOperations.notDeduping],
    [2, importOperations.staged],
    [2, importOperations.scheduled],
  ]);
  const operation =
    drawn === importOperations.deduping && changes() < UPDATING_SHARE ? importOperations.updating : drawn;
  const onRepeat = onRepeatOf(operation);
  const records = recordsFor(dice);
  const platform = createModelPlatform({
    clock,
    dice,
    weather,
    onRepeat,
    refuses: (_, content) => content === "bad",
    note,
  });
  const concurrency = pickWeighted<Job["concurrency"]>(dice, [
    [3, "auto"],
    [1, 1],
    [2, 4],
    [2, 16],
  ]);
  const witness = createWitness({ platform, records, operation, onRepeat, concurrency, clock });
  const rps = dice() < 0.15 ? between(dice, 2, 50) : undefined;
  const waits = dice() < 0.3;
  return {
    job: {
      clock,
      random: dice,
      operation,
      platform,
      witness,
      input: createInput(records, isChanging ? changes : undefined),
      concurrency,
      rps,
      waits,
      ledgerPath,
      wrapLedger: (ledger) => ledger,
      quietMs: LONGEST_TRANSIT_MS,
      note,
    },
    weather,
    trace,
  };
}

const CHANGING_SHARE = 0.65;
/** If rows change, some requests arrive so late that the platform may receive other content first. */
const LATE_SHARE = 0.25;
const UPDATING_SHARE = 0.5;

function onRepeatOf(operation: Operation): OnRepeat {
  if (operation === importOperations.updating) return "update";
  return operation.dedupesByKey ? "refuse" : "create";
}

function recordsFor(dice: Dice): readonly SimulatedRecord[] {
  const count = pickWeighted(dice, [
    [2, between(dice, 1, 6)],
    [4, between(dice, 7, 30)],
    [1, between(dice, 31, 120)],
  ]);
  const badShare = dice() < 0.5 ? 0 : dice() * 0.3;
  return Array.from({ length: count }, (_, index) => ({
    record: index + 1,
    key: `K${index + 1}`,
    isBad: dice() < badShare,
  }));
}

const STORMY = 6;
const CALM = 8;
/** The time that a user gives the platform after learning of ambiguous records. */
const QUIET_MS = 60_000;
/** Longer than the platform takes to process any request (at most 150 s). */
const LONGEST_TRANSIT_MS = 180_000;

async function playAll(job: Job, dice: Dice, weather: Weather): Promise<readonly SessionEnd[]> {
  const ends = await playStorm(job, dice);
  weather.clear();
  await playCalm(job, dice, ends);
  return ends;
}

const COMMANDS = {
  resume: { how: "resume", revise: false },
  push: { how: "push", revise: false },
  "push --revise": { how: "push", revise: true },
} as const;

async function playStorm(job: Job, dice: Dice): Promise<SessionEnd[]> {
  const ends: SessionEnd[] = [];
  const stormy = between(dice, 1, STORMY);
  for (let number = 0; number < stormy; number += 1) {
    const isFirst = !ends.some(({ hasRun }) => hasRun);
    const how = isFirst || dice() < (job.input.isChanging ? 0.6 : 0.2) ? "push" : "resume";
    if (how === "push") changeInput(job, dice, isFirst);
    ends.push(await createSession(job, { dice, how, revise: job.input.revises(), calm: false }));
    const isSoon = job.input.isChanging && dice() < 0.5;
    await letTimePass(job, between(dice, 0, isSoon ? 1_000 : 100_000));
    if (job.restores?.betweenProcesses() === true || ends.at(-1)?.isReplaced === true) job.witness.restored();
  }
  return ends;
}

function changeInput({ input }: Job, dice: Dice, isFirst: boolean): void {
  if (dice() < 0.5) input.correct();
  if (!isFirst) input.change();
}

async function playCalm(job: Job, dice: Dice, ends: SessionEnd[]): Promise<void> {
  let isDone = false;
  for (let number = 0; number < CALM && !isDone; number += 1) {
    const { hasRun = false, next = "resume" } = ends.at(-1) ?? {};
    const command = hasRun ? COMMANDS[next] : COMMANDS.push;
    const end = await createSession(job, { dice, ...command, calm: true });
    ends.push(end);
    isDone = end.reason === "done" && end.isSettled;
    await letTimePass(job, QUIET_MS);
  }
  if (isDone) await checkIdle(job, dice, ends);
  else job.witness.addViolation("liveness", `not done after ${CALM} sessions without faults`);
  await letTimePass(job, LONGEST_TRANSIT_MS);
}

/** Between two processes, lets requests that are still in transit arrive. */
async function letTimePass({ clock }: Job, ms: number): Promise<void> {
  const until = clock.monotonic() + ms;
  while (clock.monotonic() < until && clock.step()) await new Promise(setImmediate);
}

/** Checks I9: completed work is not repeated. */
async function checkIdle(job: Job, dice: Dice, ends: SessionEnd[]): Promise<void> {
  const before = job.platform.arrivals.length;
  const hasRefused = ends.at(-1)?.hasRefused === true;
  ends.push(await createSession(job, { dice, ...COMMANDS.resume, calm: true }));
  const more = job.platform.arrivals.length - before;
  // A record whose repeat was refused is sent again by each resume until the record is reconciled.
  if (more > 0 && !hasRefused) job.witness.addViolation("I9", `${more} requests after everything was done`);
}
