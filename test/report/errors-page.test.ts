import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAILURES } from "../../src/model/failure.ts";
import { STATUSES } from "../../src/model/outcome.ts";
import { replyProblems } from "../../src/platform/reply/reply-problems.ts";
import { FORMATS } from "../../src/report/formats/output-format.ts";

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const problems = readFileSync(new URL("../../src/model/problem.ts", import.meta.url), "utf8");

describe("docs/errors.md", () => {
  it.each(["PayloadFinding", "SourceFinding"])("lists exactly the codes of %s", (union) => {
    const section = union === "PayloadFinding" ? "Problems with payloads" : "Problems with sources";
    const codes = codesOf(union);
    expect(codes.length).toBeGreaterThan(10);
    expect(firstCells(section)).toEqual(codes);
  });

  it("lists the codes that the program assigns to the platform's replies", () => {
    const [unreadable] = replyProblems("<html>");
    const [unspecified] = replyProblems({ detail: "No." });
    const codes = [unspecified?.code, "conflict", "revision_ignored", "version_unknown", unreadable?.code];
    expect(firstCells("Problems that the platform reports")).toEqual(codes);
  });

  it("lists exactly the failures, with their exit codes", () => {
    const rows = rowsOf("Failures").map(([code = "", exitCode]) => [unquoted(code), Number(exitCode)]);
    expect(Object.fromEntries(rows)).toEqual(FAILURES);
  });

  it("lists exactly the statuses", () => {
    expect(firstCells("Statuses")).toEqual(STATUSES);
  });

  it("lists exactly the formats", () => {
    expect(firstCells("Formats")).toEqual(FORMATS);
  });

  it("lists every exit code of a failure", () => {
    const listed = new Set(rowsOf("Exit codes").map(([code]) => code));
    for (const exitCode of Object.values(FAILURES)) expect(listed).toContain(String(exitCode));
  });

  it("has no empty cell in a text column", () => {
    for (const section of ["Problems with payloads", "Problems with sources", "Failures"]) {
      for (const row of rowsOf(section)) expect(row.filter((cell) => cell === "")).toEqual([]);
    }
  });
});

/** Returns the codes of a union in the notation of `src/model/problem.ts`. */
function codesOf(union: string): readonly string[] {
  const text = problems.split(`export type ${union} =`)[1]?.split(";\n\n")[0] ?? "";
  return [...text.matchAll(/readonly code: "(\w+)"/g)].map(([, code = ""]) => code);
}

function firstCells(section: string): readonly string[] {
  return rowsOf(section).map(([first = ""]) => unquoted(first));
}

/** Returns the rows of the first table of a section, without its header. */
function rowsOf(section: string): readonly (readonly string[])[] {
  const text = page.split(`\n## ${section}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function unquoted(cell: string): string {
  return cell.replaceAll("`", "");
}
