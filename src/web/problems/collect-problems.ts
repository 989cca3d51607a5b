import { attrPattern } from "../../json/attr.ts";
import type { Problem } from "../../model/problem.ts";
import type { OwnedOpenRecord } from "../../pipeline/owners/each-open-record.ts";
import { isOverdue } from "../../pipeline/owners/record-owner.ts";
import { adviceFor } from "../../report/problems/advice.ts";
import { causeKey } from "../../report/formats/causes.ts";
import { describePattern, describeKind, shownShape } from "../../report/problems/problem-text.ts";
import { type FieldTitle, problemTitle } from "../../report/problems/problem-title.ts";
import { plainText } from "../../text/plain-text.ts";
import type { CauseData, CauseDescription, CauseGroup, RowData } from "./problems-data.ts";

/** A record that needs work: an open record of the migration, or a record of the current files with errors. */
export interface ProblemRecord extends Pick<OwnedOpenRecord, "key" | "source" | "problems" | "owner"> {
  readonly state: string;
  /** Absent for the current files. */
  readonly since?: string;
}

/** Groups records by cause, owner and file, and keeps the first rows of each group. */
export interface ProblemCollector {
  readonly add: (records: readonly ProblemRecord[]) => void;
  readonly records: () => number;
  /** Returns the causes, in descending order of their number of records. */
  readonly causes: () => readonly CauseData[];
  readonly rows: (cause: string) => readonly RowData[];
}

interface CollectorOptions {
  readonly fieldTitle: FieldTitle | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The maximum number of rows to keep for each cause, owner and file. */
const ROWS_OF_GROUP = 200;
/** The maximum number of rows to keep in total. Limits memory use. */
const MAX_ROWS = 50_000;
const MAX_SHAPES = 100;
const SHOWN_SHAPES = 5;
/** Maximum length of a key, a place or a column. */
const MAX_TEXT = 200;

interface CollectedCause extends CauseDescription {
  readonly shapes: Map<string, number>;
  readonly groups: Map<string, CollectedGroup>;
}

interface CollectedGroup {
  readonly owner: string;
  readonly file: string;
  records: number;
  overdue: number;
  readonly rows: RowData[];
}

export function createProblemCollector({ fieldTitle, now }: CollectorOptions): ProblemCollector {
  const causes = new Map<string, CollectedCause>();
  let records = 0;
  let kept = 0;

  const addProblem = (record: ProblemRecord, id: string, problem: Problem | undefined): void => {
    const cause = causes.get(id) ?? newCause(id, record, { problem, fieldTitle });
    causes.set(id, cause);
    const shape = problem && shownShape(problem);
    if (shape !== undefined && (cause.shapes.has(shape) || cause.shapes.size < MAX_SHAPES)) {
      cause.shapes.set(shape, (cause.shapes.get(shape) ?? 0) + 1);
    }
    const group = groupOf(cause, record, problem);
    group.records += 1;
    const isLate = record.since !== undefined && isOverdue({ since: record.since }, record.owner, now);
    if (isLate) group.overdue += 1;
    if (group.rows.length >= ROWS_OF_GROUP || kept >= MAX_ROWS) return;
    kept += 1;
    group.rows.push(rowOf(record, problem, isLate));
  };
  return {
    add: (batch) => {
      for (const record of batch) {
        records += 1;
        const errors = new Map<string, Problem>();
        for (const problem of record.problems) {
          const id = causeKey(problem);
          if (problem.severity === "error" && !errors.has(id)) errors.set(id, problem);
        }
        for (const [id, problem] of errors) addProblem(record, id, problem);
        if (errors.size === 0) addProblem(record, record.state, undefined);
      }
    },
    records: () => records,
    causes: () => [...causes.values()].map(finished).toSorted((a, b) => b.records - a.records),
    rows: (id) => [...(causes.get(id)?.groups.values() ?? [])].flatMap(({ rows }) => rows),
  };
}

interface CauseText {
  readonly problem: Problem | undefined;
  readonly fieldTitle: FieldTitle | undefined;
}

function newCause(id: string, { state }: ProblemRecord, { problem, fieldTitle }: CauseText): CollectedCause {
  const counts = { shapes: new Map<string, number>(), groups: new Map<string, CollectedGroup>() };
  if (problem === undefined) {
    const { title, advice } = STATE_TEXTS[state] ?? { title: state, advice: "" };
    return { id, code: state, by: "state", title, words: "", advice, ...counts };
  }
  return {
    id,
    code: problem.code,
    attr: attrPattern(problem.attr),
    by: problem.by,
    title: problemTitle(problem, fieldTitle),
    words: describePattern(problem) ?? describeKind(problem),
    advice: adviceFor(problem),
    ...counts,
  };
}

/** Texts for open records without an error, by state (`RECORD_STATES`). */
const STATE_TEXTS: Readonly<Record<string, { readonly title: string; readonly advice: string }>> = {
  ambiguous: {
    title: "It is not known whether the platform has the record",
    advice: "Run `migrate reconcile`, which looks the record up on the platform.",
  },
  pending: {
    title: "The record has not been sent yet, is waiting for another record, or is not finished on the platform",
    advice: "Start a push, or continue the last push with `migrate resume`.",
  },
  outdated: {
    title: "The platform has an older version of the record",
    advice: "Push with `--revise` to send the new version.",
  },
  existing: {
    title: "The platform already had the record, and its content is not known",
    advice:
      "Run `migrate reconcile`, which compares the content of the record with the platform. If only the key can be " +
      "compared, compare the content yourself, then run `migrate reconcile --accept <key>`.",
  },
  missing: {
    title: "No push has included this record from the inventory",
    advice: "Ask for an extract that contains the record, or exclude the record with `migrate exclude`.",
  },
};

function groupOf({ groups }: CollectedCause, { owner, source }: ProblemRecord, problem?: Problem): CollectedGroup {
  const [name, file] = [owner?.name ?? "", problem?.place?.file ?? source.file];
  const id = JSON.stringify([name, file]);
  const group = groups.get(id) ?? { owner: name, file, records: 0, overdue: 0, rows: [] };
  groups.set(id, group);
  return group;
}

function rowOf(record: ProblemRecord, problem: Problem | undefined, isLate: boolean): RowData {
  const { key, source, state, owner, since } = record;
  const place = problem?.place ?? source;
  const column = place.column ?? place.pointer;
  const shape = problem && shownShape(problem);
  return {
    ...(key !== undefined && { key: plainText(key, MAX_TEXT) }),
    place: plainText(`${place.file}:${place.line}`, MAX_TEXT),
    ...(column !== undefined && column !== "" && { column: plainText(column, MAX_TEXT) }),
    ...(shape !== undefined && { shape }),
    state,
    owner: owner?.name ?? "",
    file: place.file,
    ...(since !== undefined && { since }),
    isOverdue: isLate,
  };
}

function finished({ shapes, groups, ...cause }: CollectedCause): CauseData {
  const listed = [...groups.values()].map(({ rows: _rows, ...group }): CauseGroup => group);
  return {
    ...cause,
    shapes: [...shapes]
      .toSorted((a, b) => b[1] - a[1])
      .slice(0, SHOWN_SHAPES)
      .map(([shape, count]) => ({ shape, count })),
    records: listed.reduce((sum, group) => sum + group.records, 0),
    groups: listed.toSorted((a, b) => b.records - a.records),
  };
}
