/**
 * Loaded before the program (`node --import`). Makes a freeze of the process seem longer: if more than a second passes
 * between two calls of `performance.now`, the clock jumps ahead by another minute.
 */
const FREEZE_MS = 1_000;
const MINUTE_MS = 60_000;
const real = performance.now.bind(performance);
let last = real();
let added = 0;

Object.defineProperty(performance, "now", {
  configurable: true,
  value() {
    const now = real();
    if (now - last > FREEZE_MS) added += MINUTE_MS;
    last = now;
    return now + added;
  },
});
