import type { Outcome } from "../../model/outcome.ts";
import type { Problem } from "../../model/problem.ts";
import { csvText, shownCell } from "../csv-text.ts";
import { outcomesWithProblems, type Report, type Write } from "../report.ts";
import { describeProblem } from "../problems/problem-text.ts";

const COLUMNS = [
  "record",
  "key",
  "status",
  "attr",
  "code",
  "detail",
  "severity",
  "by",
  "file",
  "line",
  "column",
  "column_number",
  "pointer",
] as const;

/** Writes one row per problem: the columns of `errors.csv`, and a final column `value` if values are shown. */
export async function csvReporter(report: Report, write: Write): Promise<void> {
  await write(csvText([report.showValues ? [...COLUMNS, "value"] : COLUMNS]));
  for await (const batch of outcomesWithProblems(report)) {
    const rows = batch.flatMap((outcome) => outcome.problems.map((problem) => problemRow(outcome, problem, report)));
    await write(csvText(rows));
  }
}

function problemRow({ record, key, status, source }: Outcome, problem: Problem, report: Report): readonly string[] {
  const { attr, code, severity, by, place = source, value } = problem;
  const cells = [
    String(record),
    key,
    status,
    attr,
    code,
    describeProblem(problem),
    severity,
    by,
    place.file,
    String(place.line),
    place.column,
    place.columnNumber?.toString(),
    place.pointer,
  ];
  return (report.showValues ? [...cells, value] : cells).map((cell) => shownCell(cell ?? ""));
}
