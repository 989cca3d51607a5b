import { expect, it } from "vitest";
import { systemClock } from "../../src/time/system-clock.ts";

it.each([2 ** 31, Number.MAX_VALUE, Infinity])("a sleep of %d ms lasts until the signal is aborted", async (ms) => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(ms, stop.signal).then(() => "awake");
  expect(await Promise.race([sleeping, systemClock.sleep(50).then(() => "asleep")])).toBe("asleep");
  stop.abort();
  expect(await sleeping).toBe("awake");
});
