import { describe, expect, it } from "vitest";
import { closeAfterReport } from "../../src/pipeline/run/close-after-report.ts";

const SHOWN = {
  report: {
    summary: { records: 0, counts: {}, errors: {}, warnings: {}, exitCode: 0 },
    outcomes: async function* none() {
      yield [];
    },
    showValues: false,
    colour: false,
    width: 80,
    title: "",
  },
  exitCode: 0,
  failures: [],
};

describe("resources of a command", () => {
  it("are closed together with the command's report, in reverse order", async () => {
    const closed: string[] = [];
    const report = await closeAfterReport(async (closeLater) => {
      for (const name of ["lock", "ledger", "input"]) closeLater({ close: async () => void closed.push(name) });
      return SHOWN;
    });
    expect(closed).toEqual([]);
    await report.close();
    expect(closed).toEqual(["input", "ledger", "lock"]);
  });

  it("are closed immediately when the command fails, even if closing one of them also fails", async () => {
    const closed: string[] = [];
    const failing = closeAfterReport(async (closeLater) => {
      closeLater({ close: async () => void closed.push("lock") });
      closeLater({ close: () => Promise.reject(new Error("cannot close")) });
      throw new Error("the cause");
    });
    await expect(failing).rejects.toThrow("the cause");
    expect(closed).toEqual(["lock"]);
  });
});
