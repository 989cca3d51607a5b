/**
 * Tells refusals that come now and then, whatever is sent, from those that a cap makes: when less is sent and they come
 * as before, three times in a row, they are scattered, and holding back is in vain. It is a cap all the same when more is
 * refused once nothing is held back; then it takes twice as many to be taken for scattered again.
 */
export interface Scatter {
  readonly letThrough: () => void;
  /** Refusals have nothing to do with the pace. */
  readonly isOn: () => boolean;
  /**
   * To be called for every refusal. True when it shows that refusals are not scattered any more.
   * @param isCap it shows a cap by itself
   */
  readonly endsWith: (isCap: boolean) => boolean;
  /**
   * To be called for the first refusal of a volley while they are not scattered. True when they are from now on.
   * @param isEarly less was being sent than when the last one came
   */
  readonly beginsWith: (isEarly: boolean) => boolean;
}

const PATIENCE = 3;
/** Refusals that are no more than this share of the requests may be scattered, and stay so up to the other. */
const FEW = 0.05;
const STILL_FEW = 0.08;
/** Of fewer, no share is taken. */
const SHARE_FROM = 8;

export function createScatter(): Scatter {
  let isOn = false;
  let patience = PATIENCE;
  let inVain = 0;
  /** Since the first refusal in vain, or since it is on. */
  let through = 0;
  let refused = 0;

  const startCounting = (): void => {
    through = 0;
    refused = 0;
  };
  const areFew = (share: number): boolean => refused <= share * (through + refused);

  return {
    letThrough() {
      through += 1;
    },
    isOn: () => isOn,
    endsWith(isCap) {
      refused += 1;
      if (!isOn || !(isCap || (refused >= SHARE_FROM && !areFew(STILL_FEW)))) return false;
      isOn = false;
      inVain = 0;
      patience *= 2;
      return true;
    },
    beginsWith(isEarly) {
      inVain = isEarly ? inVain + 1 : 0;
      if (!isEarly) startCounting();
      isOn = inVain >= patience && areFew(FEW);
      if (isOn) startCounting();
      return isOn;
    },
  };
}
