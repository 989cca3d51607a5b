/**
 * Distinguishes random refusals (noise) from refusals caused by a cap. At a lower rate, a cap causes a smaller share of
 * requests to be refused, but the share of noise stays the same. Refusals that continue at a lower rate are therefore
 * treated as noise. While no cap is known, two refusals with many requests between them are also treated as noise,
 * because refusals are more frequent above a cap. The run then returns to the previous rate for a trial. If there is a
 * cap after all, far more requests are refused at once, which reveals the mistake. Known noise explains refusals until
 * they clearly exceed its share (a cumulative sum test, E. S. Page, "Continuous inspection schemes", 1954).
 */
export interface RefusalNoise {
  /** Returns the share of requests that are refused at random; 0 if no noise is known. */
  readonly share: () => number;
  /** Whether noise is known and explains all refusals since the last accepted request. */
  readonly isKnown: () => boolean;
  /**
   * Whether the share of refusals is plausible for noise, given the number of requests. If so, only the refused record
   * waits.
   */
  readonly isPlausible: () => boolean;
  readonly acceptedRequest: (load: Load) => void;
  /** Call this when a request was refused. Returns true if known noise explains it. */
  readonly explains: (load: Load) => boolean;
  /**
   * Call this for a refusal that noise does not explain. Returns true if refusals are treated as noise from now on.
   * @param atATime maximum number of requests in flight
   */
  readonly learn: (load: Load, atATime: number) => boolean;
}

/** The rate compared with the rate at the last refusals; `unknown` if no cap is known. */
export type Load = "less" | "more" | "unknown";

/** Highest share of refusals that can be noise. A platform that refuses more is overloaded. */
export const MAX_NOISE = 0.4;
/** Number of refusals at a lower rate after which refusals count as noise. Doubled after each mistake. */
const REFUSALS_UNTIL_NOISE = 2;
/**
 * Minimum gap between refusals, as a multiple of the requests in flight. Refusals caused by a cap are closer together,
 * even if the load exceeds the cap by only one request.
 */
const GAP_FACTOR = 2;
/** Minimum gap if few requests are in flight, because chance then has more influence. */
const MIN_GAP = 8;
/** Number of requests in a trial. */
const TRIAL = 200;
/**
 * Number of requests over which noise is averaged. If fewer than one in this many requests is refused, there is no
 * noise.
 */
const MEMORY = 1_000;
/**
 * The share of refusals clearly exceeds the noise if it is at least twice the noise, and exceeds the noise by at least
 * this value. Both thresholds double during a trial.
 */
const MIN_EXCESS = 0.05;
/** Upper bound on the excess over the noise, as a share of the requests that are not refused as noise. */
const MAX_EXCESS_OF_REST = 0.25;
/** Required certainty that the excess is not due to chance, as the logarithm of the odds. */
const CERTAINTY = 8;
/**
 * At a higher rate, the share of refusals is limited to this value before it is compared with noise. A larger share
 * comes from a cap, and says nothing about the noise below the cap.
 */
const MAX_SHARE_OF_CAP = 0.07;
/**
 * Number of requests without a refusal that are added to the sample, so that a share based on few requests weighs less.
 */
const PRIOR_REQUESTS = 20;

export function createRefusalNoise(): RefusalNoise {
  const samples = createLoadSamples();
  const test = createExcessTest();
  /** The expected share of refusals. After a trial, `noise` follows `mean`. */
  let noise = 0;
  let mean = 0;
  let requests = 0;
  let trialLeft = 0;
  let beforeTrial = 0;
  let needed = REFUSALS_UNTIL_NOISE;
  /** Whether no request has been accepted since a refusal that noise did not explain. */
  let isAlarmed = false;

  /** Whether the share of refusals is too high for noise, even if chance is taken into account. */
  const isTooMuch = (): boolean => mean > MAX_NOISE + uncertainty(requests);

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
    isPlausible: () => mean + uncertainty(requests) / 2 <= MAX_NOISE,
    acceptedRequest(load) {
      isAlarmed = false;
      samples.acceptedRequest(load);
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
      const found = samples.noiseAt(load, needed, atATime);
      if (found === undefined) return false;
      beforeTrial = noise;
      ({ share: noise, requests } = found);
      mean = noise;
      trialLeft = TRIAL;
      isAlarmed = false;
      test.restart();
      samples.restart();
      return true;
    },
  };
}

