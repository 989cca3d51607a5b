import type { SlickRange } from "slickgrid";
import { counted, formatCount } from "../../../../text/count.ts";
import { formatTable, parseTable } from "./clipboard-table.ts";
import { type CellEdit, MAX_EDITED_CELLS } from "../../../fix/fix-types.ts";
import type { GridOptions } from "./grid-options.ts";
import { type AccessibleGrid, columnIndex } from "./slick-grid.ts";

export interface KeyOptions extends GridOptions {
  readonly state: { typed: string | undefined };
}

/**
 * Makes Tab leave the grid, because the grid has too many cells to tab through. While a cell is edited, Tab moves to
 * the next cell.
 */
export function leaveWithTab(key: KeyboardEvent, grid: AccessibleGrid): void {
  if (key.key === "Tab" && !grid.isEditing()) key.stopPropagation();
}

/** Handles a key. Returns true if the grid must not also handle the key. */
export function handleKey(key: KeyboardEvent, grid: AccessibleGrid, options: KeyOptions): boolean {
  if (grid.isEditing()) return handleEditing(key, grid);
  const character = typedCharacter(key);
  if (character === undefined) {
    if (key.altKey) return false;
    if (key.ctrlKey || key.metaKey) return handleCommand(key, grid, options);
  }
  if (key.key === "Delete" || key.key === "Backspace") {
    key.preventDefault();
    setSelected(grid, options, "");
    return true;
  }
  if (character === undefined && key.key !== "F2") return false;
  options.state.typed = character;
  grid.editActiveCell();
  options.state.typed = undefined;
  return true;
}

/**
 * Returns the character that a key types; undefined for other keys and for shortcuts. Option (Alt) on macOS and AltGr,
 * which some systems report as Ctrl+Alt, type symbols. With a letter, a digit or a space, Alt is a shortcut.
 */
function typedCharacter({ key, altKey, ctrlKey, metaKey }: KeyboardEvent): string | undefined {
  if (!/^.$/u.test(key) || metaKey) return undefined;
  const isShortcut = altKey ? /^[a-z\d\s]$/i.test(key) : ctrlKey;
  return isShortcut ? undefined : key;
}

/** Handles Enter while a cell is edited: saves the value and moves down, as in a spreadsheet. */
function handleEditing(key: KeyboardEvent, grid: AccessibleGrid): boolean {
  if (key.key !== "Enter" || key.shiftKey) return false;
  key.preventDefault();
  if (grid.getEditorLock()?.commitCurrentEdit()) grid.navigateDown();
  return true;
}

function handleCommand(key: KeyboardEvent, grid: AccessibleGrid, options: KeyOptions): boolean {
  const name = key.key.toLowerCase();
  if (name === "z" && !key.shiftKey) options.onUndo();
  else if (name === "d" && !key.shiftKey) fillDown(grid, options);
  // Ctrl+A would select all cells, and there may be millions.
  else if (name !== "a") return false;
  key.preventDefault();
  return true;
}

/** Returns the last selected range, which is the active cell if only one cell is selected. */
function selectedRange(grid: AccessibleGrid): SlickRange | undefined {
  return grid.getSelectionModel()?.getSelectedRanges().at(-1);
}

/** Returns the selected cells for a clipboard event; undefined if the event belongs to a text field. */
function rangeFor({ target }: ClipboardEvent, grid: AccessibleGrid): SlickRange | undefined {
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return isField ? undefined : selectedRange(grid);
}

function columnsIn(grid: AccessibleGrid, { fromCell, toCell }: SlickRange): readonly number[] {
  return grid
    .getColumns()
    .slice(fromCell, toCell + 1)
    .flatMap((column) => columnIndex(column) ?? []);
}

function setSelected(grid: AccessibleGrid, options: GridOptions, value: string): void {
  const range = selectedRange(grid);
  if (range === undefined) return;
  const columns = columnsIn(grid, range);
  if (columns.length === 0) return options.onMessage(NO_COLUMN);
  const count = range.toRow - range.fromRow + 1;
  if (count * columns.length > MAX_EDITED_CELLS) return options.onMessage(TOO_MANY_CELLS);
  const positions = Array.from({ length: count }, (_, index) => range.fromRow + index);
  options.onEdit(positions.flatMap((position) => columns.map((column) => ({ position, column, value }))));
}

