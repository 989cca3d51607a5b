import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { projectFile } from "../../e2e/cli.ts";
import { compareLeaves, type InitScene, leavesOf, runInit } from "./init-scene.ts";

const DEMO = (name: string): string => projectFile("fixtures/demo", name);

function initDemo(): Promise<InitScene> {
  return runInit({
    sources: ["accounts.csv", "customers.csv", "meter_points.csv", "readings.csv"].map(DEMO),
    contract: [projectFile("fixtures/contract/contract.yaml")],
    operation: "import-account",
    supplier: "SANDBOX",
  });
}

test("init maps at least 80% of the demo's leaves in the same way as the demo's own mapping", async () => {
  const { mapping } = await initDemo();
  const wanted = leavesOf("mapping.yaml", readFileSync(DEMO("mapping.yaml"), "utf8"));
  const { right, wrong, more } = compareLeaves(wanted, leavesOf("guessed.yaml", mapping));
  expect(wrong).toEqual(["supply_addresses.*.meter_points.*.meters.*.registers.*.identifier"]);
  expect(more).toEqual(["legacy_reference"]);
  expect(right.length / wanted.size).toBeGreaterThanOrEqual(0.8);
  const page = readFileSync(projectFile("docs/init.md"), "utf8");
  expect(page).toContain(`guesses ${right.length} of the ${wanted.size} fields in the demo's mapping`);
});

test("init finds the joins between the demo's extracts, with the share of matching rows", async () => {
  const { guessed } = (await initDemo()).result;
  const joins = guessed.joins.map(({ from, column, to, key, hits, kind }) => {
    return `${from.name}.${column.name} -> ${to.name}.${key.name} ${(hits * 100).toFixed(1)}% ${kind}`;
  });
  expect(joins).toEqual([
    "readings.MPAN -> meter_points.MPAN 100.0% many-to-one",
    "customers.ACCOUNT_REF -> accounts.ACCOUNT_REF 99.6% many-to-one",
    "meter_points.ACCOUNT_REF -> accounts.ACCOUNT_REF 99.4% many-to-one",
  ]);
});
