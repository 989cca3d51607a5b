import { expect, test } from "vitest";
import { pageDays } from "../e2e/month-page.ts";
import { playMonth } from "../e2e/month.ts";

const size = Number(process.env["SOAK_ACCOUNTS"] ?? 5000);
const seeds = Array.from({ length: Number(process.env["SOAK_MONTHS"] ?? 1) }, (_, index) => index + 2);

test.each(seeds)("after a month with seed %i, the ledger and the platform have the same records", async (seed) => {
  const { said, shown } = await playMonth({ size, seed });
  expect(said).toEqual(shown);
});

/** The day of the outage. The share of the work that is done when the outage begins differs from run to run. */
const OUTAGE_DAY = 11;

test("the commands of docs/migration.md print the output that the page shows", async () => {
  const days = pageDays();
  const commands = new Map(days.map((each) => [each.day, each.commands]));
  const { said, shown, output } = await playMonth({ size: 5000, seed: 1, commands });
  expect(said).toEqual(shown);
  for (const { day, outputs } of days) {
    const found = printed(day, output.get(day) ?? "");
    const wanted = outputs.flatMap((text) => printed(day, text));
    expect({ day, missing: wanted.filter((line) => !found.includes(line)) }).toEqual({ day, missing: [] });
  }
  expect(days.flatMap(({ outputs }) => outputs).length).toBeGreaterThan(10);
});

/** Returns the lines of an output, without the parts that differ from run to run. */
function printed(day: number, text: string): readonly string[] {
  const lines = text.split("\n").map(withoutRun);
  return day === OUTAGE_DAY ? lines.map((line) => line.replaceAll(/[\d,]+/g, "N")) : lines;
}

/** Removes the parts that differ from run to run, and the alignment, which depends on their length. */
function withoutRun(line: string): string {
  return line
    .replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
    .replaceAll(/\d{8}-\d{4}-[\da-f]{4}/g, "RUN")
    .replaceAll(/\d{4}-\d\d-\d\d/g, "DATE")
    .replaceAll(/ +/g, " ")
    .trim();
}
