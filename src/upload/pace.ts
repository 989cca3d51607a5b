import type { Clock, Random } from "../model/clock.ts";
import { fullJitter } from "../platform/full-jitter.ts";
import type { PushBack } from "../platform/verdict.ts";
import { createFoundRate, type FoundRate } from "./found-rate.ts";
import type { UploadEvent, UploadOptions } from "./sendable.ts";

/**
 * How many requests may be in flight, and when the next may leave. One a time more while that helps, half as many on
 * push-back (429, 503, timeouts), no faster than the platform was found to let through, and what it asks for in
 * `Retry-After` holds for everybody.
 */
export interface Pace {
  /** Requests in flight at most, just now. */
  readonly limit: () => number;
  /** The highest the limit can get. */
  readonly most: number;
  /** Undefined when a request may leave now; otherwise a wait, after which to ask again. */
  readonly hold: (signal: AbortSignal) => Promise<void> | undefined;
  /** The same for a request that has had its turn: only a pause that has begun since keeps it. */
  readonly paused: (signal: AbortSignal) => Promise<void> | undefined;
  /** A request leaves. */
  readonly ticket: () => Ticket;
  /** A reply came that asks for nothing. `inFlight`: requests under way, this one included. */
  readonly answered: (durationMs: number, inFlight: number) => void;
  readonly pushedBack: (ticket: Ticket, pushBack: PushBack) => void;
  /** The request could not leave. */
  readonly unreachable: (ticket: Ticket, reason: string) => void;
  /** The platform has said something, whatever it was. */
  readonly reached: () => void;
}

/** The state of the pace when a request left: a whole volley that meets the same trouble counts once. */
export type Ticket = number;

export interface PaceParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly onChange: (event: UploadEvent) => void;
}

const START = 4;
const CEILING = 16;
/** After so many requests in a row that could not leave, one at a time tries whether the platform is back. */
const PROBE_AFTER = 5;
/** So often in a row a `Retry-After` is enough of a pause: one of 0 s must not make a storm. */
const BELIEVED = 3;
/** A window whose replies take longer than this times the best one's (and some) says that more would not help. */
const SLOWER = 1.3;
const SLOWER_MS = 5;
/** Windows after which one more is tried again that made replies slower before. */
const TRY_AGAIN = 10;
/** The best time is forgotten slowly, because platforms change over the day. */
const FORGET = 1.0002;
/** How far ahead of an even spacing `rps` may run, so that coarse timers cost no throughput. */
const BURST_MS = 50;

export function createPace(options: Pick<UploadOptions, "concurrency" | "ceiling" | "rps">, parts: PaceParts): Pace {
  const { clock, random, onChange } = parts;
  const steps = createSteps(options, onChange);
  const found = createFoundRate();
  const spacing = createSpacing(options.rps, found);
  let troubles = 0;
  let pushedBackInARow = 0;
  let unsentInARow = 0;
  let outageRounds = 0;
  let pausedUntil = 0;

  const restOfPause = (): number => Math.max(0, pausedUntil - clock.monotonic());
  const waiting = (ms: number, signal: AbortSignal): Promise<void> | undefined =>
    ms > 0 ? clock.sleep(ms, signal) : undefined;
  const isProbing = (): boolean => unsentInARow >= PROBE_AFTER;

  const pause = (forMs: number, reason: string): void => {
    const until = clock.monotonic() + forMs;
    if (forMs <= 0 || until <= pausedUntil) return;
    pausedUntil = until;
    onChange({ kind: "pause", forMs, reason });
  };

  return {
    limit: () => (isProbing() ? 1 : steps.limit()),
    most: steps.most,
    hold: (signal) => waiting(restOfPause() || spacing.claim(clock.monotonic()), signal),
    paused: (signal) => waiting(restOfPause(), signal),
    ticket: () => troubles,
    answered(durationMs, inFlight) {
      pushedBackInARow = 0;
      found.letThrough(clock.monotonic());
      steps.up(durationMs, inFlight);
    },
    pushedBack(ticket, { reason, afterMs }) {
      const refusal = { isFirst: ticket >= troubles, isTold: afterMs !== undefined };
      if (afterMs !== undefined) pause(afterMs, reason);
      if (reason !== "timeout" && afterMs !== 0) found.refused(clock.monotonic(), refusal);
      if (!refusal.isFirst) return;
      troubles += 1;
      pushedBackInARow += 1;
      const isPauseEnough = refusal.isTold && pushedBackInARow <= BELIEVED;
      if (!isPauseEnough && reason !== "timeout") pause(fullJitter(pushedBackInARow, random), reason);
      steps.halve(reason, found.perSecond(clock.monotonic()));
    },
    unreachable(ticket, reason) {
      unsentInARow += 1;
      if (unsentInARow === PROBE_AFTER) onChange({ kind: "pace", limit: 1, reason });
      if (ticket < troubles) return;
      troubles += 1;
      outageRounds += 1;
      pause(fullJitter(outageRounds, random), reason);
    },
    reached() {
      if (isProbing()) onChange({ kind: "pace", limit: steps.limit(), reason: "the platform can be reached again" });
      unsentInARow = 0;
      outageRounds = 0;
    },
  };
}

