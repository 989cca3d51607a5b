import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { isJsonObject, type JsonValue } from "../../../../json/json-value.ts";
import { counted, formatCount } from "../../../../text/count.ts";
import type { ColumnData, MappingData, MappingEdit, SourceColumn, SourceData } from "../../../mapping/mapping-data.ts";
import { isSameColumn, usedColumns } from "./fields.ts";
import { textOf } from "./json-text.ts";
import { SourceForm } from "./source-form.tsx";

interface SourceListOptions {
  readonly view: MappingData;
  readonly picked: SourceColumn | undefined;
  readonly onPick: (column: SourceColumn | undefined) => void;
  readonly onEdit: (edit: MappingEdit, done: string) => void;
  /** Shown after the sources. */
  readonly children: ComponentChildren;
}

/** The data type of a dragged column. Other drops, such as files, are ignored. */
export const COLUMN_TYPE = "application/x-migrate-column";

export function SourceList({ view, picked, onPick, onEdit, children }: SourceListOptions): JSX.Element {
  const used = usedColumns(view.fields, view.sources);
  return (
    <div class="sources">
      {view.sources.map((source) => (
        <div key={source.name} class="source">
          <h3 id={`source-${source.name}`}>{source.name}</h3>
          <p class="soft">
            {source.files.map((file) => file.slice(file.lastIndexOf("/") + 1)).join(", ")},{" "}
            {counted(source.rows, "row")}
            {joinText(source)}
          </p>
          <SourceForm source={source} sources={view.sources} onEdit={onEdit} />
          <ColumnList source={source} picked={picked} used={used} onPick={onPick} />
        </div>
      ))}
      {children}
    </div>
  );
}

function joinText({ options: { parent, on, pick } }: SourceData): string {
  if (typeof parent !== "string") return "; one row is one record";
  return `; joined to ${parent} on ${joinColumns(on, parent)}${pick === undefined ? "" : ", one row each"}`;
}

/** Formats the columns of a join, as `ACCOUNT_REF` or `CUST_ID = CUSTOMER of accounts`. */
function joinColumns(on: JsonValue | undefined, parent: string): string {
  if (on === undefined || !isJsonObject(on)) return textOf(on);
  return Object.entries(on)
    .map(([own, above]) => `${own} = ${textOf(above)} of ${parent}`)
    .join(", ");
}

interface ColumnListOptions {
  readonly source: SourceData;
  readonly picked: SourceColumn | undefined;
  readonly used: ReadonlySet<string>;
  readonly onPick: (column: SourceColumn | undefined) => void;
}

/**
 * Shows the columns of a source as a list box. Arrow keys move the focus, Enter or the space bar picks a column,
 * Escape cancels the choice, and a letter moves to the next column whose name begins with it.
 */
function ColumnList({ source: { name, columns, rows }, picked, used, onPick }: ColumnListOptions): JSX.Element {
  const [at, setAt] = useState(0);
  const toggle = (column: SourceColumn): void => onPick(isSameColumn(picked, column) ? undefined : column);
  const move = (event: KeyboardEvent, to: number): void => {
    event.preventDefault();
    const next = Math.max(0, Math.min(columns.length - 1, to));
    setAt(next);
    const list = event.currentTarget;
    const option = list instanceof HTMLElement ? list.children[next] : undefined;
    if (option instanceof HTMLElement) option.focus();
  };
  const pressed = (event: KeyboardEvent): void => {
    const column = columns[at];
    if (event.key === "ArrowDown") move(event, at + 1);
    else if (event.key === "ArrowUp") move(event, at - 1);
    else if (event.key === "Home") move(event, 0);
    else if (event.key === "End") move(event, columns.length - 1);
    else if (event.key === "Escape") onPick(undefined);
    else if ((event.key === "Enter" || event.key === " ") && column !== undefined) {
      event.preventDefault();
      toggle({ source: name, column: column.name });
    } else {
      const found = event.key.length === 1 ? foundAfter(columns, at, event.key) : -1;
      if (found >= 0) move(event, found);
    }
  };
  return (
    <ul role="listbox" aria-labelledby={`source-${name}`} class="columns" onKeyDown={pressed}>
      {columns.map((column, index) => {
        const own = { source: name, column: column.name };
        return (
          <li
            key={column.name}
            role="option"
            tabIndex={index === at ? 0 : -1}
            aria-selected={isSameColumn(picked, own)}
            draggable
            onDragStart={(event) => event.dataTransfer?.setData(COLUMN_TYPE, JSON.stringify(own))}
            onFocus={() => setAt(index)}
            onClick={() => toggle(own)}
          >
            <ColumnText column={column} rows={rows} isUsed={used.has(`${name} ${column.name}`)} />
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the index of the next column whose name begins with the letter; -1 if there is none. */
function foundAfter(columns: readonly ColumnData[], at: number, letter: string): number {
  const order = columns.map((_, index) => (at + 1 + index) % columns.length);
  return order.find((index) => columns[index]?.name.toLowerCase().startsWith(letter.toLowerCase())) ?? -1;
}

function ColumnText({
  column: { name, type, filled, distinct, samples, shapes },
  rows,
  isUsed,
}: {
  readonly column: ColumnData;
  readonly rows: number;
  readonly isUsed: boolean;
}): JSX.Element {
  const share = rows === 0 ? 0 : Math.floor((filled / rows) * 100);
  const different =
    distinct === undefined ? "" : distinct === filled ? ", all different" : `, ${formatCount(distinct)} different`;
  const cells = samples.length > 0 ? samples : shapes;
  return (
    <>
      <span class="column-name">
        {name} {isUsed && <span class="tag">used</span>}
      </span>
      <span class="soft">
        {type}, {share}% filled{different}
      </span>
      {cells.length > 0 && <code class="cells">{cells.join("  ·  ")}</code>}
    </>
  );
}
