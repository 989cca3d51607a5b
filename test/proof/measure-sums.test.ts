import { describe, expect, it } from "vitest";
import { createMeasureTotals, isWhole } from "../../src/proof/measure-sums.ts";

const MEASURE = { name: "balance", attr: ["balance"], by: ["currency"] };

describe("createMeasureTotals", () => {
  it("keeps separate sums for each value of the `by` attr and for each stage", () => {
    const totals = createMeasureTotals(MEASURE, true);
    const whole = { source: "10.10", payload: "10.10", sent: "10.10", accepted: "10.10", platform: "10.1" };
    totals.add({ by: "GBP", ...whole, unreadable: false });
    totals.add({ by: "GBP", source: "5", payload: "5", unreadable: false });
    totals.add({ by: "EUR", source: "-1", payload: "-1", sent: "-1", unreadable: false });
    totals.add({ unreadable: true });
    expect(totals.proof()).toEqual({
      name: "balance",
      attr: "balance",
      by: "currency",
      unreadable: 1,
      sums: [
        { source: "0", payloads: "0", sent: "0", accepted: "0", platform: "0" },
        { by: "EUR", source: "-1", payloads: "-1", sent: "-1", accepted: "0", platform: "0" },
        { by: "GBP", source: "15.10", payloads: "15.10", sent: "10.10", accepted: "10.10", platform: "10.1" },
      ],
    });
  });

  it("includes an amount that the platform returns with an exponent or with whitespace", () => {
    const totals = createMeasureTotals(MEASURE, true);
    const sent = { source: "0.0000001", payload: "0.0000001", sent: "0.0000001", accepted: "0.0000001" };
    for (const platform of ["1e-07", " 0.00000010 ", "10E-8"]) {
      const amount = { ...sent, platform, unreadable: false };
      totals.add(amount);
      expect(isWhole(amount, true)).toBe(true);
    }
    for (const platform of ["1,5", "abc", "1e", "1e999999999", "", "1 e1"]) {
      const amount = { ...sent, platform, unreadable: false };
      totals.add(amount);
      expect(isWhole(amount, true)).toBe(false);
    }
    expect(totals.proof().sums).toMatchObject([{ accepted: "0.0000009", platform: "0.00000030" }]);
  });

  it("limits the number of sums", () => {
    const totals = createMeasureTotals(MEASURE, false);
    for (let at = 0; at < 5000; at += 1) totals.add({ by: `K${at}`, source: "1", unreadable: false });
    const { sums } = totals.proof();
    expect(sums).toHaveLength(1001);
    expect(sums.find(({ by }) => by === "(others)")?.source).toBe("4000");
  });
});

describe("isWhole", () => {
  const same = { source: "1.5", payload: "1.50", sent: "1.5", accepted: "1.5", unreadable: false };

  it("accepts the same value in a different notation at every stage", () => {
    expect(isWhole(same, false)).toBe(true);
    expect(isWhole({ ...same, platform: "1.500" }, true)).toBe(true);
  });

  it.each([
    ["without a cell", { payload: "1.5", sent: "1.5", accepted: "1.5", unreadable: false }],
    ["with another amount in the payload", { ...same, payload: "1.4" }],
    ["that was not sent", { source: "1.5", payload: "1.5", unreadable: false }],
    ["that is not a number", { ...same, unreadable: true }],
  ])("rejects an amount %s", (_, amount) => {
    expect(isWhole(amount, false)).toBe(false);
  });

  it("requires the platform's amount if the platform was queried", () => {
    expect(isWhole(same, true)).toBe(false);
    expect(isWhole({ ...same, platform: "1.6" }, true)).toBe(false);
  });
});
