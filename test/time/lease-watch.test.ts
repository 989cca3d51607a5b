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

test("a lease is held for four fifths of its time after it was asked for, and not any longer", () => {
  const { at, isHeld } = watched(30_000);
  at.monotonic += 23_999;
  expect(isHeld()).toBe(true);
  at.monotonic += 1;
  expect(isHeld()).toBe(false);
});

test("a machine that has slept has lost its lease, though its monotonic clock stood still", () => {
  const { at, isHeld } = watched(30_000);
  at.wall += 24_000;
  expect(isHeld()).toBe(false);
});

test("a wall clock that is set back makes no lease longer", () => {
  const { at, isHeld } = watched(30_000);
  at.wall -= 86_400_000;
  expect(isHeld()).toBe(true);
  at.monotonic += 24_000;
  expect(isHeld()).toBe(false);
});

test("a holder that has missed five renewals acts no more until it hears from the server", () => {
  const { at, isHeld } = watched(30_000, 1_000);
  at.monotonic += 4_999;
  expect(isHeld()).toBe(true);
  at.monotonic += 1;
  expect(isHeld()).toBe(false);
});
