import type { Random, MonotonicClock } from "../../time/clock.ts";
import type { Route } from "../sandbox-reply.ts";
import type { FaultOptions, Trigger } from "./fault-options.ts";

export interface RequestFaults {
  readonly latencyMs: number;
  readonly before: "throttle" | "cap" | "error" | "reset" | "hang" | undefined;
  readonly after: "error" | "reset" | "hang" | "cut" | undefined;
  readonly pauseSupplier: boolean;
  readonly rotateTokens: boolean;
}

/** The active faults. They may change while the sandbox runs. */
export interface FaultPlan {
  readonly options: () => FaultOptions;
  /** Replaces the active faults, and restarts the counts of requests and of scheduled imports at 1. */
  readonly set: (options: FaultOptions) => void;
  /** Returns the faults for the next request. Call `finish` after the request. */
  readonly start: (route: Route) => RequestFaults;
  readonly finish: (route: Route) => void;
  /** Whether the next scheduled import ends in an error. */
  readonly failsImport: () => boolean;
}

export function createFaultPlan(initial: FaultOptions, clock: MonotonicClock): FaultPlan {
  let active = countsFor(initial, clock);
  let inFlight = 0;
  let processing = 0;

  const overRate = (limit: number): boolean => {
    const now = clock.monotonic();
    const allowance = active.allowance + ((now - active.countedAt) / 1000) * limit;
    active.allowance = Math.min(Math.max(limit, 1), allowance);
    active.countedAt = now;
    if (active.allowance < 1) return true;
    active.allowance -= 1;
    return false;
  };

  const overCap = (isProcessing: boolean): "cap" | "throttle" | undefined => {
    const { maxInFlight, maxPerSecond, maxProcessing } = active.options;
    if (isProcessing && maxProcessing !== undefined && processing > maxProcessing) return "cap";
    const isOver = maxInFlight !== undefined && inFlight > maxInFlight;
    return isOver || (maxPerSecond !== undefined && overRate(maxPerSecond)) ? "throttle" : undefined;
  };

  return {
    options: () => active.options,
    set: (changed) => {
      active = countsFor(changed, clock);
    },
    start: ({ isProcessing = false }) => {
      active.request += 1;
      inFlight += 1;
      if (isProcessing) processing += 1;
      const { options, random, request } = active;
      return {
        latencyMs: latency(options.latencyMs ?? 0, random),
        before: overCap(isProcessing) ?? firstTriggered(beforeTriggers(options), request, random),
        after: firstTriggered(afterTriggers(options), request, random),
        pauseSupplier: options.pauseAt === request,
        rotateTokens: options.rotateTokensAt === request,
      };
    },
    finish: ({ isProcessing = false }) => {
      inFlight -= 1;
      if (isProcessing) processing -= 1;
    },
    failsImport: () => active.failsImport(),
  };
}

/** Returns the state of faults that have just been set. */
function countsFor(options: FaultOptions, clock: MonotonicClock) {
  return {
    options,
    random: seededRandom(options.seed ?? 1),
    failsImport: importFailures(options),
    request: 0,
    /** The number of requests that `maxPerSecond` allowed at `countedAt`. */
    allowance: options.maxPerSecond ?? 0,
    countedAt: clock.monotonic(),
  };
}

/** Creates a function that returns whether the next scheduled import fails. */
function importFailures({ taskErrors, seed = 1 }: FaultOptions): () => boolean {
  const random = seededRandom(seed);
  let number = 0;
  return () => {
    number += 1;
    return taskErrors !== undefined && isTriggered(taskErrors, number, random);
  };
}

type Triggers<Name> = readonly (readonly [Name, Trigger | undefined])[];

function beforeTriggers(options: FaultOptions): Triggers<NonNullable<RequestFaults["before"]>> {
  return [
    ["throttle", options.throttle],
    ["error", options.errorBefore],
    ["reset", options.resetBefore],
    ["hang", options.hangBefore],
  ];
}

function afterTriggers(options: FaultOptions): Triggers<NonNullable<RequestFaults["after"]>> {
  return [
    ["error", options.errorAfter],
    ["reset", options.resetAfter],
    ["hang", options.hangAfter],
    ["cut", options.cutAfter],
  ];
}

/**
 * Returns the first fault that is due. Draws a random number for every trigger with a share, even after a fault is due,
 * so that the number of draws does not depend on the result.
 */
function firstTriggered<Name>(triggers: Triggers<Name>, request: number, random: Random): Name | undefined {
  const due = triggers.flatMap(([name, trigger]) => (trigger && isTriggered(trigger, request, random) ? [name] : []));
  return due[0];
}

/** @param number the number of the request or scheduled import, counted from 1 */
function isTriggered({ every, share, at }: Trigger, number: number, random: Random): boolean {
  const drawn = share !== undefined && random() < share;
  return drawn || (every !== undefined && number % every === 0) || (at?.includes(number) ?? false);
}

function latency(range: number | readonly [number, number], random: Random): number {
  if (typeof range === "number") return range;
  const [least, most] = range;
  return least + random() * (most - least);
}

/**
 * Creates a random number generator: Mulberry32 by Tommy Ettinger (public domain), with 32 bits of state. The same seed
 * produces the same numbers.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
