import { type Column, SlickCellSelectionModel } from "slickgrid";
import type { FixRow, FixSource } from "../../../fix/fix-types.ts";
import { cellEditor, type EditorClass, type EditorState } from "./cell-editor.ts";
import { nameCell, valueCell } from "./grid-cells.ts";
import { copyCells, fillDown, handleKey, type KeyOptions, leaveWithTab, pasteCells } from "./grid-keys.ts";
import type { ActiveCell, GridOptions } from "./grid-options.ts";
import type { RowCache } from "./row-cache.ts";
import { saveOnLeave } from "./save-on-leave.ts";
import { AccessibleGrid, columnIndex } from "./slick-grid.ts";

export interface FixGrid {
  /** Shows the first rows of another filter. */
  readonly reset: (length: number) => void;
  /** Adds rows at the end. An open cell editor stays open. */
  readonly grow: (length: number) => void;
  /** Redraws rows after they have been loaded or changed. */
  readonly redraw: (positions: readonly number[]) => void;
  readonly redrawAll: () => void;
  /** Selects a cell without moving the focus. */
  readonly select: (position: number, column: number) => void;
  readonly fillDown: () => void;
  /** Saves the value in an open cell editor, and closes the grid. */
  readonly close: () => void;
}

/** The content of a row that is not loaded yet. */
const LOADING: FixRow = { id: 0, key: "…", file: "", line: 0, cells: [], marks: [], edited: [], state: "open" };

const ROW_HEIGHT = 30;
/** The number of columns that name the row. These columns precede the columns of the source. */
const NAME_COLUMNS = 1;

export function openFixGrid(container: HTMLElement, options: GridOptions): FixGrid {
  const { source, rows } = options;
  let length = 0;
  let waiting: number | undefined;
  const loadVisible = (): void => {
    waiting = undefined;
    const { top, bottom } = grid.getViewport();
    if (length > 0) rows.want(Math.max(0, top - 20), Math.min(length - 1, bottom + 60));
  };
  const data = {
    getLength: () => length,
    getItem: (position: number) => {
      const row = rows.get(position);
      if (row === undefined) waiting ??= setTimeout(loadVisible, SETTLE_MS);
      return row ?? LOADING;
    },
    getItemMetadata: () => null,
  };
  const closing = new AbortController();
  const grid = createGrid(container, data, { ...options, signal: closing.signal });
  grid.arrange(`Rows of ${source.name}`);
  const resized = new ResizeObserver(() => grid.resizeCanvas());
  resized.observe(container);
  const setLength = (next: number): void => {
    length = next;
    rows.setLength(next);
    showLength(grid, container, next);
  };
  return {
    reset: (next) => {
      setLength(next);
      grid.scrollRowToTop(0);
      grid.invalidate();
      loadVisible();
    },
    grow: (next) => {
      setLength(next);
      loadVisible();
    },
    redraw: (positions) => {
      redraw(grid, container, positions);
      const active = grid.getActiveCell();
      if (active !== null && positions.includes(active.row)) options.onActive(activeCell(grid, active, rows));
    },
    redrawAll: () => {
      const { top, bottom } = grid.getRenderedRange();
      redraw(grid, container, range(top, bottom));
      loadVisible();
    },
    select: (position, column) => select(grid, position, column + NAME_COLUMNS),
    fillDown: () => fillDown(grid, options),
    close: () => {
      grid.getEditorLock()?.commitCurrentEdit();
      closing.abort();
      clearTimeout(waiting);
      resized.disconnect();
      grid.destroy();
    },
  };
}

interface CreateOptions extends GridOptions {
  /** Aborted when the grid is closed. The container is used again for the next grid. */
  readonly signal: AbortSignal;
}

/** Delay before missing rows are loaded. After fast scrolling, only the rows that are visible by then are loaded. */
const SETTLE_MS = 30;

function createGrid(
  container: HTMLElement,
  data: ConstructorParameters<typeof AccessibleGrid>[1],
  options: CreateOptions,
): AccessibleGrid {
  const { areValuesShown, startDraft } = options;
  const state: EditorState = { typed: undefined, draft: undefined, areValuesShown, startDraft };
  const grid = new AccessibleGrid(container, data, columnsOf(options.source, cellEditor(state)), {
    enableCellNavigation: true,
    enableColumnReorder: false,
    editable: true,
    autoEdit: false,
    frozenColumn: 0,
    rowHeight: ROW_HEIGHT,
    enableHtmlRendering: false,
    editCommandHandler: (_item, column, { row, serializedValue }) => {
      const index = columnIndex(column);
      const value = String(serializedValue);
      if (index !== undefined) options.onEdit([{ position: row, column: index, value }], state.draft);
    },
  });
  listen(grid, container, { ...options, state });
  return grid;
}

