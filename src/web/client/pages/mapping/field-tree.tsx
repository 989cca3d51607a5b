import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EntryData, FieldData, MappingData, SourceColumn } from "../../../mapping/mapping-data.ts";
import { isLeaf, isSameColumn, keyOf, openFields, scoreText, type TreeRow, treeRows } from "./fields.ts";
import { textOf } from "./json-text.ts";
import { COLUMN_TYPE } from "./source-list.tsx";

interface FieldTreeOptions {
  readonly view: MappingData;
  /** The key of the selected field. */
  readonly selected: string | undefined;
  readonly picked: SourceColumn | undefined;
  readonly onSelect: (field: FieldData) => void;
  readonly onConnect: (field: FieldData, column: SourceColumn) => void;
  readonly onDisconnect: (field: FieldData) => void;
  readonly onCancel: () => void;
}

/**
 * Shows the fields as a tree with one tab stop. Enter connects the picked column to a field, and Delete disconnects the
 * field. Arrow keys move the focus, and open and close objects.
 */
export function FieldTree(options: FieldTreeOptions): JSX.Element {
  const { view, selected, picked, onSelect, onConnect, onDisconnect, onCancel } = options;
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [search, setSearch] = useState("");
  const tree = useRef<HTMLDivElement>(null);
  const rows = treeRows(view.fields, { opened, search });
  const missing = new Set(openFields(view.fields).map(keyOf));
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === selected),
  );
  useRevealed(selected, { view, isShown: rows.some(({ key }) => key === selected), open: setOpened, tree });
  const focusRow = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    onSelect(row.field);
    rowIn(tree.current, row.key)?.focus();
  };
  const open = ({ key }: TreeRow, isOpen: boolean): void => setOpened((before) => new Map(before).set(key, isOpen));
  const take = (row: TreeRow): void => {
    if (picked !== undefined && isLeaf(row.field)) onConnect(row.field, picked);
    else onSelect(row.field);
  };
  const pressed = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (row === undefined) return;
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focusRow(at + 1),
      ArrowUp: () => focusRow(at - 1),
      Home: () => focusRow(0),
      End: () => focusRow(rows.length - 1),
      ArrowRight: () => (row.isOpen ? focusRow(at + 1) : open(row, row.field.children.length > 0)),
      ArrowLeft: () => (row.isOpen ? open(row, false) : focusRow(rows.findIndex(({ key }) => key === row.parent))),
      Enter: () => take(row),
      " ": () => take(row),
      Delete: () => row.field.entry?.leaf !== undefined && onDisconnect(row.field),
      Escape: onCancel,
    };
    const action = actions[event.key];
    if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
  return (
    <>
      <label class="field">
        Find a field
        <input type="search" value={search} onInput={({ currentTarget }) => setSearch(currentTarget.value)} />
      </label>
      <div ref={tree} role="tree" aria-labelledby="fields-title" class="tree" onKeyDown={pressed}>
        {rows.map((row, index) => (
          <Row
            key={row.key}
            row={row}
            isActive={index === at}
            isSelected={row.key === selected}
            isMissing={missing.has(row.key)}
            picked={picked}
            onTake={() => take(row)}
            onToggle={() => open(row, !row.isOpen)}
            onDrop={(column) => onConnect(row.field, column)}
          />
        ))}
      </div>
      {rows.length === 0 && <p class="soft">No field matches.</p>}
    </>
  );
}

function rowIn(tree: HTMLElement | null, key: string): HTMLElement | undefined {
  const rows = [...(tree?.children ?? [])].filter((each) => each instanceof HTMLElement);
  return rows.find(({ dataset }) => dataset["key"] === key);
}

interface RevealOptions {
  readonly view: MappingData;
  readonly isShown: boolean;
  readonly open: (change: (before: ReadonlyMap<string, boolean>) => ReadonlyMap<string, boolean>) => void;
  readonly tree: { readonly current: HTMLElement | null };
}

/** Opens the objects that contain a field that was selected outside the tree, and scrolls to the field. */
function useRevealed(selected: string | undefined, { view, isShown, open, tree }: RevealOptions): void {
  useEffect(() => {
    if (selected === undefined) return;
    if (!isShown) {
      const around = keysAround(view.fields, selected);
      open((before) => new Map([...before, ...around.map((key): [string, boolean] => [key, true])]));
    }
    requestAnimationFrame(() => rowIn(tree.current, selected)?.scrollIntoView({ block: "nearest" }));
  }, [selected]);
}

