import { expect, it } from "vitest";
import { quietPeriodMs } from "../../src/job/target-connection.ts";
import { quietLeftMs } from "../../src/pipeline/send/quiet-period.ts";
import { PUSH_SETTINGS } from "../job/sample-job.ts";

const { target } = PUSH_SETTINGS;
const NOW = Date.UTC(2026, 10, 20, 12);
const clock = { now: () => NOW };

function at(ms: number): string {
  return new Date(NOW + ms).toISOString();
}

it.each([
  ["twice the default maximum duration of a request", undefined, 240_000],
  ["twice the maximum duration of a request to the target", { wholeSeconds: 600 }, 1_200_000],
  [
    "not shortened by a shorter client timeout, because the platform does not become faster",
    { wholeSeconds: 1 },
    240_000,
  ],
  ["the configured value of the target", { wholeSeconds: 600, quietSeconds: 3 }, 3000],
])("the quiet period is %s", (_, timeouts, ms) => {
  expect(quietPeriodMs({ ...target, timeouts })).toBe(ms);
});

it("the remaining quiet period counts from the last unanswered request, and never exceeds the full period", () => {
  expect(quietLeftMs(1000, undefined, clock)).toBe(0);
  expect(quietLeftMs(1000, at(-400), clock)).toBe(600);
  expect(quietLeftMs(1000, at(-4000), clock)).toBe(0);
  expect(quietLeftMs(1000, at(86_400_000), clock)).toBe(1000);
});
