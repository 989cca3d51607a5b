import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { outcomeLines, statusCounts } from "./push-scene.ts";
import { useWorkflowSandbox, workflowPlace } from "./workflow-scene.ts";

const { sandbox, admin } = useWorkflowSandbox();

describe("--remote-validate", () => {
  test("calls only the platform's validation, and warns of fields that the platform dropped", async () => {
    await admin.faults({ dropFields: ["loyalty_code"] });
    const { push, file } = workflowPlace(sandbox);
    const { code, stdout } = await push("v1", ["--remote-validate"]);
    expect(code).toBe(0);
    const [first, second] = outcomeLines(stdout);
    expect(first).toMatchObject({ status: "valid", http: 200, attempts: 1 });
    expect(first?.errors).toEqual([
      {
        attr: "customers.0.loyalty_code",
        code: "dropped_by_platform",
        detail: expect.any(String),
        severity: "warning",
        by: "platform",
        source: { file: "customers.csv", line: 2, column: "LOYALTY", columnNumber: 4 },
      },
    ]);
    expect(second).not.toHaveProperty("errors");
    const paths = new Set((await admin.imports()).map(({ path }) => path));
    expect([...paths]).toEqual(["/v1/data-import/validate-account/"]);
    expect(existsSync(file(".migrate/ledger.db"))).toBe(false);
  });

  test("validates records that follow other records, although the platform knows none of the records that they follow", async () => {
    const { push, file } = workflowPlace(sandbox);
    appendFileSync(file("accounts-v1.mapping.yaml"), "\nafter: create-notes\n");
    const { code, stdout } = await push("v1", ["--remote-validate"]);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ valid: 3 });
    expect(code).toBe(0);
  });

  test("refuses a changed key in exported rejects, unless --new-keys is given", async () => {
    const { push, file } = workflowPlace(sandbox);
    writeFileSync(file("customers.csv"), "REF,LAST,MOBILE,LOYALTY\nW-001,Byron,12345,\n");
    await push("v1", ["--remote-validate", "--out", "report"]);
    const rejects = readFileSync(file("report", "rejects.csv"), "utf8");
    writeFileSync(file("accounts.csv"), rejects.replace("W-001", "X-777"));
    writeFileSync(file("customers.csv"), "REF,LAST,MOBILE,LOYALTY\nX-777,Byron,,\n");
    const refused = await push("v1", ["--remote-validate"]);
    expect(outcomeLines(refused.stdout)[0]?.errors).toMatchObject([{ code: "key_differs_from_reject" }]);
    const { stdout } = await push("v1", ["--remote-validate", "--new-keys"]);
    expect(outcomeLines(stdout)[0]).toMatchObject({ key: "X-777", status: "valid" });
  });

  test("finds errors that only the platform can detect", async () => {
    const { push, file } = workflowPlace(sandbox);
    writeFileSync(file("customers.csv"), "REF,LAST,MOBILE,LOYALTY\nW-001,Byron,12345,\nW-002,Baker,,\nW-003,Baker,,\n");
    for (const generation of ["v1", "v2"] as const) {
      const { code, stdout } = await push(generation, ["--remote-validate"]);
      expect(code).toBe(1);
      expect(statusCounts(outcomeLines(stdout))).toEqual({ rejected: 1, valid: 2 });
    }
    expect(await admin.accounts()).toEqual([]);
  });
});
