/**
 * An unstable wall clock, loaded before the program (`node --import`). It starts two seconds before the end of summer
 * time in London. Of every three readings, one is a day ahead and one is a day behind.
 */
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 9, 25, 0, 59, 58);
const startedAt = performance.now();
let looks = 0;

function shown() {
  looks += 1;
  return Math.floor(START + performance.now() - startedAt) + (((looks * 7) % 3) - 1) * DAY_MS;
}

globalThis.Date = class extends Date {
  constructor(...parts) {
    if (parts.length === 0) super(shown());
    else super(...parts);
  }

  static now() {
    return shown();
  }
};