function select(grid: AccessibleGrid, row: number, cell: number): void {
  grid.setActiveCell(row, cell, false, false, false);
  grid.scrollCellIntoView(row, cell);
}

function showLength(grid: AccessibleGrid, container: HTMLElement, length: number): void {
  // Limits the height of the grid to its rows, its header and a scroll bar.
  container.style.setProperty("--rows", `${(length + 3) * ROW_HEIGHT}px`);
  grid.resizeCanvas();
  grid.updateRowCount();
  container.querySelector("[role=grid]")?.setAttribute("aria-rowcount", String(length + 1));
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Redraws rows. An open cell editor stays open, and the active cell keeps the focus. */
function redraw(grid: AccessibleGrid, container: HTMLElement, positions: readonly number[]): void {
  const active = grid.getActiveCell();
  const hadFocus = container.contains(document.activeElement);
  grid.invalidateRows(positions.filter((position) => !grid.isEditing() || position !== active?.row));
  grid.render();
  if (hadFocus && !container.contains(document.activeElement)) grid.focus();
}

function activeCell(
  grid: AccessibleGrid,
  { row, cell }: { readonly row: number; readonly cell: number },
  rows: RowCache,
): ActiveCell {
  const column = grid.getColumns()[cell];
  const index = column && columnIndex(column);
  return { position: row, row: rows.get(row), ...(index !== undefined && { column: index }) };
}

function columnsOf(source: FixSource, editor: EditorClass): Column<FixRow>[] {
  return [
    { id: "row", field: "key", name: "Row", width: 150, formatter: nameCell, focusable: true },
    ...source.columns.map((column, index): Column<FixRow> => {
      const isStructural = source.structural.includes(index);
      return {
        id: `c${index}`,
        field: "key",
        name: column,
        width: Math.min(260, Math.max(110, column.length * 9 + 30)),
        formatter: valueCell,
        editor,
        ...(isStructural && {
          toolTip: `${column}: used to join, order or identify rows`,
          headerCssClass: "structural",
        }),
      };
    }),
  ];
}

function listen(grid: AccessibleGrid, container: HTMLElement, options: KeyOptions & CreateOptions): void {
  const { rows, onActive, signal } = options;
  grid.onKeyDown.subscribe((event) => {
    const key = event.getNativeEvent<KeyboardEvent>();
    if (key !== null && handleKey(key, grid, options)) event.stopImmediatePropagation();
  });
  grid.setSelectionModel(new SlickCellSelectionModel());
  grid.onActiveCellChanged.subscribe((_event, { row, cell }) => {
    for (const node of container.querySelectorAll(".slick-cell[tabindex='0']")) node.setAttribute("tabindex", "-1");
    grid.getActiveCellNode()?.setAttribute("tabindex", "0");
    if (container.contains(document.activeElement) && !grid.isEditing()) grid.focus();
    if (row === undefined || row === null || cell === undefined) onActive(undefined);
    else onActive(activeCell(grid, { row, cell }, rows));
  });
  grid.onRendered.subscribe((_event, { startRow, endRow }) => {
    for (let row = startRow; row <= endRow; row += 1)
      for (const cell of [0, 1])
        grid.getCellNode(row, cell)?.parentElement?.setAttribute("aria-rowindex", String(row + 2));
    grid.getActiveCellNode()?.setAttribute("tabindex", "0");
  });
  grid.onBeforeEditCell.subscribe((event, { row = -1, column }) => {
    const found = rows.get(row);
    const reason = found && editRefusal(found, columnIndex(column) ?? -1, options.areValuesShown);
    if (found !== undefined && reason === undefined) return true;
    if (reason !== undefined) options.onMessage(reason);
    event.preventDefault();
    return false;
  });
  saveOnLeave(
    () => container,
    () => grid.getEditorLock()?.commitCurrentEdit(),
    signal,
  );
  container.addEventListener("keydown", (event) => leaveWithTab(event, grid), { capture: true, signal });
  container.addEventListener("copy", (event) => copyCells(event, grid, options), { signal });
  container.addEventListener("paste", (event) => pasteCells(event, grid, options), { signal });
}

/** Returns the reason why a cell cannot be edited in the grid; undefined if the cell can be edited. */
function editRefusal({ locked, cells, cut }: FixRow, column: number, areValuesShown: boolean): string | undefined {
  if (locked !== undefined) return locked;
  if (cells[column] === null) return "This row has no cell in this column.";
  const isCut = areValuesShown && cut?.includes(column) === true;
  return isCut ? "This value is too long to edit here. Edit it in the field below the grid." : undefined;
}