interface Steps {
  readonly limit: () => number;
  readonly most: number;
  readonly up: (durationMs: number, inFlight: number) => void;
  /** @param perSecond what the platform lets through, infinite when it never said */
  readonly halve: (reason: string, perSecond: number) => void;
}

/** Additive increase, multiplicative decrease: a step up at the end of a window at most, half on trouble. */
function createSteps(
  { concurrency, ceiling = CEILING }: Pick<UploadOptions, "concurrency" | "ceiling">,
  onChange: (event: UploadEvent) => void,
): Steps {
  const auto = concurrency === "auto";
  const most = auto ? ceiling : concurrency;
  const window = createWindow(auto);
  let limit = auto ? Math.min(START, most) : most;
  /** The most at a time that did not make replies slow. */
  let good = limit;
  let patience = 0;

  const change = (to: number, reason: string, perSecond = Number.POSITIVE_INFINITY): void => {
    const isNew = to !== limit || perSecond < Number.POSITIVE_INFINITY;
    window.restart();
    limit = to;
    if (!isNew) return;
    const told = perSecond < Number.POSITIVE_INFINITY ? { perSecond: Math.round(perSecond * 10) / 10 } : {};
    onChange({ kind: "pace", limit, ...told, reason });
  };

  return {
    limit: () => limit,
    most,
    up(durationMs, inFlight) {
      if (inFlight < limit / 2 || !window.add(durationMs, limit)) return;
      const reason = auto ? "replies stay quick" : "back to the set pace";
      patience -= 1;
      if (!window.helps()) {
        if (limit > good) patience = TRY_AGAIN;
        change(Math.min(limit, good), "one more only made replies slower");
        return;
      }
      if (limit >= most || patience > 0) return window.restart();
      good = limit;
      change(limit + 1, reason);
    },
    halve: (reason, perSecond) => change(Math.max(1, Math.floor(limit / 2)), reason, perSecond),
  };
}

interface Window {
  /** True when as many replies have come as may be in flight: one window. */
  readonly add: (durationMs: number, size: number) => boolean;
  readonly helps: () => boolean;
  readonly restart: () => void;
}

function createWindow(latencyMatters: boolean): Window {
  let replies = 0;
  let sum = 0;
  let best = Number.POSITIVE_INFINITY;
  return {
    add(durationMs, size) {
      replies += 1;
      sum += durationMs;
      return replies >= size;
    },
    helps() {
      const mean = sum / replies;
      best = Math.min(best * FORGET, mean);
      return !latencyMatters || mean <= best * SLOWER + SLOWER_MS;
    },
    restart() {
      replies = 0;
      sum = 0;
    },
  };
}

/** A token bucket written as a timetable: when the next request is due. */
function createSpacing(rps: number | undefined, found: FoundRate): { readonly claim: (now: number) => number } {
  let due = 0;
  return {
    /** Milliseconds to wait; 0 takes the place in the timetable. */
    claim(now) {
      const interval = 1000 / Math.min(rps ?? Number.POSITIVE_INFINITY, found.perSecond(now));
      const wait = due - now - Math.max(0, BURST_MS - interval);
      if (wait > 0 && interval > 0) return wait;
      due = Math.max(due, now) + interval;
      return 0;
    },
  };
}
