/**
 * Tells refusals that come at random, whatever is sent, from those that a cap makes: when less is sent, a cap refuses
 * less, and noise the same share. Refusals that go on although less is sent are taken for noise. So are two that are far
 * apart before a cap is known: a cap that is exceeded refuses more often. Then as much is sent as before, on trial: a cap
 * refuses clearly more at once, and shows that it was none. Known noise explains refusals until they are clearly more
 * than its share (a cumulative sum test, E. S. Page, "Continuous inspection schemes", 1954).
 */
export interface RefusalNoise {
  /** Share of the requests that is refused at random; 0 while no noise is known. */
  readonly share: () => number;
  /** Noise is known, and the last refusal was no more than it explains. */
  readonly isKnown: () => boolean;
  readonly letThrough: (load: Load) => void;
  /** A request was refused. True when known noise explains it. */
  readonly explains: (load: Load) => boolean;
  /**
   * To be called for a refusal that noise does not explain. True when refusals are taken for noise from now on.
   * @param atATime requests in flight at most
   */
  readonly learn: (load: Load, atATime: number) => boolean;
}

/** What is sent, compared with what was let through when requests were refused; unknown while no cap is known. */
export type Load = "less" | "more" | "unknown";

/** A platform that refuses more than this share of the requests is overloaded. */
export const MAX_NOISE = 0.4;
/** So many refusals while less is sent are taken for noise; twice as many each time that it was none. */
const REFUSALS_UNTIL_NOISE = 2;
/** Twice as many requests let through between two refusals as are in flight: one in flight too many is refused sooner. */
const FAR_APART = 2;
/** With few in flight, a share that so few requests show may be chance. */
const MIN_APART = 8;
/** Requests of a trial. */
const TRIAL = 200;
/** The noise is the mean of about so many requests; below one refusal among them it is none. */
const MEMORY = 1_000;
/** A share is clearly more than the noise when it is twice as high and higher by this (in a trial, twice as much more). */
const MIN_EXCESS = 0.05;
/** Of the requests that noise leaves, at most this share more has to be refused. */
const MAX_EXCESS_OF_REST = 0.25;
/** How unlikely chance has to be for that, as the logarithm of the odds. */
const CERTAINTY = 8;
/** A higher share of refusals at a higher rate is a cap's, and says nothing about the noise below it. */
const MAX_SHARE_OF_CAP = 0.07;
/** Weighs like so many requests without a refusal against a share that few requests have shown. */
const PRIOR_REQUESTS = 20;

export function createRefusalNoise(): RefusalNoise {
  const samples = createLoadSamples();
  const test = createExcessTest();
  /** What refusals are compared with, and the mean that it follows after a trial. */
  let noise = 0;
  let mean = 0;
  let requests = 0;
  let trialLeft = 0;
  let beforeTrial = 0;
  let needed = REFUSALS_UNTIL_NOISE;
  /** Nothing was let through since a refusal that noise did not explain. */
  let isAlarmed = false;

  /** More than noise can be, and more than chance makes of that in so few requests. */
  const isTooMuch = (): boolean => mean > MAX_NOISE + 1 / Math.sqrt(Math.max(1, requests));

  const compare = (refused: 0 | 1, load: Load): void => {
    if (noise === 0) return;
    test.add(refused, noise, trialLeft > 0);
    trialLeft -= 1;
    if (load === "more") return;
    requests = Math.min(MEMORY, requests + 1);
    mean += (refused - mean) / requests;
    if (trialLeft <= 0) noise = mean < 1 / MEMORY ? 0 : mean;
  };

  return {
    share: () => noise,
    isKnown: () => noise > 0 && !isAlarmed,
    letThrough(load) {
      isAlarmed = false;
      samples.letThrough(load);
      compare(0, load);
    },
    explains(load) {
      samples.refused(load);
      if (noise === 0) return false;
      compare(1, load);
      if (!test.isExcess() && !isAlarmed && !isTooMuch()) return true;
      test.restart();
      isAlarmed = true;
      if (trialLeft > 0) {
        needed *= 2;
        noise = beforeTrial;
      }
      if (isTooMuch()) noise = 0;
      return false;
    },
    learn(load, atATime) {
      const share = samples.shareIfNoise(load, needed, atATime);
      if (share === undefined) return false;
      beforeTrial = noise;
      noise = share;
      mean = share;
      requests = samples.sizeFor(load);
      trialLeft = TRIAL;
      isAlarmed = false;
      test.restart();
      samples.restart();
      return true;
    },
  };
}

