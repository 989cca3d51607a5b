import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { halfHours } from "../../src/platform/reading/unit-rates.ts";
import { londonDay } from "../../src/time/london-time.ts";
import { rateChart } from "../../src/report/rate-chart.ts";

/** Returns the chart of a day in London. `valueOf` computes the rate of each half hour from its index. */
function plotOf(day: string, valueOf: (index: number) => string, width = 80): string {
  const london = londonDay(day);
  const start = Date.parse(london.from);
  const count = (Date.parse(london.to) - start) / 1_800_000;
  const rates = Array.from({ length: count }, (_, index) => ({
    value_exc_vat: "0",
    value_inc_vat: valueOf(index),
    valid_from: new Date(start + index * 1_800_000).toISOString(),
    valid_to: new Date(start + (index + 1) * 1_800_000).toISOString(),
  }));
  const bars = halfHours(london, rates).map(({ clock, rates: [rate] }) => ({ clock, value: rate?.value_inc_vat }));
  return rateChart({ title: "t", bars, width });
}

const axisOf = (plot: string): string => plot.split("\n").find((line) => line.includes("┼")) ?? "";

describe("the chart of a day's rates", () => {
  test("shows rates above and below zero", () => {
    const plot = plotOf("2025-01-07T12:00:00Z", (index) => (index < 2 ? "-10" : "20"));
    const lines = plot.split("\n");
    const axis = lines.indexOf(axisOf(plot));
    expect(lines[2]).toBe(` 20 │  ${"█".repeat(46)}`);
    expect(lines[axis]).toBe(`  0 ┼${"─".repeat(48)}`);
    expect(lines[axis + 1]).toBe("    │██");
    expect(lines.slice(axis + 1).join("")).not.toMatch(/[▁▂▃▄▅▆▇]/);
    expect(plot).toContain("highest 20 at 23:30, lowest -10 at 00:00");
  });

  test.each([
    ["2025-03-30T12:00:00Z", 46, "00  03    06", "46 half hours, because the clocks go forward"],
    ["2025-10-26T12:00:00Z", 50, "00      03    06", "50 half hours, because the clocks go back"],
    ["2025-07-01T12:00:00Z", 48, "00    03    06", "highest"],
  ])("for %s has %i half hours, which are labelled with local hours", (day, count, hours, words) => {
    const plot = plotOf(day, String);
    expect(axisOf(plot)).toBe(` 0 ┼${"─".repeat(count)}`);
    expect(plot).toContain(`    ${hours}`);
    expect(plot).toContain(words);
  });

  test("omits half hours without a rate, and says how many are missing", () => {
    const bars = [
      { clock: "00:00", value: "1" },
      { clock: "00:30", value: undefined },
      { clock: "01:00", value: "1" },
    ];
    const plot = rateChart({ title: "t", bars, width: 12 });
    expect(axisOf(plot)).toMatch(/┼(─+) +\1$/);
    expect(plot).toContain("without a rate: 1 of 3");
    expect(rateChart({ title: "t", bars: [], width: 80 })).toBe("t\n\nno rates\n");
  });

  test("keeps every digit of the highest and the lowest rate", () => {
    const plot = plotOf("2025-01-07T12:00:00Z", (index) => (index === 0 ? "-0.00000000000000000001" : "12.3400"));
    expect(plot).toContain("highest 12.3400 at");
    expect(plot).toContain("lowest -0.00000000000000000001 at 00:00");
    expect(plot).toContain("▔");
  });

  test("fits in 80 columns and 30 lines for any rates", () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, min: -1e6, max: 1e6 }).map((number) => number.toFixed(4)),
      fc.constantFrom("0", "-0", "1e3", "0.0001"),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 50, maxLength: 50 }), (values) => {
        const lines = plotOf("2025-10-26T12:00:00Z", (index) => values[index] ?? "0").split("\n");
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
        expect(lines.length).toBeLessThanOrEqual(30);
      }),
    );
  });
});
