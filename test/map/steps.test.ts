import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { compileMapping } from "../../src/map/compile-mapping.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import type { Mapping } from "../../src/map/mapping.ts";
import { csvRow, failureOf, NO_VALUES, table } from "./rows.ts";

const file = new URL("../../fixtures/workflows/contract.yaml", import.meta.url);
const contract = loadContract([{ file: "contract.yaml", text: readFileSync(file, "utf8") }]);

function compile(operation: string, steps: string): Mapping {
  const text = `operation: ${operation}\nsteps:${steps}\npayload: { external_account_number: REF }\n`;
  return compileMapping(readMapping({ file: "m.yaml", text }), findOperation(contract, operation), NO_VALUES);
}

const accounts = table("accounts.csv", ["REF", "FROM", "TEAM"]);
const row = csvRow(accounts, 2, ["W-1", "04/08/2026 06:00", "Blue"]);

const WINDOW = `
  schedule:
    task_params:
      schedule_window_start: { from: FROM, datetime: "dd/MM/yyyy HH:mm", zone: Europe/London }
      schedule_window_end: { value: "2026-08-05T00:00:00Z" }`;

describe("values that a mapping passes to a step", () => {
  it("are separate from the payload, are keyed by step name, and can be located in their cells", () => {
    const mapping = compile("schedule-account", WINDOW);
    const { payload, steps, problems } = mapping.map(row);
    const start = "2026-08-04T05:00:00Z";
    const end = "2026-08-05T00:00:00Z";
    expect(payload).toEqual({ external_account_number: "W-1" });
    expect(steps).toEqual(
      new Map([["schedule", { task_params: { schedule_window_start: start, schedule_window_end: end } }]]),
    );
    expect(problems).toEqual([]);
    expect(mapping.locate(row, ["task_params", "schedule_window_start"])).toMatchObject({ line: 2, column: "FROM" });
    expect(mapping.locate(row, ["external_account_number"])).toMatchObject({ column: "REF" });
    expect(mapping.origins(row)).toMatchObject([
      { attr: "external_account_number", from: "column" },
      { attr: "task_params.schedule_window_start", from: "column" },
      { attr: "task_params.schedule_window_end", from: "value" },
    ]);
  });

  it("have the type that the contract requires, and problems point to their cells", () => {
    const { problems } = compile("schedule-account", WINDOW).map(csvRow(accounts, 3, ["W-1", "soon", ""]));
    expect(problems).toMatchObject([
      { attr: "task_params.schedule_window_start", code: "invalid", place: { line: 3, column: "FROM" } },
    ]);
  });

  it("can be fields of a request body other than the payload", () => {
    const { steps } = compile("stage-account", " { process: { operations_team_name: TEAM } }").map(row);
    expect(steps).toEqual(new Map([["process", { operations_team_name: "Blue" }]]));
  });

  it("can be several fields, each located in its own cell", () => {
    const steps = " { process: { operations_team_name: TEAM, dry_run: { from: REF, true: W-1 } } }";
    const mapping = compile("stage-account", steps);
    expect(mapping.locate(row, ["operations_team_name"])).toMatchObject({ column: "TEAM" });
    expect(mapping.locate(row, ["dry_run"])).toMatchObject({ column: "REF" });
    expect(mapping.locate(row, ["import_supplier"])).toEqual({ file: "accounts.csv", line: 2 });
  });

  it("are not part of the compiled payload, and do not add parameters", () => {
    const mapping = compile("schedule-account", WINDOW);
    expect(mapping.payloadNode).toBeUndefined();
    expect(mapping.map(row)).not.toHaveProperty("parameters");
  });

  it("are kept if all of them are constants", () => {
    const { steps } = compile("stage-account", " { process: { operations_team_name: { value: Blue } } }").map(row);
    expect(steps).toEqual(new Map([["process", { operations_team_name: "Blue" }]]));
  });

  it("are absent if the mapping has no steps", () => {
    expect(compile("schedule-account", " {}").map(row)).not.toHaveProperty("steps");
  });
});

it.each([
  ["schedule-account", " { shedule: {} }", 'steps.shedule: the operation "schedule-account" has no such step'],
  ["create-notes", " { schedule: {} }", 'steps.schedule: the operation "create-notes" has no such step'],
  ["stage-account", " { stage: { x: REF } }", "steps.stage: accepts no fields other than the payload"],
  ["schedule-account", " { schedule: { task_parms: {} } }", "steps.schedule.task_parms: the contract has no such attr"],
  ["schedule-account", " { schedule: { payload: {} } }", "steps.schedule.payload: the contract has no such attr"],
  [
    "schedule-account",
    " { schedule: { task_params: { is_dry_run: { value: true } } } }",
    "steps.schedule.task_params.is_dry_run: is set by the contract's step (`x-migrate-steps`)",
  ],
  [
    "stage-account",
    " { process: { external_account_number: REF } }",
    "steps.process.external_account_number: is set by the contract's step (`x-migrate-steps`)",
  ],
  ["stage-account", " [process]", "steps: must be an object"],
])("%s with steps:%s is rejected", (operation, steps, message) => {
  const failure = failureOf(() => compile(operation, steps));
  expect(failure).toMatchObject({ code: "mapping_invalid", exitCode: 2 });
  expect(failure.message).toContain(message);
});

it.each([
  ["schedule-account", " { shedule: {} }", 'did you mean "schedule"?'],
  ["stage-account", " { finish: {} }", "known names: validate, stage, process"],
  ["create-notes", " { schedule: {} }", "the operation has no steps"],
])("%s with steps:%s is rejected with the hint: %s", (operation, steps, hint) => {
  expect(failureOf(() => compile(operation, steps)).hint).toContain(hint);
});