interface ExcessTest {
  readonly add: (refused: 0 | 1, noise: number, isTrial: boolean) => void;
  /** Clearly more was refused than the noise explains. */
  readonly isExcess: () => boolean;
  readonly restart: () => void;
}

/** A cumulative sum of the logarithms of how much likelier each result is with more refusals than with the noise. */
function createExcessTest(): ExcessTest {
  let sum = 0;
  return {
    add(refused, noise, isTrial) {
      const excess = Math.max(noise, MIN_EXCESS) * (isTrial ? 2 : 1);
      const high = noise + Math.min(excess, (1 - noise) * MAX_EXCESS_OF_REST);
      const likelier = refused === 1 ? high / noise : (1 - high) / (1 - noise);
      sum = Math.max(0, sum + Math.log(likelier));
    },
    isExcess: () => sum >= CERTAINTY,
    restart() {
      sum = 0;
    },
  };
}

interface LoadSamples {
  readonly letThrough: (load: Load) => void;
  readonly refused: (load: Load) => void;
  /**
   * The share of refusals. While less is sent: when there were so many, and they are the same share of what was sent. Before
   * a cap is known: when the last two were far apart, and refusals were not taken for noise before.
   */
  readonly shareIfNoise: (load: Load, needed: number, atATime: number) => number | undefined;
  /** Requests that the share was found with. */
  readonly sizeFor: (load: Load) => number;
  readonly restart: () => void;
}

function createLoadSamples(): LoadSamples {
  let less = { through: 0, refused: 0 };
  let other = { through: 0, refused: 0 };
  /** Requests let through before each of the last refusals, and since the last one. */
  let gaps: readonly number[] = [];
  let gap = 0;

  const halve = (): void => {
    less = { through: less.through / 2, refused: less.refused / 2 };
    other = { through: other.through / 2, refused: other.refused / 2 };
  };
  const shareIfApart = (requests: number): number | undefined => {
    const [before, last = 0] = gaps.slice(-2);
    return before === undefined || last < requests ? undefined : other.refused / (other.through + other.refused);
  };

  return {
    letThrough(load) {
      gap += 1;
      (load === "less" ? less : other).through += 1;
      if (less.through + other.through > MEMORY) halve();
    },
    refused(load) {
      gaps = [...gaps.slice(-2), gap];
      gap = 0;
      (load === "less" ? less : other).refused += 1;
    },
    shareIfNoise(load, needed, atATime) {
      if (load === "unknown" && needed === REFUSALS_UNTIL_NOISE)
        return shareIfApart(Math.max(MIN_APART, FAR_APART * atATime));
      if (load !== "less") return undefined;
      const lately = gaps.length / (gaps.length + gaps.reduce((sum, one) => sum + one, 0));
      const share = Math.max((less.refused + 1) / (less.through + less.refused + 1), lately);
      // The refusal that made the cap known is no share yet.
      const shareOfOther = Math.max(0, other.refused - 1) / (other.through + other.refused + PRIOR_REQUESTS);
      const isSame = less.refused >= (Math.min(shareOfOther, MAX_SHARE_OF_CAP) / 2) * (less.through + less.refused);
      return less.refused >= needed && isSame && share <= MAX_NOISE ? share : undefined;
    },
    sizeFor(load) {
      const { through, refused } = load === "less" ? less : other;
      return Math.ceil(through + refused);
    },
    restart() {
      less = { through: 0, refused: 0 };
      other = { through: 0, refused: 0 };
    },
  };
}
