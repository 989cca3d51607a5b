import type { Outcome } from "../model/outcome.ts";
import type { Problem } from "../model/problem.ts";
import { csvText, withoutFormula } from "./csv-text.ts";
import type { Report, Write } from "./report.ts";
import { troubledOutcomes } from "./troubled-outcomes.ts";
import { wordsFor } from "./words.ts";

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

/** One row a problem: the columns of `errors.csv`, and `value` at the end when values are shown. */
export async function csv(report: Report, write: Write): Promise<void> {
  await write(csvText([report.showValues ? [...COLUMNS, "value"] : COLUMNS]));
  for await (const batch of troubledOutcomes(report)) {
    const rows = batch.flatMap((outcome) => outcome.problems.map((problem) => row(outcome, problem, report)));
    await write(csvText(rows));
  }
}

function row({ record, key, status, source }: Outcome, problem: Problem, report: Report): readonly string[] {
  const { attr, code, severity, by, place = source, value } = problem;
  const cells = [
    String(record),
    key,
    status,
    attr,
    code,
    wordsFor(problem),
    severity,
    by,
    place.file,
    String(place.line),
    place.column,
    place.columnNumber?.toString(),
    place.pointer,
  ];
  return (report.showValues ? [...cells, value] : cells).map((cell) => withoutFormula(cell ?? ""));
}
