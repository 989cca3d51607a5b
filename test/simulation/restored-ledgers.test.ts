import { expect, test } from "vitest";
import { simulate } from "./simulate.ts";
import { failedSeeds, PATIENCE_MS } from "./simulation-campaign.ts";

test(
  "no schedule in which older copies of the ledger are restored creates an account twice",
  { timeout: PATIENCE_MS },
  async () => {
    expect(await failedSeeds({ part: 2, whole: 12 }, { restores: "noticed" })).toEqual([]);
  },
);

test("the simulation detects that a restored ledger is not compared with its journal", async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= 40 && !found.includes("nothing twice"); seed += 1) {
    const { violations } = await simulate(seed, { restores: "unnoticed" });
    found.push(...violations.map((violation) => violation.invariant));
  }
  expect(found).toContain("nothing twice");
});
