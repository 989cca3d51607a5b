import type { Outcome } from "../../model/outcome.ts";
import { isRuleProblem, type Problem } from "../../model/problem.ts";
import { placeOf } from "../../model/record.ts";
import type { RejectRow } from "./rejected-rows.ts";

/**
 * The problems of rows that several records share. A shared row is written once, with the first of these records, but
 * needs the problems of all of them. Kept for all passes over the input: the pass that finds the problems of a later
 * record has already written the row.
 */
export interface SharedRows {
  /** Notes the problems of a row that an earlier record has written. */
  readonly note: (entry: RejectRow, outcome: Outcome) => void;
  /** The number of problems noted so far. */
  readonly count: () => number;
  /** Returns the row and its record's outcome, with the problems that earlier passes noted. */
  readonly complete: (entry: RejectRow, outcome: Outcome) => RejectRecordRow;
}

export interface RejectRecordRow {
  readonly entry: RejectRow;
  readonly outcome: Outcome;
}

interface LaterProblems {
  /** The problems in the row, without repetitions. */
  readonly own: Map<string, Problem>;
  /** An error of a rule. It may concern the row, wherever its place is. */
  rule: Problem | undefined;
}

export function createSharedRows(): SharedRows {
  const byRow = new Map<string, LaterProblems>();
  let count = 0;
  return {
    count: () => count,
    note: (entry, { problems }) => {
      const rule = problems.find((problem) => problem.severity === "error" && isRuleProblem(problem));
      if (entry.problems.length === 0 && rule === undefined) return;
      const later = byRow.get(rowId(entry)) ?? { own: new Map<string, Problem>(), rule: undefined };
      byRow.set(rowId(entry), later);
      const before = later.own.size + Number(later.rule !== undefined);
      for (const problem of entry.problems) later.own.set(problemId(problem), problem);
      later.rule ??= rule;
      count += later.own.size + Number(later.rule !== undefined) - before;
    },
    complete: (entry, outcome) => {
      const later = byRow.get(rowId(entry));
      if (later === undefined) return { entry, outcome };
      const known = new Set(entry.problems.map(problemId));
      const added = [...later.own].flatMap(([id, problem]) => (known.has(id) ? [] : [problem]));
      const problems = later.rule === undefined ? outcome.problems : [...outcome.problems, later.rule];
      return {
        entry: { ...entry, problems: [...entry.problems, ...added] },
        outcome: { ...outcome, problems },
      };
    },
  };
}

function rowId({ row, child }: RejectRow): string {
  const { file, line, pointer } = placeOf(row);
  return JSON.stringify([child, file, line, pointer]);
}

function problemId({ attr, code, by, place }: Problem): string {
  return JSON.stringify([attr, code, by, place?.column, place?.pointer]);
}