/** Returns how much the share of refusals can differ by chance in this number of requests. */
function uncertainty(requests: number): number {
  return 1 / Math.sqrt(Math.max(1, requests));
}

/**
 * Creates a CUSUM test (cumulative sum of log-likelihood ratios) that detects more refusals than noise alone explains.
 */
function createExcessTest() {
  let sum = 0;
  return {
    add(refused: 0 | 1, noise: number, isTrial: boolean): void {
      const excess = Math.max(noise, MIN_EXCESS) * (isTrial ? 2 : 1);
      const high = noise + Math.min(excess, (1 - noise) * MAX_EXCESS_OF_REST);
      const likelihoodRatio = refused === 1 ? high / noise : (1 - high) / (1 - noise);
      sum = Math.max(0, sum + Math.log(likelihoodRatio));
    },
    /** Whether many more requests were refused than noise can explain. */
    isExcess: () => sum >= CERTAINTY,
    restart(): void {
      sum = 0;
    },
  };
}

function createLoadSamples() {
  let less = { through: 0, refused: 0 };
  let other = { through: 0, refused: 0 };
  /**
   * The number of accepted requests before each of the last refusals. `gap`: the number of accepted requests since the
   * last refusal.
   */
  let gaps: readonly number[] = [];
  let gap = 0;

  const halve = (): void => {
    less = { through: less.through / 2, refused: less.refused / 2 };
    other = { through: other.through / 2, refused: other.refused / 2 };
  };
  const sizeOf = ({ through, refused }: typeof less): number => Math.ceil(through + refused);
  const isGapLongEnough = (requests: number): boolean => {
    const [before, last = 0] = gaps.slice(-2);
    return before !== undefined && last >= requests;
  };

  return {
    acceptedRequest(load: Load): void {
      gap += 1;
      (load === "less" ? less : other).through += 1;
      if (less.through + other.through > MEMORY) halve();
    },
    refused(load: Load): void {
      gaps = [...gaps.slice(-2), gap];
      gap = 0;
      (load === "less" ? less : other).refused += 1;
    },
    /**
     * Returns the share of noise, and the number of requests that it is based on; undefined if refusals do not look
     * like noise. At a lower rate, refusals look like noise once there are `needed` of them, if their share is not
     * clearly lower than before. Before a cap is known, they look like noise if enough requests were accepted between
     * the last two refusals, unless refusals have been mistaken for noise before.
     */
    noiseAt(
      load: Load,
      needed: number,
      atATime: number,
    ): { readonly share: number; readonly requests: number } | undefined {
      if (load === "unknown" && needed === REFUSALS_UNTIL_NOISE) {
        const share = other.refused / (other.through + other.refused);
        return isGapLongEnough(Math.max(MIN_GAP, GAP_FACTOR * atATime))
          ? { share, requests: sizeOf(other) }
          : undefined;
      }
      if (load !== "less") return undefined;
      const recentShare = gaps.length / (gaps.length + gaps.reduce((sum, one) => sum + one, 0));
      const share = Math.max((less.refused + 1) / (less.through + less.refused + 1), recentShare);
      // The refusal that revealed the cap does not count towards the share.
      const shareOfOther = Math.max(0, other.refused - 1) / (other.through + other.refused + PRIOR_REQUESTS);
      const isSame = less.refused >= (Math.min(shareOfOther, MAX_SHARE_OF_CAP) / 2) * (less.through + less.refused);
      return less.refused >= needed && isSame && share <= MAX_NOISE ? { share, requests: sizeOf(less) } : undefined;
    },
    restart(): void {
      less = { through: 0, refused: 0 };
      other = { through: 0, refused: 0 };
    },
  };
}
