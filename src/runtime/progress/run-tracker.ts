import type { RunEvent } from "../../job/run-event.ts";
import {
  type Counts,
  type InputProgress,
  type Pace,
  type RunIdentity,
  type RunProgress,
  type RunState,
  type SendProgress,
  sendTotals,
  type Sharing,
} from "../../job/run-progress.ts";
import { type MonotonicClock, timestamp, type WallClock } from "../../time/clock.ts";

/** Derives the progress of a run from its events. */
export interface RunTracker {
  readonly note: (event: RunEvent) => void;
  readonly progress: () => RunProgress;
  readonly end: () => TrackedEnd;
  /** Notes that the command has ended, even if its run has not begun. */
  readonly stop: () => void;
}

export interface TrackedEnd {
  /** `running` until the run ends; `stopped` also if the command has ended before its run began. */
  readonly state: RunState;
  /** The counts of the whole run, after it has ended. */
  readonly counts?: Counts | undefined;
}

const NOTHING_READ: InputProgress = { bytes: 0, ofBytes: 0, records: 0, invalid: 0 };

export function createRunTracker(clock: WallClock & MonotonicClock): RunTracker {
  let startedAt: number | undefined;
  let run: RunIdentity | undefined;
  let input = NOTHING_READ;
  let sending: SendTracker | undefined;
  let end: TrackedEnd = { state: "running" };

  return {
    note(event) {
      startedAt ??= clock.monotonic();
      if (event.kind === "begun") {
        // A process may execute several runs in succession.
        startedAt = clock.monotonic();
        run = event.run;
        sending = undefined;
        end = { state: "running" };
      } else if (event.kind === "read") input = { ...input, bytes: event.bytes, ofBytes: event.ofBytes };
      else if (event.kind === "checked") input = { ...input, records: event.records, invalid: event.invalid };
      else if (event.kind === "planned") {
        const totals = sendTotals(event.counts, event.ambiguousBefore);
        if (event.isDryRun !== true) sending = createSendTracker(totals, clock);
      } else if (event.kind === "joined") sending = createSendTracker({ done: 0, counts: {} }, clock);
      else if (event.kind === "ended") end = { state: event.state, counts: event.counts };
      else sending?.note(event);
    },
    end: () => end,
    stop() {
      if (end.state === "running") end = { state: "stopped" };
    },
    progress: () => ({
      run,
      at: timestamp(clock),
      elapsedMs: startedAt === undefined ? 0 : Math.round(clock.monotonic() - startedAt),
      input,
      sending: sending?.progress(),
    }),
  };
}

type SendEvent = Exclude<RunEvent, { kind: "begun" | "read" | "checked" | "planned" | "joined" | "ended" }>;

interface SendTracker {
  readonly note: (event: SendEvent) => void;
  readonly progress: () => SendProgress;
}

function createSendTracker(
  totals: Pick<SendProgress, "total" | "done" | "counts">,
  { monotonic }: MonotonicClock,
): SendTracker {
  const { total } = totals;
  const settled = new Map(Object.entries(totals.counts));
  const rate = createRecentRate();
  const closedSuppliers = new Set<string>();
  const replies = { count: 0, totalMs: 0 };
  const waits = createWaits();
  let { done } = totals;
  let inFlight = 0;
  let pace: Pace = {};
  let sharing: Sharing | undefined;
  rate.note(monotonic(), done);

  return {
    note(event: SendEvent): void {
      const now = monotonic();
      if (event.kind === "pace") pace = { limit: event.limit, perSecond: event.perSecond, reason: event.reason };
      else if (event.kind === "workers") sharing = event.sharing;
      else if (event.kind === "pause") waits.pause(now, event);
      else if (event.kind === "supplier") {
        if (event.open) closedSuppliers.delete(event.supplier);
        else closedSuppliers.add(event.supplier);
      } else {
        inFlight = event.inFlight;
        waits.outcome(now);
        if (event.durationMs !== undefined) {
          replies.count += 1;
          replies.totalMs += event.durationMs;
        }
        // The record waits for its import supplier or its next step, so another outcome will follow.
        if (event.status === "pending") return;
        done += 1;
        settled.set(event.status, (settled.get(event.status) ?? 0) + 1);
        rate.note(now, done);
      }
    },
    progress(): SendProgress {
      const now = monotonic();
      const perSecond = rate.perSecond(now, done);
      const wait = waits.current(now);
      const isStalled = wait !== undefined || closedSuppliers.size > 0;
      return {
        total,
        done,
        counts: Object.fromEntries(settled),
        inFlight: sharing === undefined ? inFlight : sharing.working.reduce((sum, worker) => sum + worker.inFlight, 0),
        perSecond: Math.round(perSecond * 10) / 10,
        leftMs: isStalled || total === undefined ? undefined : timeLeft(total - done, perSecond),
        pace,
        wait,
        closedSuppliers: [...closedSuppliers],
        ...(sharing !== undefined && { sharing }),
        replies: { ...replies },
      };
    },
  };
}

/** Estimates the time in milliseconds until all records are settled; undefined while there is no rate. */
function timeLeft(records: number, perSecond: number): number | undefined {
  return perSecond > 0 ? Math.round((records / perSecond) * 1000) : undefined;
}

/** Combines pauses into waits. A pause that begins before the previous pause is over extends the wait. */
function createWaits() {
  let since: number | undefined;
  let until = 0;
  let reason = "";
  return {
    pause(now: number, pause: Extract<RunEvent, { kind: "pause" }>): void {
      if (since === undefined || now > until) since = now;
      until = now + pause.forMs;
      reason = pause.reason;
    },
    outcome(now: number): void {
      if (now > until) since = undefined;
    },
    current: (now: number): SendProgress["wait"] =>
      since === undefined || now > until ? undefined : { reason, forMs: Math.round(now - since) },
  };
}

const RATE_WINDOW_MS = 60_000;
const SAMPLE_EVERY_MS = 1000;

/** Measures the mean rate of the last minute, which follows changes in the rate, but does not jump after a pause. */
function createRecentRate() {
  const samples: { readonly at: number; readonly done: number }[] = [];
  return {
    note(at: number, done: number): void {
      const last = samples.at(-1);
      if (last !== undefined && at - last.at < SAMPLE_EVERY_MS) return;
      samples.push({ at, done });
      while ((samples[1]?.at ?? at) <= at - RATE_WINDOW_MS) samples.shift();
    },
    perSecond(now: number, done: number): number {
      const [first] = samples;
      if (first === undefined || now - first.at < SAMPLE_EVERY_MS) return 0;
      return ((done - first.done) * 1000) / (now - first.at);
    },
  };
}
