import type { Random } from "../src/time/clock.ts";

/** The same seed, the same numbers, as in the sandbox. */
export { seededRandom as seededDice } from "../src/sandbox/faults/fault-plan.ts";

export type Dice = Random;

/** Whole numbers from `low` to `high`, both included. */
export function between(dice: Dice, low: number, high: number): number {
  return low + Math.floor(dice() * (high - low + 1));
}

/** One of the given, each as likely as its weight says. */
export function oneOf<T>(dice: Dice, weighted: readonly (readonly [weight: number, value: T])[]): T {
  let left = dice() * weighted.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of weighted) {
    left -= weight;
    if (left < 0) return value;
  }
  const last = weighted.at(-1);
  if (last === undefined) throw new Error("there is nothing to choose from");
  return last[1];
}
