import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { adminOf, goodAccounts, outcomeLines, references, workplace } from "./push-scene.ts";

/**
 * An overlay that declares a length limit on billing names, which the platform does not enforce, and contains the
 * platform's description of its mobile number check.
 */
const OURS = `
overlay: 1.0.0
info: { title: Ours, version: "1" }
actions:
  - target: $.components.schemas.Account.properties.billing_name
    update: { maxLength: 5 }
  - target: $.components.schemas.Customer.properties.mobile
    update:
      x-validators:
        - name: Validate phone number
          description: <p>Must be a valid phone number</p>
          possible_errors: [invalid_phone_number]
`;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.stop());
beforeEach(() => adminOf(sandbox).reset());

interface DriftLine {
  readonly kind: string;
  readonly code: string;
  readonly attr: string;
  readonly count: number;
  readonly proposal?: { readonly target: string; readonly rule: object };
}

test("--send-invalid sends invalid records, and report --drift shows where the platform and local validation disagree", async () => {
  const [first = "", second = "", third = "", unsafe = "", ...twice] = references(6);
  const place = workplace(
    {
      accounts: [
        { REF: first, NAME: "Ada" },
        { REF: second, NAME: "Amina Hughes" },
        { REF: third, NAME: "Ada" },
        { REF: unsafe, NAME: "Ada", TYPE: "?" },
        { REF: twice[0] ?? "", NAME: "Ada" },
        { REF: twice[0] ?? "", NAME: "Amina Hughes" },
      ],
      customers: [
        { REF: first },
        { REF: second },
        { REF: third, MOBILE: "04000 000000" },
        { REF: unsafe },
        { REF: twice[0] ?? "" },
      ],
    },
    sandbox,
  );
  writeFileSync(place.file("ours.yaml"), OURS);
  const flags = ["--contract", "ours.yaml"];

  const unasked = await place.push([...flags, "--send-invalid"]);
  expect([unasked.code, await adminOf(sandbox).accounts()]).toEqual([2, []]);
  expect(unasked.stderr).toContain("--yes");

  const pushed = await place.push([...flags, "--send-invalid", "--yes"]);
  expect(outcomeLines(pushed.stdout).map(({ key, status }) => [key, status])).toEqual([
    [first, "accepted"],
    [second, "accepted"],
    [third, "rejected"],
    [unsafe, "rejected"],
    [twice[0], "invalid"],
    [twice[0], "invalid"],
  ]);
  expect((await adminOf(sandbox).accounts()).map(({ key }) => key)).toEqual([first, second]);

  const drift = await place.migrate(["report", "--drift", "--format", "json"]);
  expect(drift.code).toBe(0);
  const [{ drift: found }]: readonly [{ readonly drift: readonly DriftLine[] }] = JSON.parse(drift.stdout);
  expect(found).toEqual([
    expect.objectContaining({
      kind: "missed",
      code: "invalid_phone_number",
      attr: "customers.*.mobile",
      count: 1,
      example: expect.objectContaining({ file: "customers.csv", line: 4, column: "MOBILE" }),
      known: { kind: "shipped", overlays: expect.arrayContaining(["overlay:gb"]) },
      proposal: {
        target: '$.components.schemas["Customer"]',
        rule: {
          code: "invalid_phone_number",
          kind: "matches-format",
          value: "mobile",
          message: "Must be a valid phone number",
        },
      },
    }),
    expect.objectContaining({ kind: "strict", code: "max_length", attr: "billing_name", count: 1 }),
  ]);
  const text = await place.migrate(["report", "--drift"]);
  expect(text.stdout).toContain("invalid_phone_number  customers.*.mobile\n    1 time, first at customers.csv:4");
  expect(text.stdout).toMatch(/a\s+rule\s+for\s+this\s+code\s+is\s+included\s+in\s+overlay:au\s+and\s+overlay:gb/);
  expect(text.stdout).toContain("x-rules:");
});

test("report --drift shows no drift if the platform and local validation agree", async () => {
  const place = workplace({ accounts: goodAccounts(2) }, sandbox);
  await place.push();
  const { stdout } = await place.migrate(["report", "--drift"]);
  expect(stdout).toBe("import-account, 1 run: platform and local validation agreed\n");
});
