import type { Random } from "../model/clock.ts";

const BASE_MS = 500;
const CAP_MS = 20_000;

/** Full jitter: anything between nothing and a cap that doubles with every try, 0.5 s to 20 s. */
export function fullJitter(tries: number, random: Random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** Math.min(tries - 1, 16));
}