const NO_COLUMN = "The “Row” column does not belong to the source. Select cells of other columns.";

const TOO_MANY_CELLS =
  `At most ${formatCount(MAX_EDITED_CELLS)} cells can be pasted or emptied at a time. ` +
  "To give more cells the same value, use “Fill down” or “Replace…”.";

export function fillDown(grid: AccessibleGrid, { onFill, onMessage }: GridOptions): void {
  const range = selectedRange(grid);
  const columns = range === undefined ? [] : columnsIn(grid, range);
  if (range !== undefined && columns.length > 0 && range.toRow > range.fromRow)
    onFill(columns, range.fromRow, range.toRow);
  else onMessage("First select a value and the cells below it: use Shift and the arrow keys, or drag.");
}

const MAX_COPIED = 10_000;

export function copyCells(
  event: ClipboardEvent,
  grid: AccessibleGrid,
  { rows, areValuesShown, onMessage }: GridOptions,
): void {
  const range = rangeFor(event, grid);
  if (range === undefined) return;
  event.preventDefault();
  const columns = columnsIn(grid, range);
  const count = range.toRow - range.fromRow + 1;
  if (columns.length === 0) return onMessage(NO_COLUMN);
  if (!areValuesShown) return onMessage("Values are hidden. Turn on “Show values” to copy them.");
  if (count > MAX_COPIED) return onMessage(`Select at most ${formatCount(MAX_COPIED)} rows to copy.`);
  const found = Array.from({ length: count }, (_, index) => rows.get(range.fromRow + index));
  if (found.some((row) => row === undefined || columns.some((column) => row.cut?.includes(column) === true)))
    return onMessage("Not all selected values are loaded. Select fewer rows.");
  if (found.some((row) => row?.locked !== undefined && columns.some((column) => row.cells[column] === null)))
    return onMessage(
      "One of the selected cells has no value that can be copied. Correct its row in the file, then check again.",
    );
  const table = found.map((row) => columns.map((column) => row?.cells[column] ?? ""));
  event.clipboardData?.setData("text/plain", formatTable(table));
  return onMessage(`${count * columns.length === 1 ? "1 value" : `${count * columns.length} values`} copied.`);
}

/**
 * Fills the entire selection if one value was copied. If several values were copied, pastes them starting at the first
 * selected cell of the source, unless there is not enough room for them.
 */
export function pasteCells(event: ClipboardEvent, grid: AccessibleGrid, options: GridOptions): void {
  const range = rangeFor(event, grid);
  if (range === undefined) return;
  event.preventDefault();
  const { clipboardData } = event;
  if (clipboardData === null || !clipboardData.types.includes("text/plain"))
    return options.onMessage("The clipboard contains no text to paste.");
  const table = parseTable(clipboardData.getData("text/plain"));
  const width = table.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  const [only = ""] = table[0] ?? [];
  if (table.length === 1 && width === 1) return setSelected(grid, options, only);
  const [first] = columnsIn(grid, range);
  if (first === undefined) return options.onMessage(NO_COLUMN);
  const [rows, columns] = [grid.getDataLength() - range.fromRow, options.source.columns.length - first];
  if (table.length > rows || width > columns)
    return options.onMessage(
      `The clipboard contains ${sizeText(table.length, width)}, but only ${sizeText(rows, columns)} can be pasted ` +
        "from the first selected cell. No cell was changed.",
    );
  const edits = table.flatMap((cells, down) =>
    cells.map((value, across): CellEdit => ({ position: range.fromRow + down, column: first + across, value })),
  );
  return edits.length > MAX_EDITED_CELLS ? options.onMessage(TOO_MANY_CELLS) : options.onEdit(edits);
}

function sizeText(rows: number, columns: number): string {
  return `${counted(rows, "row")} and ${counted(columns, "column")}`;
}
