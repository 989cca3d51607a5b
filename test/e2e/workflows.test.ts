import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { outcomeLines, type SeenRequest, statusCounts } from "./push-scene.ts";
import { startWorkflowSandbox, useWorkflowSandbox, workflowPlace, writeManyAccounts } from "./workflow-scene.ts";

const { sandbox, admin } = useWorkflowSandbox();

/** Returns the method, the last segment of the path and the status of each request for a record. */
function wayOf(key: string, requests: readonly SeenRequest[]): readonly string[] {
  return requests
    .filter((one) => one.key === key)
    .map(({ method, path, status }) => `${method} ${lastName(path)} ${status}`);
}

function lastName(path: string): string {
  return path.split("/").findLast((part) => /^[a-z]/.test(part) && part !== "accounts") ?? "";
}

describe("with the steps validate, stage and process,", () => {
  test("each record passes through the steps in order, and is accepted with its account number", async () => {
    const { push } = workflowPlace(sandbox);
    const { code, stdout } = await push("v1");
    expect(code).toBe(0);
    const lines = outcomeLines(stdout);
    expect(statusCounts(lines)).toEqual({ accepted: 3 });
    expect(lines[0]).toMatchObject({ key: "W-001", http: 201, attempts: 3 });
    const held = new Map((await admin.accounts()).map(({ key, number }) => [key, number]));
    expect(new Map(lines.map(({ key, account }) => [key, account]))).toEqual(held);
    expect(wayOf("W-002", await admin.imports())).toEqual([
      "POST validate-account 200",
      "POST create-or-update 201",
      "POST process 201",
    ]);
  });

  test("a record refused at one step is not sent to the next step, and is reported at its cell", async () => {
    const { push, file } = workflowPlace(sandbox);
    writeFileSync(file("customers.csv"), "REF,LAST,MOBILE\nW-001,Byron,12345\nW-002,Baker,\nW-003,Baker,\n");
    writeFileSync(file("accounts-v1.mapping.yaml"), V1_WITHOUT_LOYALTY);
    const { code, stdout } = await push("v1");
    expect(code).toBe(1);
    const [first] = outcomeLines(stdout);
    expect(first).toMatchObject({ status: "rejected", http: 400, attempts: 1 });
    expect(first?.errors?.[0]).toMatchObject({
      attr: "customers.0.mobile",
      code: "invalid_phone_number",
      by: "platform",
      source: { file: "customers.csv", line: 2, column: "MOBILE" },
    });
    expect(wayOf("W-001", await admin.imports())).toEqual(["POST validate-account 400"]);
  });

  test("an account that already exists according to a 400 reply is reported as `existing`, with its number", async () => {
    const first = outcomeLines((await workflowPlace(sandbox).push("v1")).stdout);
    const { code, stdout } = await workflowPlace(sandbox).push("v1");
    expect(code).toBe(1);
    const again = outcomeLines(stdout);
    expect(again.map(({ http, account, status }) => [http, status, account])).toEqual(
      first.map(({ account }) => [400, "existing", account]),
    );
    expect(await admin.accounts()).toHaveLength(3);
  });

  test("a limit on concurrent processing refuses only requests of that step, and every record is accepted", async () => {
    const place = workflowPlace(sandbox);
    writeManyAccounts(place, 60);
    // Processing takes longer than sending the next records, even on a slow machine, so that the limit is reached.
    await admin.faults({ maxProcessing: 2, latencyMs: [60, 90] });
    const { code, stdout } = await place.push("v1", ["--concurrency", "12"]);
    expect(code).toBe(0);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 60 });
    const seen = await admin.imports();
    const pushedBack = seen.filter(({ status }) => status === 429);
    expect(pushedBack.length).toBeGreaterThan(0);
    expect(pushedBack.every(({ path }) => path.endsWith("/process/"))).toBe(true);
  });
});

const V1_WITHOUT_LOYALTY = `
operation: stage-account
sources:
  accounts:  { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: REF }
payload:
  external_account_number: REF
  import_supplier: { value: "\${supplier}" }
  billing_name: NAME
  customers: { each: customers, item: { family_name: LAST, mobile: MOBILE } }
`;