function keysAround(fields: readonly FieldData[], key: string): readonly string[] {
  for (const field of fields) {
    const own = keyOf(field);
    if (own === key) return [own];
    const below = keysAround(field.children, key);
    if (below.length > 0) return [own, ...below];
  }
  return [];
}

interface FillingOptions {
  /** Whether the field is required within the objects that are sent, and no entry fills it. */
  readonly isMissing: boolean;
  readonly picked: SourceColumn | undefined;
}

interface RowOptions extends FillingOptions {
  readonly row: TreeRow;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onTake: () => void;
  readonly onToggle: () => void;
  readonly onDrop: (column: SourceColumn) => void;
}

function Row({ row, isActive, isSelected, isMissing, picked, onTake, onToggle, onDrop }: RowOptions): JSX.Element {
  const [isOver, setOver] = useState(false);
  const { key, field, level, isOpen, position, size } = row;
  const hasChildren = field.children.length > 0;
  const takes = (event: DragEvent): boolean =>
    isLeaf(field) && event.dataTransfer?.types.includes(COLUMN_TYPE) === true;
  return (
    <div
      role="treeitem"
      data-key={key}
      class={isOver ? "row over" : "row"}
      style={{ "--level": level }}
      tabIndex={isActive ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? isOpen : undefined}
      onClick={onTake}
      onDblClick={hasChildren ? onToggle : undefined}
      onDragOver={(event) => {
        if (!takes(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        const column = columnIn(event);
        if (!takes(event) || column === undefined) return;
        event.preventDefault();
        onDrop(column);
      }}
    >
      <span
        class="toggle"
        aria-hidden="true"
        onClick={(event) => {
          if (!hasChildren) return;
          event.stopPropagation();
          onToggle();
        }}
      >
        {hasChildren ? (isOpen ? "▾" : "▸") : ""}
      </span>
      <span class="name">
        {field.name}
        {field.required && <span class="required"> required</span>}
      </span>
      <Filling field={field} isMissing={isMissing} picked={picked} />
    </div>
  );
}

function columnIn(event: DragEvent): SourceColumn | undefined {
  const text = event.dataTransfer?.getData(COLUMN_TYPE) ?? "";
  if (text === "") return undefined;
  const column: SourceColumn = JSON.parse(text);
  return column;
}

/** Shows the entry that fills the field, or suggests the column that fits best. */
function Filling({ field, isMissing, picked }: FillingOptions & { readonly field: FieldData }): JSX.Element {
  const { entry, suggestions, kind } = field;
  const fit = picked && suggestions.find((each) => isSameColumn(picked, each));
  if (!isLeaf(field)) {
    return <span class="filling soft">{kind === "hand" ? "edited by hand" : (entry?.text ?? "")}</span>;
  }
  return (
    <span class="filling">
      {fit !== undefined && <span class="tag fit">fits {scoreText(fit.score)}</span>}
      {entry === undefined ? (
        fit === undefined && <Unfilled suggestions={suggestions} isMissing={isMissing} />
      ) : (
        <Entry entry={entry} />
      )}
    </span>
  );
}

interface UnfilledOptions {
  readonly suggestions: FieldData["suggestions"];
  readonly isMissing: boolean;
}

function Unfilled({ suggestions, isMissing }: UnfilledOptions): JSX.Element {
  const [best] = suggestions;
  const nothing = isMissing ? "nothing fills it" : "";
  const text = best === undefined ? nothing : `perhaps ${best.column} ${scoreText(best.score)}`;
  return <span class={isMissing ? "open" : "soft"}>{text}</span>;
}

function Entry({ entry: { columns, score, leaf } }: { readonly entry: EntryData }): JSX.Element {
  if (leaf === undefined) return <span class="soft">edited by hand</span>;
  const names = columns.map(({ column }) => column).join(" + ");
  const called = leaf["call"];
  return (
    <>
      {(names !== "" || called === undefined) && (
        <span class="from">{names === "" ? `constant ${textOf(leaf["value"])}` : names}</span>
      )}
      {called !== undefined && <span class="soft">function {textOf(called)}</span>}
      {score !== undefined && (
        <span class={score < LOW_SCORE ? "score low" : "score"}>
          <span class="quiet">score </span>
          {scoreText(score)}
        </span>
      )}
    </>
  );
}

const LOW_SCORE = 0.6;
