import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../../../../text/count.ts";
import type { CellText, FixMark, FixRow, FixSource, RowFilter } from "../../../fix/fix-types.ts";
import { getJson } from "../../api.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import { momentText } from "../../parts/time.ts";
import type { Draft } from "./drafts.ts";
import type { ActiveCell } from "./grid-options.ts";
import { restoreLineEndings } from "./line-endings.ts";
import { saveOnLeave } from "./save-on-leave.ts";
import { symbolFor } from "./grid-cells.ts";
import { subjectOf } from "./unsaved.ts";
import type { Session } from "./use-session.ts";

interface DetailsOptions {
  readonly active: ActiveCell | undefined;
  readonly source: FixSource;
  readonly filter: RowFilter;
  readonly session: Session;
  /** The id of the session. */
  readonly id: string;
}

/**
 * Saves a value of the active cell; null restores the extract's value. Returns false if the request fails.
 * @param draft the draft of a typed value
 */
type SaveCell = (value: string | null, draft?: Draft) => Promise<boolean>;

/** Shows the problems of the active cell and its row, and how to fix them. */
export function CellDetails({ active, source, filter, session, id }: DetailsOptions): JSX.Element {
  if (active?.row === undefined)
    return <div class="card fix-details soft">Choose a cell to see what is wrong with it.</div>;
  const { row, position, column } = active;
  const own = row.marks.filter((mark) => column !== undefined && mark.column === column);
  const others = row.marks.filter((mark) => !own.includes(mark));
  const save: SaveCell = async (value, draft) => {
    if (column === undefined) return true;
    const cells = [{ position, column, value }];
    const body = { ...filter, cells, ...(draft && { seen: draft.seen }) };
    return session.send(
      "edits",
      body,
      subjectOf(cells, source.columns, () => row.key),
    );
  };
  return (
    <div class="card fix-details">
      <h2>
        {column === undefined ? "The row" : source.columns[column]}{" "}
        <span class="soft">of {row.key || "a row without a key"}</span>
      </h2>
      <Place row={row} column={column} />
      <Marks marks={own} />
      {column !== undefined && <Actions row={row} column={column} {...{ source, session, id }} onSave={save} />}
      {others.length > 0 && (
        <>
          <h3>Elsewhere in this row</h3>
          <Marks marks={others} columns={source.columns} />
        </>
      )}
    </div>
  );
}

function Place({ row, column }: { readonly row: FixRow; readonly column: number | undefined }): JSX.Element {
  const edit = row.edited.find((each) => each.column === column);
  return (
    <>
      <p class="soft">
        {row.file}:{row.line}
        {edit !== undefined && ` · corrected by ${edit.by}, ${momentText(edit.at)}`}
      </p>
      {row.locked !== undefined && <p class="fix-locked">{row.locked}</p>}
      {row.state === "recheck" && (
        <p>
          A value that is used to join, order or identify rows was changed in this record. The effect of the change is
          known only after all records are checked. Check again.
        </p>
      )}
    </>
  );
}

interface ActionOptions {
  readonly row: FixRow;
  readonly column: number;
  readonly source: FixSource;
  readonly session: Session;
  /** The id of the session. */
  readonly id: string;
  readonly onSave: SaveCell;
}

function Actions({ row, column, source, session, id, onSave }: ActionOptions): JSX.Element {
  const { areValuesShown } = usePage();
  const choices = row.locked === undefined ? source.choices[column] : undefined;
  const isCorrected = row.edited.some((each) => each.column === column);
  return (
    <>
      {choices !== undefined && (
        <div class="actions" role="group" aria-label="Possible values">
          <span class="soft">Possible values:</span>
          {choices.slice(0, 20).map((value) => (
            <Button key={value} onClick={() => void onSave(value)}>
              {value === "" ? "(empty)" : value}
            </Button>
          ))}
        </div>
      )}
      {areValuesShown && row.cut?.includes(column) === true && (
        <LongValue key={`${row.id} ${column}`} {...{ row, column, session, id, onSave }} />
      )}
      {isCorrected && <Button onClick={() => void onSave(null)}>Restore the value from the extract</Button>}
    </>
  );
}

interface MarksOptions {
  readonly marks: readonly FixMark[];
  /** The column names, set if the marks belong to several columns. */
  readonly columns?: readonly string[];
}

function Marks({ marks, columns }: MarksOptions): JSX.Element {
  return (
    <ul class="fix-marks">
      {marks.map((mark, index) => {
        const [style, symbol] = symbolFor(mark);
        return (
          <li key={index}>
            <span class={`symbol ${style}`} aria-hidden="true">
              {symbol}
            </span>{" "}
            {mark.column !== undefined && columns !== undefined && <strong>{columns[mark.column]}: </strong>}
            {mark.by === "platform" && "The platform: "}
            {mark.message} <span class="soft">{mark.advice}</span>
          </li>
        );
      })}
    </ul>
  );
}

type LongValueOptions = Omit<ActionOptions, "source">;

/**
 * Shows and edits a value that is too long for the grid. Saves typed text when the user leaves the text area. If
 * someone else changes the cell, or the request fails, keeps the typed text.
 */
function LongValue({ row, column, session, id, onSave }: LongValueOptions): JSX.Element | null {
  const [saved, setSaved] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const draft = useRef<Draft | undefined>(undefined);
  const edit = row.edited.find((each) => each.column === column);
  const isTyping = typed !== undefined;
  useEffect(() => {
    if (isTyping) return undefined;
    const ending = new AbortController();
    getJson<CellText>(`/api/fix/cell?session=${id}&row=${row.id}&column=${column}`, ending.signal).then(
      ({ value }) => setSaved(value),
      () => undefined,
    );
    return () => ending.abort();
  }, [row.cells[column], edit?.by, edit?.at, isTyping]);
  const text = typed ?? saved ?? "";
  const type = (value: string): void => {
    draft.current ??= session.startDraft();
    setTyped(value);
  };
  const save = async (): Promise<void> => {
    const own = draft.current;
    draft.current = undefined;
    const isAnswered = await onSave(restoreLineEndings(text, saved ?? ""), own);
    own?.end();
    // The user may have typed more in the meantime.
    if (isAnswered) setTyped((now) => (now === text ? undefined : now));
  };
  const latest = useRef(save);
  latest.current = save;
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const saveDraft = (): void => {
      if (draft.current !== undefined) void latest.current();
    };
    saveOnLeave(() => area.current, saveDraft, leaving.signal);
    return () => {
      leaving.abort();
      saveDraft();
    };
  }, []);
  if (saved === undefined) return null;
  return (
    <div ref={area}>
      <label class="field">
        The complete value, {formatCount(text.length)} characters
        <textarea rows={4} value={text} onInput={(event) => type(event.currentTarget.value)} />
      </label>
      <Button onClick={() => void save()}>Save</Button>
    </div>
  );
}
