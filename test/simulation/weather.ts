import { between, type Dice, pickWeighted } from "../seeded-dice.ts";

/** What the platform and the way to it are like at a moment. */
export interface Sky {
  readonly cut: boolean;
  readonly erratic: boolean;
  readonly busy: boolean;
  readonly loggedOut: boolean;
  readonly closed: boolean;
}

/** A spell of bad weather, milliseconds of simulated time. */
interface Spell {
  readonly kind: keyof Sky;
  readonly from: number;
  readonly to: number;
}

export interface Weather {
  readonly at: (now: number) => Sky;
  /** Share of requests that meet a fault in any weather. */
  readonly drizzle: number;
  /** From now on everything works. */
  readonly clear: () => void;
  readonly isClear: () => boolean;
}

export function createWeather(dice: Dice): Weather {
  const spells = Array.from({ length: between(dice, 0, 5) }, () => spell(dice));
  const drizzle = dice() < 0.3 ? 0 : dice() * 0.3;
  let isClear = false;
  return {
    drizzle,
    clear() {
      isClear = true;
    },
    isClear: () => isClear,
    at(now) {
      const over = isClear ? [] : spells.filter(({ from, to }) => from <= now && now < to);
      const has = (kind: keyof Sky): boolean => over.some((one) => one.kind === kind);
      return {
        cut: has("cut"),
        erratic: has("erratic"),
        busy: has("busy"),
        loggedOut: has("loggedOut"),
        closed: has("closed"),
      };
    },
  };
}

function spell(dice: Dice): Spell {
  const kind = pickWeighted<keyof Sky>(dice, [
    [3, "cut"],
    [4, "erratic"],
    [3, "busy"],
    [1, "loggedOut"],
    [2, "closed"],
  ]);
  const from = between(dice, 0, dice() < 0.7 ? 2_000 : 60_000);
  const lasts = pickWeighted(dice, [
    [4, between(dice, 50, 2_000)],
    [3, between(dice, 2_000, 40_000)],
    [1, between(dice, 40_000, 500_000)],
  ]);
  return { kind, from, to: from + lasts };
}
