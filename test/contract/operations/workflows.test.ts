import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { stepTables } from "../../../src/contract/describe/field-table.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../../src/contract/load-contract.ts";
import type { Contract } from "../../../src/contract/contract.ts";
import { canResolveAmbiguous } from "../../../src/contract/operations/operation.ts";

const file = "contract.yaml";
const text = readFileSync(new URL("../../../fixtures/workflows/contract.yaml", import.meta.url), "utf8");
const STAGE = "/v1/data-import/account-import-process/create-or-update/";
const SCHEDULE = "/v2/data-import/accounts/";

/** Returns the worked example's contract with the extensions of one operation changed. */
function changed(path: string, update: object): Contract {
  const target = `$.paths['${path}'].post`;
  const gone = Object.keys(update).map((name) => ({ target: `${target}['${name}']`, remove: true }));
  const overlay = { overlay: "1.0.0", info: { title: "t", version: "1" }, actions: [...gone, { target, update }] };
  return loadContract([
    { file, text },
    { file: "overlay.yaml", text: stringify(overlay) },
  ]);
}

function errorsOf({ findings }: Contract): readonly string[] {
  return findings.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

test("compiles the workflows of the worked example", () => {
  const contract = loadContract([{ file, text }]);
  expect(contract.findings).toEqual([]);
  const staged = findOperation(contract, "stage-account");
  expect(staged.steps.map(({ name, kind, operation }) => [name, kind, operation.id])).toEqual([
    ["validate", "validate", "validate-account"],
    ["stage", "stage", "stage-account"],
    ["process", "process", "process-account"],
  ]);
  expect(staged.steps[2]?.body).toEqual({
    import_supplier_code: { attr: ["import_supplier"] },
    external_account_number: { attr: ["external_account_number"] },
  });
  expect(staged.readBack).toMatchObject([{ operation: { id: "transfer-status" }, has: ["kraken_account_number"] }]);
  const [schedule] = findOperation(contract, "schedule-account").steps;
  expect(schedule).toMatchObject({
    kind: "schedule",
    reasons: { id: "validate-account-v2" },
    poll: { operation: { id: "account-status" }, status: ["status"], outcomes: { ERRORED: "rejected" } },
  });
});

test("the mappable fields of a step are the fields that the contract does not set", () => {
  const contract = loadContract([{ file, text }]);
  const given = (operation: string): object =>
    Object.fromEntries(
      stepTables(findOperation(contract, operation)).map(({ step, fields }) => [step, fields.map(({ attr }) => attr)]),
    );
  expect(given("stage-account")).toEqual({ process: ["dry_run", "operations_team_name"] });
  expect(given("schedule-account")).toEqual({
    schedule: ["task_params.schedule_window_start", "task_params.schedule_window_end"],
  });
  expect(given("create-notes")).toEqual({});
});

test("ambiguous records can be resolved if the last step deduplicates or can be polled", () => {
  const contract = loadContract([{ file, text }]);
  expect(canResolveAmbiguous(findOperation(contract, "stage-account"))).toBe(true);
  expect(canResolveAmbiguous(findOperation(contract, "schedule-account"))).toBe(true);
  expect(canResolveAmbiguous(findOperation(contract, "process-account"))).toBe(true);
  expect(canResolveAmbiguous(findOperation(contract, "validate-account"))).toBe(false);
});

test("an operation with only a poll is treated as a workflow with one step", () => {
  const contract = changed("/v1/data-import/notes/create/", { "x-migrate-poll": POLL });
  expect(errorsOf(contract)).toEqual([]);
  expect(findOperation(contract, "create-notes").steps).toMatchObject([{ name: "schedule", poll: { interval: 5 } }]);
});

const POLL = {
  operation: "account-status",
  parameters: { import_supplier_code: "import_supplier", external_identifier: "external_account_number" },
  status: "status",
  outcomes: { PROCESSED: "accepted" },
};

const LAST = { operation: "process-account", kind: "process" };

describe("an invalid workflow is an error", () => {
  test.each<[object, string]>([
    [[], "x-migrate-steps: must have at least one step"],
    [
      [{ operation: "process-acount", kind: "process" }],
      'x-migrate-steps: there is no POST operation "process-acount"; did you mean "process-account"?',
    ],
    [[{ ...LAST, kind: "proces" }], "x-migrate-steps: must be one of validate, stage, process, schedule"],
    [[{ ...LAST, reasons: "transfer-status" }], 'x-migrate-steps: there is no POST operation "transfer-status"'],
    [[{ ...LAST, body: { key: "external_number" } }], 'x-migrate-steps: the payload has no field "external_number"'],
    [[{ ...LAST, body: { key: 1 } }], "x-migrate-steps: must be the attr of a field in the payload, or { value: ... }"],
    [[LAST, LAST], 'x-migrate-steps: two steps are called "process"; rename one of them'],
    [
      [{ ...LAST, kind: "stage" }],
      "x-migrate-steps: the last step, and only the last step, must be of kind process or schedule",
    ],
    [
      [LAST, { ...LAST, kind: "validate" }],
      "x-migrate-steps: the last step, and only the last step, must be of kind process or schedule",
    ],
  ])("with the steps %j", (steps, message) => {
    const contract = changed(STAGE, { "x-migrate-steps": steps });
    expect(errorsOf(contract)).toEqual([message]);
    expect(contract.findings.find(({ severity }) => severity === "error")?.place).toMatchObject({
      file: "overlay.yaml",
    });
    expect(findOperation(contract, "stage-account").steps).toEqual([]);
  });

  test.each<[object, string]>([
    [{ operation: "schedule-account" }, 'x-migrate-poll: there is no GET operation "schedule-account"'],
    [
      { parameters: { import_supplier_code: "import_supplier" } },
      'x-migrate-poll: /v2/data-import/accounts/{import_supplier_code}/{external_identifier}/ needs the parameter "external_identifier"',
    ],
    [
      { parameters: { ...POLL.parameters, page: "import_supplier" } },
      'x-migrate-poll: /v2/data-import/accounts/{import_supplier_code}/{external_identifier}/ has no parameter "page"',
    ],
    [{ outcomes: { PROCESSED: "done" } }, "x-migrate-poll: must be one of accepted, rejected, absent, pending"],
    [{ interval: 0 }, "x-migrate-poll: must be more than 0"],
  ])("with the poll settings %j", (more, message) => {
    expect(errorsOf(changed(SCHEDULE, { "x-migrate-poll": { ...POLL, ...more } }))).toEqual([message]);
  });
});

test("a read-back must name attrs of the payload", () => {
  const readBack = { operation: "transfer-status", parameters: { import_supplier_code: "supplier" } };
  expect(errorsOf(changed(STAGE, { "x-migrate-read-back": [readBack] }))).toEqual([
    'x-migrate-read-back: the payload has no field "supplier"; did you mean "import_supplier"?',
  ]);
});
