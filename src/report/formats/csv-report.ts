import type { Place } from "../../model/place.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Problem } from "../../model/problem.ts";
import { csvText, shownCell } from "../csv-text.ts";
import { outcomesWithProblems, type Report, type Write } from "../report.ts";
import { describeProblem } from "../problems/problem-text.ts";

type CellOf = (outcome: Outcome, problem: Problem, place: Place) => string | number | undefined;

const COLUMNS: readonly (readonly [name: string, cellOf: CellOf])[] = [
  ["record", ({ record }) => record],
  ["key", ({ key }) => key],
  ["status", ({ status }) => status],
  ["attr", (_outcome, { attr }) => attr],
  ["code", (_outcome, { code }) => code],
  ["detail", (_outcome, problem) => describeProblem(problem)],
  ["severity", (_outcome, { severity }) => severity],
  ["by", (_outcome, { by }) => by],
  ["file", (_outcome, _problem, { file }) => file],
  ["line", (_outcome, _problem, { line }) => line],
  ["column", (_outcome, _problem, { column }) => column],
  ["column_number", (_outcome, _problem, { columnNumber }) => columnNumber],
  ["pointer", (_outcome, _problem, { pointer }) => pointer],
];

/** Writes one row per problem: the columns of `errors.csv`, and a final column `value` if values are shown. */
export async function csvReporter(report: Report, write: Write): Promise<void> {
  const names = COLUMNS.map(([name]) => name);
  await write(csvText([report.showValues ? [...names, "value"] : names]));
  for await (const batch of outcomesWithProblems(report)) {
    const rows = batch.flatMap((outcome) => outcome.problems.map((problem) => problemRow(outcome, problem, report)));
    await write(csvText(rows));
  }
}

function problemRow(outcome: Outcome, problem: Problem, { showValues }: Report): readonly string[] {
  const { place = outcome.source, value } = problem;
  const cells = COLUMNS.map(([, cellOf]) => cellOf(outcome, problem, place));
  return (showValues ? [...cells, value] : cells).map((cell) => shownCell(String(cell ?? "")));
}