describe("with schedule and poll,", () => {
  test("a record is accepted once the platform has created it", async () => {
    const { code, stdout } = await workflowPlace(sandbox).push("v2");
    expect(code).toBe(0);
    const lines = outcomeLines(stdout);
    expect(statusCounts(lines)).toEqual({ accepted: 3 });
    const held = new Map((await admin.accounts()).map(({ key, number }) => [key, number]));
    expect(new Map(lines.map(({ key, account }) => [key, account]))).toEqual(held);
    const way = wayOf("W-003", await admin.imports());
    expect(way[0]).toBe("POST data-import 201");
    expect(way.length).toBeGreaterThan(1);
    expect(way.slice(1).every((one) => one === "GET data-import 200")).toBe(true);
  });

  test("after a refusal without reasons, the record is validated, and the errors are reported at their cells", async () => {
    const { push, file } = workflowPlace(sandbox);
    writeFileSync(file("customers.csv"), "REF,LAST,MOBILE,LOYALTY\nW-001,Byron,12345,\nW-002,Baker,,\nW-003,Baker,,\n");
    const { code, stdout } = await push("v2");
    expect(code).toBe(1);
    const [first, second] = outcomeLines(stdout);
    expect(second).toMatchObject({ status: "accepted" });
    expect(first?.errors?.[0]).toMatchObject({
      attr: "customers.0.mobile",
      code: "invalid_phone_number",
      source: { file: "customers.csv", line: 2, column: "MOBILE" },
    });
  });

  test("a task that ends in an error counts as a rejection, and a later push schedules the task again", async () => {
    await admin.faults({ taskErrors: "at:1" });
    const { push } = workflowPlace(sandbox);
    const first = await push("v2", ["--concurrency", "1"]);
    expect(first.code).toBe(1);
    expect(outcomeLines(first.stdout)[0]).toMatchObject({
      status: "rejected",
      errors: [{ attr: "non_field_errors", code: "task_failed", by: "platform" }],
    });
    await admin.faults({});
    const second = await push("v2");
    expect(second.code).toBe(0);
    expect(statusCounts(outcomeLines(second.stdout))).toEqual({ accepted: 1, skipped: 2 });
  });
});

test.each([
  ["100%", 3],
  ["every:2", 1],
])(
  "a sandbox with --task-errors %s fails this share of the scheduled imports (the share used to be ignored)",
  async (share, count) => {
    const failing = await startWorkflowSandbox(["--task-errors", share]);
    try {
      const { stdout } = await workflowPlace(failing).push("v2", ["--concurrency", "1"]);
      const statuses = { rejected: count, ...(count < 3 && { accepted: 3 - count }) };
      expect(statusCounts(outcomeLines(stdout))).toEqual(statuses);
    } finally {
      await failing.stop();
    }
  },
);

describe("--until", () => {
  test("stops after the step, and a later push continues with the next step", async () => {
    const { push } = workflowPlace(sandbox);
    const first = await push("v1", ["--until", "stage"]);
    expect(first.code).toBe(3);
    expect(first.stderr).toContain("3  pending  not sent, or not finished on the platform");
    expect(statusCounts(outcomeLines(first.stdout))).toEqual({ pending: 3 });
    expect(await admin.accounts()).toEqual([]);
    const second = await push("v1");
    expect(second.code).toBe(0);
    expect(statusCounts(outcomeLines(second.stdout))).toEqual({ accepted: 3 });
    expect(wayOf("W-001", await admin.imports())).toEqual([
      "POST validate-account 200",
      "POST create-or-update 201",
      "POST process 201",
    ]);
  });

  test("does not report a completed step as the reason why a record is pending", async () => {
    const { push, migrate } = workflowPlace(sandbox);
    await push("v1", ["--until", "stage"]);
    const { stdout } = await migrate(["report"]);
    expect(stdout).not.toContain("done");
    expect(stdout).not.toContain("W-001");
  });

  test("does not repeat completed steps", async () => {
    const { push } = workflowPlace(sandbox);
    await push("v1", ["--until", "validate"]);
    const before = await admin.imports();
    const { code, stdout } = await push("v1", ["--until", "validate"]);
    expect(code).toBe(3);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ pending: 3 });
    expect(await admin.imports()).toEqual(before);
  });

  test("sends a record with changed content again, from the first step", async () => {
    const { push, file } = workflowPlace(sandbox);
    await push("v1", ["--until", "stage"]);
    const changed = readFileSync(file("accounts.csv"), "utf8").replace("Ada Byron", "Ada Lovelace");
    writeFileSync(file("accounts.csv"), changed);
    await push("v1");
    expect(wayOf("W-001", await admin.imports()).slice(2)).toEqual([
      "POST validate-account 200",
      "POST create-or-update 200",
      "POST process 201",
    ]);
    expect(wayOf("W-002", await admin.imports()).slice(2)).toEqual(["POST process 201"]);
  });

  test("starts again at the first step if the steps up to the completed one have changed", async () => {
    const { push, file } = workflowPlace(sandbox);
    await push("v1", ["--until", "validate"]);
    const contract = readFileSync(file("contract.yaml"), "utf8");
    const steps = ["validate", "stage"].map((kind) => `        - { operation: ${kind}-account, kind: ${kind} }\n`);
    expect(contract).toContain(steps.join(""));
    writeFileSync(file("contract.yaml"), contract.replace(steps.join(""), steps.toReversed().join("")));
    expect((await push("v1")).code).toBe(0);
    expect(wayOf("W-001", await admin.imports()).slice(1)).toEqual([
      "POST create-or-update 201",
      "POST validate-account 200",
      "POST process 201",
    ]);
  });

  test("refuses a step that the workflow does not have, or that creates the account", async () => {
    const { push } = workflowPlace(sandbox);
    for (const step of ["stag", "process"]) {
      const { code, stderr } = await push("v1", ["--until", step]);
      expect(code).toBe(2);
      expect(stderr).toContain("the workflow can stop after validate or stage");
    }
    expect(await admin.imports()).toEqual([]);
  });
});

