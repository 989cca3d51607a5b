import { expect, test } from "vitest";
import { playMonth } from "../e2e/month.ts";

const size = Number(process.env["SOAK_ACCOUNTS"] ?? 5000);
const seeds = Array.from({ length: Number(process.env["SOAK_MONTHS"] ?? 1) }, (_, index) => index + 1);

test.each(seeds)("month %i ends with the same records on the platform and in the ledger", async (seed) => {
  const { said, shown } = await playMonth({ size, seed });
  expect(said).toEqual(shown);
});
