import { expect, it } from "vitest";
import type { JobSettings } from "../../../src/job/settings/job-settings.ts";
import { knownRules } from "../../../src/commands/ledger/show-drift.ts";
import { shippedRuleCodes } from "../../../src/job/contract-files.ts";
import { contractOf } from "../../rules/engine/compiled-rules.ts";

const RULES = [
  { code: "needs_both", kind: "required-when", when: "config.flows", fields: ["a"] },
  { code: "needs_both", kind: "in-set", value: "a", source: "products", columns: "code" },
  { code: "judged", kind: "required-when", fields: ["a"] },
];
const BOOK = {
  "x-rule-settings": { flows: { type: "boolean" } },
  "x-rule-coverage": { platform: ["account_not_found"] },
};
const SHIPPED = new Map([["theirs", ["overlay:au", "overlay:gb"]]]);

function known(code: string, settings: Partial<JobSettings> = {}): ReturnType<ReturnType<typeof knownRules>> {
  const contract = contractOf(RULES, BOOK);
  const [operation] = contract.operations;
  if (operation === undefined) throw new Error("no operation");
  const job = { folder: ".", contract: ["contract.yaml"], sources: [], namedSources: {}, ...settings };
  return knownRules({ contract, operation, settings: job }, SHIPPED)(code);
}

it("a skipped rule of the contract is returned with the settings that it needs", () => {
  expect(known("needs_both")).toEqual({ kind: "skipped", missing: ["references.products", "rules.flows"] });
  expect(known("needs_both", { rules: { flows: true } })).toEqual({
    kind: "skipped",
    missing: ["references.products"],
  });
  const declared = { rules: { flows: true }, references: { products: "gone.csv" } };
  expect(known("needs_both", declared)).toEqual({ kind: "judged" });
});

it("codes that a rule checks are distinguished from codes that the contract leaves to the platform", () => {
  expect(known("judged")).toEqual({ kind: "judged" });
  expect(known("account_not_found")).toEqual({ kind: "undecided", reason: "platform" });
  expect(known("nobody_knows")).toBeUndefined();
});

it("shipped overlays with a rule for the code are returned, except overlays in use", () => {
  expect(known("theirs")).toEqual({ kind: "shipped", overlays: ["overlay:au", "overlay:gb"] });
  expect(known("theirs", { contract: ["contract.yaml", "overlay:gb"] })).toEqual({
    kind: "shipped",
    overlays: ["overlay:au"],
  });
});

it("the codes of every shipped overlay are listed, including codes of shared rules", async () => {
  const codes = await shippedRuleCodes();
  expect(codes.get("balance_triggered_schedule_missing_threshold")).toEqual(["overlay:au", "overlay:gb"]);
  expect(codes.get("no_such_code")).toBeUndefined();
});
