import { describe, expect, it } from "vitest";
import { adviceFor } from "../../../src/report/problems/advice.ts";

describe("the advice for the code unique", () => {
  const problem = { by: "local", severity: "error", attr: "customers", code: "unique" } as const;

  it("asks for the correct version of a record that was accepted with different content", () => {
    expect(adviceFor({ ...problem, acceptedAt: "2026-01-31T09:30:00Z" })).toMatch("which of the two versions");
  });

  it("says to remove the repeated item from a list", () => {
    expect(adviceFor(problem)).toBe("Remove or correct the repeated item.");
  });
});
