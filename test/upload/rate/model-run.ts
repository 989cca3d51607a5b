import type { PushBack } from "../../../src/platform/reply/reply-class.ts";
import { createRateControl, type RateControl } from "../../../src/upload/rate/adaptive-concurrency.ts";
import { type Dice, seededDice } from "../../seeded-dice.ts";

/** Returns whether the cap admits a request that arrives now. */
export type Cap = (now: number) => boolean;

/** Caps of `perSecond` requests per second, of the kinds that platforms use. */
export const CAPS = {
  none: (): Cap => () => true,
  /** Allows a burst of one second's requests. */
  "token bucket": (perSecond: number): Cap => {
    let left = perSecond;
    let at = 0;
    return (now) => {
      left = Math.min(perSecond, left + ((now - at) / 1000) * perSecond);
      at = now;
      if (left < 1) return false;
      left -= 1;
      return true;
    };
  },
  /** Allows this number of requests in each second of the clock. */
  "fixed window": (perSecond: number): Cap => {
    let second = -1;
    let taken = 0;
    return (now) => {
      if (Math.floor(now / 1000) !== second) taken = 0;
      second = Math.floor(now / 1000);
      taken += 1;
      return taken <= perSecond;
    };
  },
  "sliding window": (perSecond: number): Cap => {
    const taken: number[] = [];
    return (now) => {
      while ((taken[0] ?? now) <= now - 1000) taken.shift();
      if (taken.length < perSecond) taken.push(now);
      else return false;
      return true;
    };
  },
} as const;

export interface ModelPlan {
  readonly cap?: Cap;
  /** Share of the requests that is refused at random. */
  readonly noise?: number;
  /** Retry-After of every refusal; default: none. */
  readonly retryAfterMs?: number | undefined;
  readonly latencyMs?: number;
  readonly concurrency?: "auto" | number;
  readonly seconds?: number;
  readonly seed?: number;
  /** From second `from` to second `to`, every request is refused. */
  readonly outage?: { readonly from: number; readonly to: number };
}

export interface ModelRun {
  /** Requests admitted, and requests refused because of the cap, in each second. */
  readonly through: readonly number[];
  readonly refused: readonly number[];
  /** Number of requests sent. */
  readonly sent: number;
}

interface Model {
  readonly plan: ModelPlan;
  readonly rate: RateControl;
  readonly dice: Dice;
  readonly events: { readonly at: number; readonly run: () => void }[];
  readonly through: number[];
  readonly refused: number[];
  now: number;
  /** The last wait that the rate control required. */
  waitMs: number;
  isWaiting: boolean;
  inFlight: number;
  sent: number;
}

const NEVER = new AbortController().signal;

/**
 * Sends records under the rate control alone, in simulated time: a minute takes a few milliseconds. The records never
 * run out, so a refused record need not be sent again.
 */
export function runModel(plan: ModelPlan): ModelRun {
  const { seconds = 60, seed = 1, concurrency = "auto" } = plan;
  const dice = seededDice(seed);
  const clock = {
    now: () => model.now,
    monotonic: () => model.now,
    sleep: (ms: number) => {
      model.waitMs = ms;
      return Promise.resolve();
    },
  };
  const rate = createRateControl({ concurrency }, { clock, random: dice, onChange: () => undefined });
  const model: Model = {
    plan,
    rate,
    dice,
    events: [],
    through: Array.from({ length: seconds }, () => 0),
    refused: Array.from({ length: seconds }, () => 0),
    now: 0,
    waitMs: 0,
    isWaiting: false,
    inFlight: 0,
    sent: 0,
  };
  sendAll(model);
  for (let next = model.events.shift(); next !== undefined && next.at < seconds * 1000; next = model.events.shift()) {
    model.now = next.at;
    next.run();
  }
  return model;
}

function schedule(model: Model, afterMs: number, run: () => void): void {
  const event = { at: model.now + afterMs, run };
  let place = model.events.length;
  while (place > 0 && (model.events[place - 1]?.at ?? 0) > event.at) place -= 1;
  model.events.splice(place, 0, event);
}

function sendAll(model: Model): void {
  const { rate } = model;
  while (model.inFlight < rate.limit() && !model.isWaiting) {
    if (rate.waitForTurn(NEVER) === undefined) sendOne(model);
    else {
      model.isWaiting = true;
      schedule(model, Math.max(1, Math.trunc(model.waitMs)), () => {
        model.isWaiting = false;
        sendAll(model);
      });
    }
  }
}

function sendOne(model: Model): void {
  const { plan, rate, dice } = model;
  const epoch = rate.epoch();
  const durationMs = (plan.latencyMs ?? 40) * (0.7 + 0.6 * dice());
  model.inFlight += 1;
  model.sent += 1;
  schedule(model, durationMs / 2, () => {
    const result = arrive(model);
    schedule(model, durationMs / 2, () => {
      rate.reached();
      if (result === "through") rate.answered(durationMs, model.inFlight, epoch);
      else refuse(model, epoch);
      model.inFlight -= 1;
      sendAll(model);
    });
  });
}

function arrive({ plan, dice, now, through, refused }: Model): "through" | "refused" {
  const second = Math.floor(now / 1000);
  const { outage, noise = 0, cap } = plan;
  if (outage !== undefined && second >= outage.from && second < outage.to) return "refused";
  if (dice() < noise) return "refused";
  const isThrough = cap?.(now) ?? true;
  const counts = isThrough ? through : refused;
  counts[second] = (counts[second] ?? 0) + 1;
  return isThrough ? "through" : "refused";
}

function refuse(model: Model, epoch: number): void {
  const { retryAfterMs: afterMs } = model.plan;
  const pushBack: PushBack = { reason: "HTTP 429", ...(afterMs !== undefined && { afterMs }) };
  model.rate.pushedBack(epoch, pushBack);
}

export function sumOf(counts: readonly number[], from = 0, to = counts.length): number {
  return counts.slice(from, to).reduce((sum, count) => sum + count, 0);
}
