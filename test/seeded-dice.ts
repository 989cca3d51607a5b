/** A number from 0 to 1. */
export type Dice = () => number;

/** Mulberry32 by Tommy Ettinger (public domain): the same seed, the same numbers. */
export function seededDice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

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
