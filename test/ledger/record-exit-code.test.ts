import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/ledger/records/record-exit-code.ts";
import { highestPriorityExitCode } from "../../src/model/failure.ts";
import type { Status } from "../../src/model/outcome.ts";

test.each<[Status, number]>([
  ["valid", 0],
  ["accepted", 0],
  ["skipped", 0],
  ["invalid", 1],
  ["rejected", 1],
  ["duplicate", 1],
  ["pending", 3],
  ["blocked", 3],
  ["ambiguous", 5],
])("a record with status %s ends its run with exit code %i", (status, code) => {
  expect(exitCodeOf({ [status]: 1 })).toBe(code);
  expect(exitCodeOf({ [status]: 0, accepted: 3 })).toBe(0);
});

test("the worst record determines the exit code", () => {
  expect(exitCodeOf({ accepted: 9, rejected: 1, pending: 1 })).toBe(3);
  expect(exitCodeOf({ accepted: 9, rejected: 1, pending: 1, ambiguous: 1 })).toBe(5);
});

test("the worst command determines the exit code", () => {
  expect(highestPriorityExitCode([])).toBe(0);
  expect(highestPriorityExitCode([0, 1, 0])).toBe(1);
  expect(highestPriorityExitCode([1, 3, 5])).toBe(5);
  expect(highestPriorityExitCode([5, 6])).toBe(6);
  expect(highestPriorityExitCode([2, 6, 7])).toBe(7);
  expect(highestPriorityExitCode([7, 70])).toBe(70);
});
