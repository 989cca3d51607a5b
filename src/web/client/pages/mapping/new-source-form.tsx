import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../../../text/count.ts";
import type { ErrorDetails } from "../../../../model/failure.ts";
import type { MappingData, MappingEdit, NewSource, NewSourceData } from "../../../mapping/mapping-data.ts";
import { postJson } from "../../api.ts";
import { Button } from "../../parts/button.tsx";
import { ErrorNotice } from "../../parts/notice.tsx";
import { detailsOf } from "../../use-data.ts";
import { Select, TextInput } from "../../parts/controls.tsx";
import type { Draft } from "./draft.ts";
import { useFiles } from "./use-files.ts";

interface NewSourceOptions {
  readonly draft: Draft;
  readonly view: MappingData;
  readonly onEdit: (edit: MappingEdit, done: string) => void;
}

/** Adds a file of the project to the mapping as a source that is joined to another source. */
export function NewSourceForm({ draft, view, onEdit }: NewSourceOptions): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [found, setFound] = useState<NewSourceData>();
  const [error, setError] = useState<ErrorDetails>();
  const [isReading, setReading] = useState(false);
  const { text, setup } = draft;
  const fail = (thrown: unknown): void => setError(detailsOf(thrown));
  const { files, error: unread } = useFiles(isOpen, view.sources.length);
  const read = async (file: string): Promise<void> => {
    setFound(undefined);
    setError(undefined);
    if (file === "") return;
    setReading(true);
    const body = { text, showValues: false, file, ...(setup !== undefined && { setup }) };
    await postJson<NewSourceData>("/api/mapping/source", body).then(setFound, fail);
    setReading(false);
  };
  const used = new Set(view.sources.flatMap((source) => source.files.map((file) => file.replace(/^\.\//, ""))));
  const free = files.sources.filter((file) => ![...used].some((own) => own === file || own.endsWith(`/${file}`)));
  return (
    <details
      class="new-source"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
        if (currentTarget.open) currentTarget.scrollIntoView({ block: "nearest" });
      }}
    >
      <summary>Add a source</summary>
      <Select
        label="File"
        value=""
        choices={[["", free.length === 0 ? "no other file in the folder" : "choose a file"], ...free]}
        onChange={(file) => void read(file)}
      />
      <p role="status">{isReading && "Reading the file…"}</p>
      {error !== undefined && <ErrorNotice error={error} />}
      {unread !== undefined && <ErrorNotice error={unread} />}
      {found !== undefined && (
        <Join
          key={found.file}
          found={found}
          view={view}
          onAdd={(added) => {
            setFound(undefined);
            onEdit({ kind: "addSource", ...added }, `The source ${added.name} was added.`);
          }}
        />
      )}
    </details>
  );
}

interface JoinOptions {
  readonly found: NewSourceData;
  readonly view: MappingData;
  readonly onAdd: (added: NewSource) => void;
}

/** Edits the join of a new source. Starts with the columns whose values match best. */
function Join({ found, view, onAdd }: JoinOptions): JSX.Element {
  const { rows, columns, keys, join } = found;
  const [made, setMade] = useState<NewSource>(() => startOf(found, view));
  const { name, parent, column, parentColumn, key = "" } = made;
  const set = (changed: Partial<NewSource>): void => setMade((before) => ({ ...before, ...changed }));
  const parentColumns = view.sources.find((source) => source.name === parent)?.columns ?? [];
  return (
    <>
      <p class="soft">
        {counted(rows, "row")}.{" "}
        {join === undefined
          ? "No column matches a key of another source: choose the columns yourself."
          : "The selected columns are the best match."}
      </p>
      <TextInput
        label="Name"
        hint={isTaken(made, view) ? "a source with this name already exists" : "without dots and spaces"}
        value={name}
        onChange={(next) => set({ name: next })}
      />
      <Select
        label="Parent: the source that the rows belong to"
        value={parent}
        choices={view.sources.map((source) => source.name)}
        onChange={(next) => set({ parent: next, parentColumn: "" })}
      />
      <Select
        label={`Column of ${parent}`}
        value={parentColumn}
        choices={[["", "choose a column"], ...parentColumns.map((each) => each.name)]}
        onChange={(next) => set({ parentColumn: next })}
      />
      <Select
        label={`has the same value as the column of ${name}`}
        value={column}
        choices={[["", "choose a column"], ...columns]}
        onChange={(next) => set({ column: next })}
      />
      <Select
        label="Key: identifies a row"
        value={key}
        choices={[["", "none"], ...keys, ...columns.filter((each) => !keys.includes(each))]}
        onChange={(next) => set({ key: next === "" ? undefined : next })}
      />
      <Button isDisabled={!isComplete(made, view)} onClick={() => onAdd(made)}>
        Add this source
      </Button>
    </>
  );
}

function startOf({ name, file, join }: NewSourceData, { sources }: MappingData): NewSource {
  return { name, file, ...(join ?? { parent: sources[0]?.name ?? "", column: "", parentColumn: "" }) };
}

function isTaken({ name }: NewSource, { sources }: MappingData): boolean {
  return sources.some((source) => source.name === name);
}

function isComplete(made: NewSource, view: MappingData): boolean {
  return /^[^.\s]+$/.test(made.name) && !isTaken(made, view) && made.column !== "" && made.parentColumn !== "";
}
