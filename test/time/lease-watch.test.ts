import { expect, test } from "vitest";
import { createLeaseWatch } from "../../src/time/lease-watch.ts";

function clockAt(): { monotonic: number; wall: number } {
  return { monotonic: 5_000, wall: Date.UTC(2026, 0, 1) };
}

function watched(
  leaseMs: number,
  everyMs = leaseMs,
): { readonly at: ReturnType<typeof clockAt>; readonly isHeld: () => boolean } {
  const at = clockAt();
  const watch = createLeaseWatch(leaseMs, everyMs, { monotonic: () => at.monotonic, now: () => at.wall });
  expect(watch.isHeld()).toBe(false);
  watch.renewed(watch.moment());
  return { at, isHeld: watch.isHeld };
}

test("a lease is considered held for only four fifths of its duration after the request", () => {
  const { at, isHeld } = watched(30_000);
  at.monotonic += 23_999;
  expect(isHeld()).toBe(true);
  at.monotonic += 1;
  expect(isHeld()).toBe(false);
});

test("a machine that was suspended has lost its lease, even though its monotonic clock was stopped", () => {
  const { at, isHeld } = watched(30_000);
  at.wall += 24_000;
  expect(isHeld()).toBe(false);
});

test("a wall clock that is set back does not extend a lease", () => {
  const { at, isHeld } = watched(30_000);
  at.wall -= 86_400_000;
  expect(isHeld()).toBe(true);
  at.monotonic += 24_000;
  expect(isHeld()).toBe(false);
});

test("a lease is considered lost after five missed renewals", () => {
  const { at, isHeld } = watched(30_000, 1_000);
  at.monotonic += 4_999;
  expect(isHeld()).toBe(true);
  at.monotonic += 1;
  expect(isHeld()).toBe(false);
});
