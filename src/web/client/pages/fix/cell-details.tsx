import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatCount } from "../../../../text/count.ts";
import type { CellText, FixMark, FixRow, FixSource, RowFilter } from "../../../fix/fix-types.ts";
import { getJson } from "../../api.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import type { ActiveCell } from "./grid-options.ts";
import { symbolFor } from "./grid-cells.ts";
import type { Session } from "./use-session.ts";

interface DetailsOptions {
  readonly active: ActiveCell | undefined;
  readonly source: FixSource;
  readonly filter: RowFilter;
  readonly session: Session;
  /** The id of the session. */
  readonly id: string;
}

/** Shows the problems of the active cell and its row, and how to fix them. */
export function CellDetails({ active, source, filter, session, id }: DetailsOptions): JSX.Element {
  if (active?.row === undefined)
    return <div class="card fix-details soft">Choose a cell to see what is wrong with it.</div>;
  const { row, position, column } = active;
  const own = row.marks.filter((mark) => column !== undefined && mark.column === column);
  const others = row.marks.filter((mark) => !own.includes(mark));
  const save = (value: string | null): void => {
    if (column !== undefined) void session.send("edits", { ...filter, cells: [{ position, column, value }] });
  };
  return (
    <div class="card fix-details">
      <h2>
        {column === undefined ? "The row" : source.columns[column]}{" "}
        <span class="soft">of {row.key || "a row without a key"}</span>
      </h2>
      <Place row={row} column={column} />
      <Marks marks={own} />
      {column !== undefined && <Actions row={row} column={column} source={source} id={id} onSave={save} />}
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
        {edit !== undefined && ` · corrected by ${edit.by}, ${edit.at.slice(0, 16).replace("T", " ")} UTC`}
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
  /** The id of the session. */
  readonly id: string;
  /** Receives the new value; null restores the extract's value. */
  readonly onSave: (value: string | null) => void;
}

function Actions({ row, column, source, id, onSave }: ActionOptions): JSX.Element {
  const choices = row.locked === undefined ? source.choices[column] : undefined;
  const isCorrected = row.edited.some((each) => each.column === column);
  return (
    <>
      {choices !== undefined && (
        <div class="actions" role="group" aria-label="Possible values">
          <span class="soft">Possible values:</span>
          {choices.slice(0, 20).map((value) => (
            <Button key={value} onClick={() => onSave(value)}>
              {value === "" ? "(empty)" : value}
            </Button>
          ))}
        </div>
      )}
      {row.cut?.includes(column) === true && <LongValue row={row} column={column} id={id} onSave={onSave} />}
      {isCorrected && <Button onClick={() => onSave(null)}>Restore the value from the extract</Button>}
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

interface LongValueOptions {
  readonly row: FixRow;
  readonly column: number;
  readonly id: string;
  readonly onSave: (value: string) => void;
}

/** Shows and edits a value that is too long for the grid. Shows nothing while values are hidden. */
function LongValue({ row, column, id, onSave }: LongValueOptions): JSX.Element | null {
  const { areValuesShown } = usePage();
  const [text, setText] = useState<string>();
  useEffect(() => {
    setText(undefined);
    if (!areValuesShown) return undefined;
    const ending = new AbortController();
    getJson<CellText>(`/api/fix/cell?session=${id}&row=${row.id}&column=${column}`, ending.signal).then(
      ({ value }) => setText(value),
      () => undefined,
    );
    return () => ending.abort();
  }, [row, column, areValuesShown]);
  if (text === undefined) return null;
  return (
    <>
      <label class="field">
        The complete value, {formatCount(text.length)} characters
        <textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <Button onClick={() => onSave(text)}>Save</Button>
    </>
  );
}
