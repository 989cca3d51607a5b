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
  const bars = halfHours(london, rates).map(({ clock, zone, rates: [rate] }) => ({
    clock,
    zone,
    value: rate?.value_inc_vat,
  }));
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

  test("names the zone of a time on a day when the clocks show some times twice", () => {
    const plot = plotOf("2025-10-26T12:00:00Z", (index) => (index === 3 ? "12.5" : index === 4 ? "3" : "5"));
    expect(plot).toContain("highest 12.5 at 01:30 BST, lowest 3 at 01:00 GMT");
  });

  test("omits half hours without a rate, and says how many are missing", () => {
    const bars = [
      { clock: "00:00", zone: "GMT", value: "1" },
      { clock: "00:30", zone: "GMT", value: undefined },
      { clock: "01:00", zone: "GMT", value: "1" },
    ];
    const plot = rateChart({ title: "t", bars, width: 12 });
    expect(axisOf(plot)).toMatch(/┼(─+) +\1$/);
    expect(plot).toContain("without a rate: 1 of 3");
    expect(rateChart({ title: "t", bars: [], width: 80 })).toBe("t\n\nno rates\n");
  });

  test.each([
    ["2025-06-01T00:00:00", null],
    ["2025-06-01", null],
    ["2025-06-01T00:00:00Z", "2025-06-02T00:00:00"],
  ])("refuses the times %s and %s: without a zone, they would depend on the zone of the machine", (from, to) => {
    const rate = { value_exc_vat: "1", value_inc_vat: "1", valid_from: from, valid_to: to };
    expect(() => halfHours(londonDay("2025-06-01T12:00:00Z"), [rate])).toThrow("a time without a zone");
  });

  test.each([
    ["1e400", "1", "highest 1e400 at 01:00, lowest 1 at 00:30"],
    ["1e308", "-1e308", "highest 1e308 at 01:00, lowest -1e308 at 00:30"],
    ["1.7e308", "0", "highest 1.7e308 at 01:00, lowest 0 at 00:30"],
    ["2e-320", "1e-320", "highest 2e-320 at 01:00, lowest 1e-320 at 00:30"],
    ["1e401", "1e400", "highest 1e401 at 01:00, lowest 1e400 at 00:30"],
  ])("says that %s and %s are out of range, and shows the highest and the lowest rate", (high, low, summary) => {
    const bars = [
      { clock: "00:30", zone: "GMT", value: low },
      { clock: "01:00", zone: "GMT", value: high },
    ];
    const plot = rateChart({ title: "t", bars, width: 80 });
    expect(plot.split("\n").slice(2, 4)).toEqual(["The rates are too large or too small for a chart.", summary]);
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
