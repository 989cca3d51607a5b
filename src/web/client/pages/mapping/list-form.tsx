import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FieldData, MappingData, MappingEdit, PartCondition } from "../../../mapping/mapping-data.ts";
import { Button } from "../../parts/button.tsx";
import { Select, TextInput } from "./controls.tsx";
import { textOf } from "./json-text.ts";

interface ListFormOptions {
  readonly field: FieldData;
  readonly view: MappingData;
  readonly onEdit: (edit: MappingEdit, done: string) => void;
}

/** Where the items of a list come from: its rows, its parts and their conditions. */
export function ListForm(options: ListFormOptions): JSX.Element {
  const { field, onEdit } = options;
  if (field.path.includes("*"))
    return <p>This list is inside another list without items. Choose the rows of the outer list first.</p>;
  return (
    <>
      <Rows {...options} />
      {field.condition !== undefined && <Condition {...options} condition={field.condition} />}
      {field.kind === "part" && field.condition === undefined && (
        <p class="soft">{isPlain(field) ? PLAIN : "Its condition is edited by hand"}</p>
      )}
      {field.kind === "part" ? (
        <Button onClick={() => onEdit({ kind: "removePart", path: field.path }, `${field.name} is removed.`)}>
          Remove this part
        </Button>
      ) : (
        <AddPart {...options} />
      )}
    </>
  );
}

const PLAIN =
  "It is built from each row. To limit it to some rows, add a part with a condition and remove this one, or write `when` and `item` in the file.";

function isPlain({ entry }: FieldData): boolean {
  return entry === undefined || entry.text === "";
}

/** The source whose rows become the items of a list with one part. */
function Rows({ field, view, onEdit }: ListFormOptions): JSX.Element {
  const { entry, path, attr, kind } = field;
  const current = rowsOf(field);
  if (kind === "list" && field.children.some((child) => child.kind === "part"))
    return <p>Items: those of its {field.children.length} parts, one after another.</p>;
  if (current === undefined)
    return <p>Items: {isPlain(field) ? `one item, built from the row of ${field.row ?? ""}` : entry?.text}.</p>;
  return (
    <label class="field">
      Items: one for each row of
      <select
        value={current}
        onChange={({ currentTarget: { value } }) => {
          if (value === "") return;
          onEdit({ kind: "rows", path, source: value }, `${attr} has an item for each row of ${value}.`);
        }}
      >
        {current === "" && <option value="">choose a source, or connect a column to a field of the list</option>}
        {childrenOf(field, view).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** The source of the items; empty for a list that the mapping does not have; undefined if it cannot be chosen. */
function rowsOf({ kind, entry, children }: FieldData): string | undefined {
  if (kind !== "list") return undefined;
  if (entry !== undefined) return /^each row of (?<source>[^;]+)$/.exec(entry.text)?.groups?.["source"];
  return children.every((child) => child.path.includes("*")) ? "" : undefined;
}

/** The source whose row has the list. */
function outerRow(field: FieldData, { sources }: MappingData): string | undefined {
  const own = rowsOf(field) ?? "";
  const parent = sources.find(({ name }) => name === own)?.options["parent"];
  return typeof parent === "string" ? parent : field.row;
}

/** The sources whose rows can become items: those that are joined to the source of the list. */
function childrenOf(field: FieldData, view: MappingData): readonly string[] {
  const outer = outerRow(field, view);
  const joined = view.sources.filter(({ options: { parent } }) => parent !== undefined);
  return joined.filter(({ options: { parent } }) => outer === undefined || parent === outer).map(({ name }) => name);
}

function columnsOf({ sources }: MappingData, source: string | undefined): readonly string[] {
  return sources.find(({ name }) => name === source)?.columns.map(({ name }) => name) ?? [];
}

/** Applied when a column is chosen and values are typed. */
function Condition({
  field,
  view,
  onEdit,
  condition,
}: ListFormOptions & { readonly condition: PartCondition | null }): JSX.Element {
  const isPart = field.kind === "part";
  const set = (when: PartCondition | null): void =>
    onEdit(
      { kind: "part", path: field.path, when },
      `The condition of ${isPart ? field.name : field.attr} is changed.`,
    );
  return <ConditionInputs view={view} row={field.row} when={condition} onChange={set} />;
}

interface ConditionOptions {
  readonly view: MappingData;
  readonly row: string | undefined;
  readonly when: PartCondition | null;
  readonly onChange: (when: PartCondition | null) => void;
}

function ConditionInputs({ view, row, when, onChange }: ConditionOptions): JSX.Element {
  const own = columnsOf(view, row);
  const column = when?.column ?? "";
  const names = column === "" || own.includes(column) ? own : [column, ...own];
  const found = view.sources.find(({ name }) => name === row)?.columns.find(({ name }) => name === column);
  const codes = found?.codes?.map(({ code }) => code).slice(0, SHOWN_CODES) ?? [];
  return (
    <>
      <Select
        label="Only rows where"
        value={column}
        choices={[["", "all rows"], ...names.map((name): [string, string] => [name, name])]}
        onChange={(name) => onChange(name === "" ? null : { column: name, in: when?.in ?? [""] })}
      />
      {when !== null && (
        <TextInput
          label="is one of"
          hint={codes.length > 0 ? `separated by commas; cells: ${codes.join(", ")}` : "separated by commas"}
          value={when.in.join(", ")}
          onChange={(text) => onChange({ column, in: text.split(",").map((each) => each.trim()) })}
        />
      )}
    </>
  );
}

const SHOWN_CODES = 10;

/** A form that adds a part after the others. */
function AddPart({ field, view, onEdit }: ListFormOptions): JSX.Element {
  const [source, setSource] = useState("");
  const [when, setWhen] = useState<PartCondition | null>(null);
  const outer = outerRow(field, view);
  const add = (): void => {
    const part = { ...(source !== "" && { source }), ...(when !== null && { when }) };
    onEdit({ kind: "addPart", path: field.path, ...part }, `${field.attr} has another part. Fill its fields now.`);
    setSource("");
    setWhen(null);
  };
  return (
    <details>
      <summary>Add items from other rows</summary>
      <Select
        label="Items: one for each row of"
        value={source}
        choices={[
          ["", `${outer ?? "the list"} (one item of the row itself)`],
          ...childrenOf(field, view).map((name): [string, string] => [name, name]),
        ]}
        onChange={(name) => {
          setSource(name);
          setWhen(null);
        }}
      />
      <ConditionInputs view={view} row={source === "" ? outer : source} when={when} onChange={setWhen} />
      <Button onClick={add}>Add a part</Button>
      <p class="soft">
        To use the rows of a file that is not a source yet, choose “Add a source” below the sources, and join it to{" "}
        {textOf(outer) || "the source of the list"}.
      </p>
    </details>
  );
}
