import { between, type Dice, pickWeighted, seededDice } from "../../seeded-dice.ts";

/** Random choices derived from one seed, with a note of every generated option and type. */
export interface Draw {
  readonly dice: Dice;
  readonly chance: (share: number) => boolean;
  readonly pick: <T>(list: readonly T[]) => T;
  /** Returns an integer from `low` to `high`, inclusive. */
  readonly between: (low: number, high: number) => number;
  readonly note: (drawn: string) => void;
  readonly notes: ReadonlySet<string>;
}

export function newDraw(seed: number): Draw {
  const dice = seededDice(seed);
  const notes = new Set<string>();
  return {
    dice,
    notes,
    chance: (share) => dice() < share,
    pick(list) {
      const [picked] = list.slice(Math.floor(dice() * list.length));
      return (
        picked ??
        pickWeighted(
          dice,
          list.map((entry) => [1, entry] as const),
        )
      );
    },
    between: (low, high) => between(dice, low, high),
    note: (drawn) => notes.add(drawn),
  };
}

export function times<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
