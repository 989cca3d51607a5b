import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { counted, formatCount } from "../../../../text/count.ts";
import type { FixCause, FixOverview, RowFilter, ValueCount } from "../../../fix/fix-types.ts";
import { getJson, queryOf } from "../../api.ts";
import { usePage } from "../../page-context.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/controls.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { Session } from "./use-session.ts";

interface ReplaceOptions {
  readonly state: FixOverview;
  readonly filter: RowFilter;
  readonly cause: FixCause;
  readonly session: Session;
  /** The active column. */
  readonly column: number | undefined;
  readonly onClose: () => void;
}

/** Shows a dialog that replaces one value, or all values, of a column in the open rows of a cause. */
export function ReplaceDialog(options: ReplaceOptions): JSX.Element {
  const { state, filter, cause, session, onClose } = options;
  const source = state.sources[filter.source];
  const rows = cause.rows.find((each) => each.source === filter.source);
  const [column, setColumn] = useState(rows?.column ?? options.column ?? 0);
  const [from, setFrom] = useState<string | null>(null);
  const [value, setValue] = useState("");
  const values = useValues({ ...options, column });
  useEffect(() => setFrom(null), [column]);
  const seen = useSeen(session);
  const open = rows?.open ?? 0;
  const count = from === null ? open : countOf(from, values);
  const replace = (): void => {
    const where = `${source?.columns[column]} in ${counted(count, "row")}`;
    void session.send("replace", { ...filter, column, from, value, seen: seen.current }, { where, value });
    onClose();
  };
  return (
    <Dialog title="Replace in all rows with this cause" onClose={onClose}>
      <p>
        {cause.title}: {counted(open, "open row")} of {source?.name}. One undo restores all of them.
      </p>
      <Select
        label="Column"
        value={String(column)}
        choices={source?.columns.map((name, index) => [String(index), name]) ?? []}
        onChange={(index) => setColumn(Number(index))}
      />
      <ReplacedValue from={from} values={values} onChange={setFrom} />
      <NewValue value={value} choices={source?.choices[column]} onChange={setValue} />
      <div class="actions">
        <Button kind="main" isDisabled={count === 0} onClick={replace}>
          Replace in {counted(count, "row")}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}

function countOf(from: string, values: readonly ValueCount[]): number {
  return values.find(({ value }) => value === from)?.count ?? 0;
}

interface ReplacedValueOptions {
  /** The value to replace; null for all values. */
  readonly from: string | null;
  readonly values: readonly ValueCount[];
  readonly onChange: (from: string | null) => void;
}

function ReplacedValue({ from, values, onChange }: ReplacedValueOptions): JSX.Element {
  const { areValuesShown } = usePage();
  return (
    <>
      <Select
        label="Value to replace"
        value={from === null ? "all" : String(values.findIndex(({ value }) => value === from))}
        choices={[["all", "all values"], ...values.map((each, index) => [String(index), valueText(each)] as const)]}
        onChange={(index) => onChange(values[Number(index)]?.value ?? null)}
      />
      {!areValuesShown && <p class="soft">Turn on “Show values” to choose one of the values.</p>}
    </>
  );
}

interface NewValueOptions {
  readonly value: string;
  /** The values that the column can have; undefined if they are not all known. */
  readonly choices: readonly string[] | undefined;
  readonly onChange: (value: string) => void;
}

function NewValue({ value, choices, onChange }: NewValueOptions): JSX.Element {
  return (
    <>
      <label class="field">
        New value
        <input
          value={value}
          autocomplete="off"
          list={choices === undefined ? undefined : "replace-choices"}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </label>
      {choices !== undefined && (
        <datalist id="replace-choices">
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </>
  );
}

/**
 * Keeps a draft while the dialog is open. Returns a reference to the number of the last change that the tab had
 * received when the dialog opened.
 */
function useSeen(session: Session): { readonly current: number | undefined } {
  const seen = useRef<number | undefined>(undefined);
  useEffect(() => {
    const draft = session.startDraft();
    seen.current = draft.seen;
    return draft.end;
  }, []);
  return seen;
}

/** Returns the most frequent values of a column in the open rows. Returns no values while values are hidden. */
function useValues(options: ReplaceOptions & { readonly column: number }): readonly ValueCount[] {
  const { state, filter, column, session } = options;
  const { areValuesShown } = usePage();
  const [values, setValues] = useState<readonly ValueCount[]>([]);
  useEffect(() => {
    setValues([]);
    if (!areValuesShown) return undefined;
    const ending = new AbortController();
    const query = queryOf({ ...filter, column, session: state.session, values: "shown" });
    getJson<readonly ValueCount[]>(`/api/fix/values?${query}`, ending.signal).then(setValues, (error: unknown) => {
      if (!ending.signal.aborted) session.fail(error);
    });
    return () => ending.abort();
  }, [column, areValuesShown]);
  return values;
}

function valueText({ value, count }: ValueCount): string {
  const shown = value.length > 60 ? `${value.slice(0, 59)}…` : value;
  return `${shown === "" ? "(empty)" : shown} (${formatCount(count)})`;
}
