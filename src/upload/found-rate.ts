import { createScatter } from "./scatter.ts";
import { createTally, TALLIED_MS } from "./tally.ts";

/**
 * How many requests a second the platform was found to let through, learnt from its refusals (429, 503). What came
 * through just before a refusal is taken for its cap; a little less is sent then, and slowly more again: the way back
 * is steep at first, flat around the cap, and steep once nothing is refused beyond it (the curve of CUBIC, RFC 9438).
 * A cap that is met again makes the next way back twice as long, so that a steady cap costs few refusals, and is not
 * given up for one look that shows less: a second of pauses may lie in it. Refusals that have
 * nothing to do with the pace (`scatter.ts`) show no cap.
 */
export interface FoundRate {
  /** Requests a second that may leave just now; infinite while no cap was met. */
  readonly perSecond: (now: number) => number;
  /** A request was let through. */
  readonly letThrough: (now: number) => void;
  /** One was refused. */
  readonly refused: (now: number, refusal: Refusal) => void;
}

interface Refusal {
  /** Of a volley, which shows a cap once. */
  readonly isFirst: boolean;
  /** It came with a `Retry-After`: whoever sends that keeps count. */
  readonly isTold: boolean;
}

/** The share of the cap that is given up after a refusal. */
const CUT = 0.1;
/** How long the way back to the cap takes. */
const SHORTEST_BACK_MS = 2_000;
const LONGEST_BACK_MS = 60_000;
/** Two caps closer than this are one. */
const SAME = 0.15;
/** One refusal among many requests lets a cap fall no further than to this share of it. */
const FALL = 0.5;
/** Refusals are many when they are this share of the requests of two seconds, and so many of them. */
const MANY = 0.2;
const MANY_AT_LEAST = 3;

export function createFoundRate(): FoundRate {
  const through = createTally();
  const refusals = createTally();
  const scatter = createScatter();
  let cap = Number.POSITIVE_INFINITY;
  let backMs = SHORTEST_BACK_MS;
  let refusedAt = Number.NEGATIVE_INFINITY;

  const areMany = (now: number): boolean => {
    const refused = refusals.count(now, TALLIED_MS);
    return refused >= MANY_AT_LEAST && refused >= MANY * (refused + through.count(now, TALLIED_MS));
  };

  const lower = (found: number, areAlone: boolean): void => {
    const wasConfirmed = backMs > SHORTEST_BACK_MS;
    const isConfirmed = Math.abs(found / cap - 1) < SAME;
    const isKnown = cap < Number.POSITIVE_INFINITY && (wasConfirmed || areAlone);
    cap = isKnown ? Math.max(found, cap * (wasConfirmed ? 1 - SAME : FALL)) : found;
    backMs = isConfirmed ? Math.min(2 * backMs, LONGEST_BACK_MS) : SHORTEST_BACK_MS;
  };

  const forget = (): void => {
    cap = Number.POSITIVE_INFINITY;
    backMs = SHORTEST_BACK_MS;
  };

  return {
    perSecond: (now) =>
      cap === Number.POSITIVE_INFINITY ? cap : cap * (1 + CUT * ((now - refusedAt) / backMs - 1) ** 3),
    letThrough(now) {
      through.add(now);
      scatter.letThrough();
    },
    refused(now, { isFirst, isTold }) {
      refusals.add(now);
      const isCap = isTold || areMany(now);
      const hasEnded = scatter.endsWith(isCap);
      if (scatter.isOn() || (!isFirst && !hasEnded)) return;
      const sinceMs = now - refusedAt;
      const found = through.perSecond(now, sinceMs);
      refusedAt = now;
      if (found === 0) return;
      if (!isCap && scatter.beginsWith(sinceMs < backMs)) forget();
      else lower(found, !isCap);
    },
  };
}
