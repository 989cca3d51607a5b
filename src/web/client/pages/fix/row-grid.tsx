import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { FixCause, FixOverview, FixRow, RowFilter } from "../../../fix/fix-types.ts";
import { type FixGrid, openFixGrid } from "./fix-grid.ts";
import type { ActiveCell } from "./grid-options.ts";
import { createRowCache, type RowCache } from "./row-cache.ts";
import { subjectOf } from "./unsaved.ts";
import type { Session } from "./use-session.ts";

export interface GridView {
  readonly grid: FixGrid;
  /** Shows changed rows; undefined means that all rows may have changed. */
  readonly show: (rows: readonly FixRow[] | undefined) => void;
}

interface RowGridOptions {
  readonly state: FixOverview;
  readonly filter: RowFilter;
  readonly cause: FixCause;
  readonly session: Session;
  readonly areValuesShown: boolean;
  readonly view: { current: GridView | undefined };
  readonly onActive: (cell: ActiveCell | undefined) => void;
}

export function RowGrid({
  state,
  filter,
  cause,
  session,
  areValuesShown,
  view,
  onActive,
}: RowGridOptions): JSX.Element {
  const element = useRef<HTMLDivElement>(null);
  const found = cause.rows.find((each) => each.source === filter.source);
  const isNew = useRef(true);
  const latest = useRef({ filter, session, column: found?.column });
  latest.current = { filter, session, column: found?.column };
  const rows = useMemo(
    (): RowCache =>
      createRowCache({
        load: (from, count, signal) => latest.current.session.load(latest.current.filter, { from, count }, signal),
        onLoaded: (from, to) => {
          const grid = view.current?.grid;
          if (isNew.current && from === 0) grid?.select(0, firstColumn(rows, latest.current.column));
          if (from === 0) isNew.current = false;
          grid?.redraw(Array.from({ length: to - from }, (_, index) => from + index));
        },
        onError: (error) => latest.current.session.fail(error),
      }),
    [filter.source, areValuesShown],
  );
  const source = state.sources[filter.source];
  useEffect(() => {
    if (element.current === null || source === undefined) return undefined;
    const send: Session["send"] = (name, body, subject) =>
      latest.current.session.send(name, { ...latest.current.filter, ...body }, subject);
    const keyAt = (position: number): string | undefined => rows.get(position)?.key;
    const grid = openFixGrid(element.current, {
      source,
      rows,
      areValuesShown,
      onActive,
      startDraft: () => latest.current.session.startDraft(),
      onEdit: (cells, draft) => {
        if (cells.length === 0) return;
        void send("edits", { cells, ...(draft && { seen: draft.seen }) }, subjectOf(cells, source.columns, keyAt));
      },
      onFill: (columns, first, last) => void send("fill", { columns, first, last }),
      onUndo: () => void send("undo", {}),
      onMessage: (message) => latest.current.session.say(message),
    });
    view.current = {
      grid,
      show: (changed) => {
        if (changed !== undefined) grid.redraw(rows.replace(changed));
        else {
          rows.clear();
          grid.redrawAll();
        }
      },
    };
    return () => {
      view.current = undefined;
      grid.close();
      rows.clear();
    };
  }, [rows]);
  const length = found?.rows ?? 0;
  useEffect(() => {
    rows.clear();
    isNew.current = true;
    view.current?.grid.reset(length);
  }, [rows, filter.cause]);
  useEffect(() => view.current?.grid.grow(length), [length]);
  return <div ref={element} class="fix-grid" />;
}

/**
 * Returns the column of the cause. If the cause has none, returns the column of the first problem with a column in the
 * first row, or else the first column.
 */
function firstColumn(rows: RowCache, column: number | undefined): number {
  return column ?? rows.get(0)?.marks.find((mark) => mark.column !== undefined)?.column ?? 0;
}
