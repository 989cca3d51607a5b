import { between, type Dice, pickWeighted } from "../seeded-dice.ts";

/** The faults of the platform and the network that are active at a moment. */
export interface Faults {
  /** No data-import request reaches the platform. */
  readonly cut: boolean;
  /** Half of the requests fail, in random ways. */
  readonly erratic: boolean;
  /** Most requests are refused with 429 or 503. */
  readonly busy: boolean;
  /** Tokens are invalid, and no new tokens are issued. */
  readonly loggedOut: boolean;
  /** The import supplier is closed. */
  readonly closed: boolean;
}

/** A period with one kind of fault, in milliseconds of simulated time. */
interface FaultPeriod {
  readonly kind: keyof Faults;
  readonly from: number;
  readonly to: number;
}

/** The random faults of the platform and the network, as determined by the seed. */
export interface Weather {
  readonly at: (now: number) => Faults;
  /** The share of requests that fail outside `erratic` periods. */
  readonly baseErrorRate: number;
  /** The share of requests whose reply is lost and that are processed up to a minute later. */
  readonly lateShare: number;
  /** Ends all faults. */
  readonly clear: () => void;
  readonly isClear: () => boolean;
}

export function createWeather(dice: Dice, lateShare = 0): Weather {
  const periods = Array.from({ length: between(dice, 0, 5) }, () => drawPeriod(dice));
  const baseErrorRate = dice() < 0.3 ? 0 : dice() * 0.3;
  let isClear = false;
  return {
    baseErrorRate,
    lateShare,
    clear() {
      isClear = true;
    },
    isClear: () => isClear,
    at(now) {
      const over = isClear ? [] : periods.filter(({ from, to }) => from <= now && now < to);
      const has = (kind: keyof Faults): boolean => over.some((one) => one.kind === kind);
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

function drawPeriod(dice: Dice): FaultPeriod {
  const kind = pickWeighted<keyof Faults>(dice, [
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
