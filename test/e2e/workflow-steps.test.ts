import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { outcomeLines, statusCounts } from "./push-scene.ts";
import { useWorkflowSandbox, type WorkflowPlace, workflowPlace } from "./workflow-scene.ts";

const { sandbox } = useWorkflowSandbox();

const DAY_MS = 86_400_000;

function dayFromNow(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
}

/** Writes the example. The window of each account is read from cells. */
function placeWithWindows(windows: readonly (readonly [string, string])[]): WorkflowPlace {
  const place = workflowPlace(sandbox);
  const rows = windows.map(([from, to], index) => `W-00${index + 1},Ada Byron,CB1 2AB,${from},${to}`);
  writeFileSync(place.file("accounts.csv"), ["REF,NAME,POSTCODE,NOT_BEFORE,NOT_AFTER", ...rows, ""].join("\n"));
  addSteps(place, "v2", WINDOW);
  return place;
}

const WINDOW = `
  schedule:
    task_params:
      schedule_window_start: { from: NOT_BEFORE, datetime: yyyy-MM-dd, zone: Europe/London }
      schedule_window_end: { from: NOT_AFTER, datetime: yyyy-MM-dd, zone: Europe/London }
`;

function overlayWith(taskParams: object): string {
  const target = "$.paths['/v2/data-import/accounts/'].post['x-migrate-steps'][0].body";
  const actions = [{ target, update: { task_params: { value: taskParams } } }];
  return JSON.stringify({ overlay: "1.0.0", info: { title: "Our window", version: "1" }, actions });
}

function addSteps(place: WorkflowPlace, generation: "v1" | "v2", steps: string): void {
  const mapping = place.file(`accounts-${generation}.mapping.yaml`);
  writeFileSync(mapping, `${readFileSync(mapping, "utf8")}steps:${steps}`);
}

describe("the window of a scheduled account", () => {
  const windows = [
    [dayFromNow(2), dayFromNow(3)],
    [dayFromNow(-2), dayFromNow(3)],
    [dayFromNow(3), dayFromNow(2)],
  ] as const;

  test("is checked before anything is sent, by the contract's rules and at its cell", async () => {
    const { migrate } = placeWithWindows(windows);
    const words = ["validate", "--contract", "contract.yaml", "--mapping", "accounts-v2.mapping.yaml"];
    const { code, stdout } = await migrate([...words, "--format", "ndjson"]);
    expect(code).toBe(1);
    const [good, past, reversed] = outcomeLines(stdout);
    expect(good).toMatchObject({ status: "valid" });
    expect(past?.errors).toMatchObject([
      {
        attr: "task_params.schedule_window_start",
        code: "schedule_window_start_in_past",
        by: "local",
        source: { file: "accounts.csv", line: 3, column: "NOT_BEFORE" },
      },
    ]);
    expect(reversed?.errors).toMatchObject([
      {
        attr: "task_params.non_field_errors",
        code: "schedule_window_start__after_end",
        source: { file: "accounts.csv", line: 4 },
      },
    ]);
  });

  test("is checked if the contract sets it, even for payloads without a mapping", async () => {
    const { file, migrate } = workflowPlace(sandbox);
    writeFileSync(
      file("window.yaml"),
      overlayWith({ is_dry_run: false, schedule_window_start: "2020-01-01T00:00:00Z" }),
    );
    const payload = {
      external_account_number: "W-9",
      import_supplier: "S",
      billing_name: "Ada",
      customers: [{ family_name: "Byron" }],
    };
    writeFileSync(file("accounts.ndjson"), JSON.stringify(payload));
    const contract = ["--contract", "contract.yaml", "--contract", "window.yaml", "--operation", "schedule-account"];
    const { code, stdout } = await migrate(["validate", "accounts.ndjson", ...contract, "--format", "ndjson"]);
    expect(code).toBe(1);
    expect(outcomeLines(stdout)[0]?.errors).toMatchObject([
      { attr: "task_params.schedule_window_start", code: "schedule_window_start_in_past" },
    ]);
  });

  test("is sent with valid records, but an accepted record with another window is still skipped", async () => {
    const place = placeWithWindows(windows);
    const first = await place.push("v2");
    expect(first.code).toBe(1);
    expect(statusCounts(outcomeLines(first.stdout))).toEqual({ accepted: 1, invalid: 2 });
    const file = place.file("accounts.csv");
    writeFileSync(
      file,
      readFileSync(file, "utf8").replaceAll(/,\d{4}-\d\d-\d\d,\d{4}-\d\d-\d\d/g, `,${dayFromNow(1)},`),
    );
    const second = await place.push("v2");
    expect(second.code).toBe(0);
    expect(statusCounts(outcomeLines(second.stdout))).toEqual({ skipped: 1, accepted: 2 });
  });

  test("reaches the platform, which refuses an invalid window", async () => {
    const { push } = placeWithWindows([
      ["soon", ""],
      ["", ""],
      ["", ""],
    ]);
    const { stdout } = await push("v2", ["--send-invalid", "--yes"]);
    const lines = outcomeLines(stdout);
    expect(statusCounts(lines)).toEqual({ rejected: 1, accepted: 2 });
    expect(lines[0]?.errors).toContainEqual(
      expect.objectContaining({ code: "import_process_failed_validation", by: "platform" }),
    );
  });
});

test("a platform error in a step's own field is reported at its cell", async () => {
  const place = workflowPlace(sandbox);
  const team = "A team with a name that is far too long";
  writeFileSync(
    place.file("accounts.csv"),
    `REF,NAME,POSTCODE,TEAM\nW-001,Ada,CB1 2AB,${team}\nW-002,Bo,CB1 2AB,Blue\n`,
  );
  addSteps(place, "v1", "\n  process: { operations_team_name: TEAM }\n");
  const { stdout } = await place.push("v1", ["--send-invalid", "--yes"]);
  const [first, second] = outcomeLines(stdout);
  expect(second).toMatchObject({ status: "accepted" });
  expect(first).toMatchObject({ status: "rejected", attempts: 3 });
  const source = { file: "accounts.csv", line: 2, column: "TEAM" };
  expect(first?.errors).toMatchObject([
    { attr: "operations_team_name", code: "max_length", by: "local", source },
    { attr: "operations_team_name", by: "platform", source },
  ]);
});
