import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { completedName, completedStep, stepNameIn } from "../../../src/contract/operations/completed-step.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import type { Step } from "../../../src/contract/operations/operation.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";

const text = readFileSync(new URL("../../../fixtures/workflows/contract.yaml", import.meta.url), "utf8");
const contract = loadContract([{ file: "contract.yaml", text }]);
const { steps } = findOperation(contract, "stage-account");
const red = new Map([["stage", { team: "RED" }]]);
const staged = completedStep(steps.slice(0, 2), red);

const change = (name: string, update: Partial<Step>): readonly Step[] =>
  steps.map((step) => (step.name === name ? { ...step, ...update } : step));

test("a completed step is recognised by its name as long as the requests up to this step are the same", () => {
  expect(completedName(staged, steps, red)).toBe("stage");
  expect(completedName(staged, steps, new Map([...red, ["process", { team: "BLUE" }]]))).toBe("stage");
  expect(completedName(staged, change("process", { name: "create" }), red)).toBe("stage");
  expect(completedName(completedStep(steps.slice(0, 1), undefined), steps, red)).toBe("validate");
  expect(completedName(undefined, steps, red)).toBeUndefined();
  expect(stepNameIn(staged)).toBe("stage");
});

test.each<[string, readonly Step[], ReadonlyMap<string, { team: string }> | undefined]>([
  ["its fields from the mapping differ", steps, new Map([["stage", { team: "BLUE" }]])],
  ["it no longer has any fields", steps, undefined],
  ["its fields from the contract differ", change("stage", { body: { team: { value: "BLUE" } } }), red],
  [
    "another step has its name",
    [...change("stage", { name: "prepare" }), ...change("validate", { name: "stage" })],
    red,
  ],
  ["a step before it is new", [...steps.slice(0, 1), ...steps], red],
  ["the steps are in a different order", [...steps.slice(1, 2), ...steps.slice(0, 1), ...steps.slice(2)], red],
])("a step does not count as complete if %s", (_, changed, fields) => {
  expect(completedName(staged, changed, fields)).toBeUndefined();
});

test("a step whose outcome is polled is recognised by its name alone, because it is never repeated", () => {
  const { steps: scheduled } = findOperation(contract, "schedule-account");
  expect(completedStep(scheduled, new Map([["schedule", { at: "noon" }]]))).toBe("schedule");
  expect(completedName("schedule", scheduled, undefined)).toBe("schedule");
});
