import { describe, expect, it } from "vitest";
import { addProblem, hasUnlistedErrors, limitProblems, MAX_PROBLEMS } from "../../src/model/problem-limit.ts";
import type { LocalProblem, Severity } from "../../src/model/problem.ts";

describe("the problems of one record", () => {
  it("are unchanged if they do not exceed the limit", () => {
    const problems = numbers(MAX_PROBLEMS);
    expect(limitProblems(problems)).toBe(problems);
  });

  it("beyond the limit are counted in the last problem with the same code and severity", () => {
    const kept = limitProblems([...numbers(MAX_PROBLEMS - 1), ...repeated("blank", 3), ...numbers(4900)]);
    expect(kept).toHaveLength(MAX_PROBLEMS);
    expect(kept.slice(-2)).toMatchObject([
      { code: "source_unsafe_number", unlisted: 4900 },
      { code: "blank", unlisted: 2 },
    ]);
    expect(total(kept)).toBe(MAX_PROBLEMS - 1 + 3 + 4900);
  });

  it("beyond the limit include one problem for each additional combination of code and severity", () => {
    const kept = limitProblems([...numbers(5000), ...repeated("blank", 7), ...repeated("blank", 2, "warning")]);
    expect(kept).toHaveLength(MAX_PROBLEMS + 2);
    expect(kept.slice(-2)).toMatchObject([
      { code: "blank", severity: "error", unlisted: 6 },
      { code: "blank", severity: "warning", unlisted: 1 },
    ]);
  });

  it("never exceed twice the limit, and are counted correctly, for any codes", () => {
    const kept: { code: string; severity: Severity; unlisted?: number }[] = [];
    for (let index = 0; index < 10_000; index += 1) addProblem(kept, { code: `code_${index}`, severity: "error" });
    expect(kept).toHaveLength(2 * MAX_PROBLEMS);
    expect(total(kept)).toBe(10_000);
  });

  it("are counted correctly even if parts of the list were limited before", () => {
    const parts = [numbers(300), numbers(50), numbers(700)].flatMap((part) => limitProblems(part));
    expect(total(limitProblems(parts))).toBe(1050);
    expect(hasUnlistedErrors(limitProblems(parts))).toBe(true);
    expect(hasUnlistedErrors(numbers(3))).toBe(false);
  });
});

function numbers(count: number): readonly LocalProblem[] {
  return repeated("source_unsafe_number", count);
}

function repeated(
  code: "source_unsafe_number" | "blank",
  count: number,
  severity: Severity = "error",
): readonly LocalProblem[] {
  return Array.from({ length: count }, (_, index) => ({ code, attr: `list.${index}`, severity, by: "local" }));
}

function total(problems: readonly { readonly unlisted?: number }[]): number {
  return problems.reduce((sum, { unlisted = 0 }) => sum + 1 + unlisted, 0);
}
