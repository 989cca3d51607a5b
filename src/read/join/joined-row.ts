import type { LocalProblem } from "../../model/problem.ts";
import { addProblem } from "../../model/problem-limit.ts";
import type { Candidates, Row } from "../../model/record.ts";
import type { ReadRow } from "../row/read-row.ts";

/** The rows of one source that belong to one parent row. */
export interface ChildRows {
  readonly rows: readonly ReadRow[];
  /** Problems found by comparing the rows, problems of omitted rows, and the problem that a required row is missing. */
  readonly problems: readonly LocalProblem[];
  /** Present if `pick` omitted rows. */
  readonly candidates?: Candidates;
}

export const NO_ROWS: ChildRows = { rows: [], problems: [] };

/** Returns a row with the rows of each child source joined to it, and the problems of all these rows. */
export function joinedRow(read: ReadRow, groups: Iterable<readonly [source: string, ChildRows]>): ReadRow {
  const children = new Map<string, readonly Row[]>();
  const candidates = new Map<string, Candidates>();
  const problems = [...read.problems];
  for (const [source, list] of groups) {
    children.set(
      source,
      list.rows.map(({ row }) => row),
    );
    if (list.candidates !== undefined) candidates.set(source, list.candidates);
    for (const each of list.rows) for (const problem of each.problems) addProblem(problems, problem);
    for (const problem of list.problems) addProblem(problems, problem);
  }
  return { row: { ...read.row, children, ...(candidates.size > 0 && { candidates }) }, problems };
}