describe("a follow-up to the import", () => {
  test("waits until its account is accepted, and is then sent", async () => {
    const { push, pushMapping, migrate } = workflowPlace(sandbox);
    const early = await pushMapping("notes.mapping.yaml");
    expect(early.code).toBe(3);
    expect(outcomeLines(early.stdout)[0]).toMatchObject({
      status: "blocked",
      errors: [{ attr: "external_account_number", code: "account_not_found", by: "local", source: { line: 2 } }],
    });
    expect(await admin.imports()).toEqual([]);
    expect((await push("v1")).code).toBe(0);
    const [, notes] = await runsOf(migrate);
    const resumed = await migrate(["resume", notes ?? "", "--format", "ndjson"]);
    expect(resumed.code).toBe(0);
    const lines = outcomeLines(resumed.stdout);
    expect(statusCounts(lines)).toEqual({ accepted: 2 });
    expect(lines.every((line) => line.errors === undefined)).toBe(true);
  });

  test("is excluded together with its staged account, and `exclude` names the operation of each record", async () => {
    const { push, pushMapping, migrate } = workflowPlace(sandbox);
    const exclude = async (...args: readonly string[]): Promise<string> => (await migrate(["exclude", ...args])).stdout;
    const reason = ["--reason", "closed"];
    await push("v1", ["--until", "stage"]);
    await pushMapping("notes.mapping.yaml");
    expect(await exclude("W-001", ...reason)).toBe("2 records excluded from the migration\n");
    const list = await exclude();
    for (const operation of ["create-notes", "stage-account"]) expect(list).toContain(`W-001  ${operation}`);
    expect(statusCounts(outcomeLines((await push("v1")).stdout))).toEqual({ excluded: 1, accepted: 2 });
    expect(await admin.accounts()).toHaveLength(2);
    const again = await exclude("W-001", "W-003", ...reason);
    expect(again.split("\n").toSorted()).toEqual([
      "",
      "  W-001 (create-notes)  already excluded",
      "  W-001 (stage-account)  already excluded",
      "  W-003 (stage-account)  not excluded: already on the platform",
      "1 record excluded from the migration",
    ]);
    expect(await exclude("--undo", "W-001")).toBe("2 records no longer excluded: later pushes can send them\n");
  });

  test("is sent immediately, and only once, if the account exists", async () => {
    const { push, pushMapping } = workflowPlace(sandbox);
    await push("v1");
    expect(statusCounts(outcomeLines((await pushMapping("notes.mapping.yaml")).stdout))).toEqual({ accepted: 2 });
    expect(statusCounts(outcomeLines((await pushMapping("notes.mapping.yaml")).stdout))).toEqual({ skipped: 2 });
  });
});

/** Returns the ids of the ledger's runs, the latest first. */
async function runsOf(migrate: (args: readonly string[]) => Promise<{ readonly stdout: string }>): Promise<string[]> {
  const { runs }: { runs: readonly { id: string }[] } = JSON.parse(
    (await migrate(["status", "--format", "json"])).stdout,
  );
  return runs.map(({ id }) => id);
}
