import type { Random } from "../src/time/clock.ts";

/** The seeded random numbers of the sandbox. */
export { seededRandom as seededDice } from "../src/sandbox/faults/fault-plan.ts";

export type Dice = Random;

/** Returns a whole number from `low` to `high`, inclusive. */
export function between(dice: Dice, low: number, high: number): number {
  return low + Math.floor(dice() * (high - low + 1));
}

/** Returns one of the values with a probability proportional to its weight. */
export function pickWeighted<T>(dice: Dice, weighted: readonly (readonly [weight: number, value: T])[]): T {
  let left = dice() * weighted.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, value] of weighted) {
    left -= weight;
    if (left < 0) return value;
  }
  const last = weighted.at(-1);
  if (last === undefined) throw new Error("there is nothing to choose from");
  return last[1];
}
