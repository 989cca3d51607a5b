/**
 * Loaded before the program (`node --import`). If the process is frozen for more than a second, `performance.now`
 * reports a freeze of one minute.
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
