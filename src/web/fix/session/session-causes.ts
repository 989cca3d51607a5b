import { attrPattern, formatAttr } from "../../../json/attr.ts";
import type { Problem } from "../../../model/problem.ts";
import { adviceFor } from "../../../report/problems/advice.ts";
import { causeKey } from "../../../report/formats/causes.ts";
import { describePattern, describeKind } from "../../../report/problems/problem-text.ts";
import { type FieldTitle, problemTitle } from "../../../report/problems/problem-title.ts";
import { plainText } from "../../../text/plain-text.ts";
import { ALL_CAUSES, type CauseRows, type FixCause } from "../fix-types.ts";
import type { SessionRows } from "./session-rows.ts";
import type { SessionStore } from "./session-store.ts";

export interface SessionParts {
  readonly store: SessionStore;
  readonly rows: SessionRows;
  readonly causes: SessionCauses;
}

/** The causes of a session, with their row counts. */
export interface SessionCauses {
  /** Returns the index of the cause of a problem. Adds the cause if it is new. */
  readonly idOf: (problem: Problem) => number;
  /** Counts a row under a cause. `column` is the index of the problem's column. */
  readonly add: (cause: number, source: number, column: number | undefined) => void;
  /** Adds `by` to the number of open rows. */
  readonly open: (cause: number, source: number, by: 1 | -1) => void;
  readonly list: () => readonly FixCause[];
}

interface MutableRows {
  rows: number;
  open: number;
  readonly columns: Map<number, number>;
}

interface Entry {
  readonly id: number;
  readonly problem: Problem | undefined;
  readonly sources: Map<number, MutableRows>;
}

export function createSessionCauses(fieldTitle: FieldTitle): SessionCauses {
  const entries: Entry[] = [{ id: ALL_CAUSES, problem: undefined, sources: new Map() }];
  const byKey = new Map<string, number>();
  const rowsOf = (cause: number, source: number): MutableRows => {
    const entry = entries[cause];
    const rows = entry?.sources.get(source) ?? { rows: 0, open: 0, columns: new Map() };
    entry?.sources.set(source, rows);
    return rows;
  };
  return {
    idOf: (problem) => {
      const key = causeKey(problem);
      const id = byKey.get(key) ?? entries.push({ id: entries.length, problem, sources: new Map() }) - 1;
      byKey.set(key, id);
      return id;
    },
    add: (cause, source, column) => {
      const rows = rowsOf(cause, source);
      rows.rows += 1;
      if (column !== undefined) rows.columns.set(column, (rows.columns.get(column) ?? 0) + 1);
    },
    open: (cause, source, by) => {
      rowsOf(cause, source).open += by;
    },
    list: () => {
      const [all, ...others] = entries.map((entry) => causeOf(entry, fieldTitle));
      const shown = others.filter(({ rows }) => rows.length > 0).toSorted((a, b) => total(b) - total(a));
      return all === undefined ? shown : [all, ...shown];
    },
  };
}

function total({ rows }: FixCause): number {
  return rows.reduce((sum, each) => sum + each.rows, 0);
}

function causeOf({ id, problem, sources }: Entry, fieldTitle: FieldTitle): FixCause {
  const rows = [...sources].map(([source, { rows: count, open, columns }]): CauseRows => {
    const [most] = [...columns].toSorted(([, a], [, b]) => b - a);
    return { source, rows: count, open, ...(most !== undefined && { column: most[0] }) };
  });
  if (problem === undefined)
    return { id, title: "All causes", message: "", advice: "", code: "", attr: formatAttr([]), by: "local", rows };
  return {
    id,
    title: problemTitle(problem, fieldTitle),
    message: describePattern(problem) ?? describeKind(problem),
    advice: adviceFor(problem),
    code: plainText(problem.code, 120),
    attr: plainText(attrPattern(problem.attr), 200),
    by: problem.by,
    rows,
  };
}
