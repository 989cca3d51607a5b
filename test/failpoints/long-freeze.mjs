/**
 * Loaded before the program (`node --import`). A process that was frozen for more than a second sees a freeze of a
 * minute.
 */
const STILL_MS = 1_000;
const MINUTE_MS = 60_000;
const real = performance.now.bind(performance);
let last = real();
let added = 0;

Object.defineProperty(performance, "now", {
  configurable: true,
  value() {
    const now = real();
    if (now - last > STILL_MS) added += MINUTE_MS;
    last = now;
    return now + added;
  },
});
