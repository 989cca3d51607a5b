import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  FieldData,
  ItemsData,
  MappingData,
  MappingEdit,
  PartCondition,
} from "../../../../mapping/mapping-data.ts";
import { Button } from "../../../parts/button.tsx";
import { ConditionInputs } from "./condition-form.tsx";
import { Select } from "../../../parts/controls.tsx";

interface ListFormOptions {
  readonly field: FieldData;
  readonly view: MappingData;
  readonly onEdit: (edit: MappingEdit, done: string) => void;
}

/** Edits where the items of a list come from: its rows, its parts and their conditions. */
export function ListForm(options: ListFormOptions): JSX.Element {
  const { field, onEdit } = options;
  const { kind, items, condition, path } = field;
  if (path.includes("*"))
    return <p>This list is inside another list without items. Choose the rows of the outer list first.</p>;
  const hasOwnItems = items?.kind !== "none" && items?.kind !== "parts";
  return (
    <>
      <Rows {...options} />
      {condition !== undefined && <Condition {...options} condition={condition} />}
      {condition === undefined && hasOwnItems && <p class="soft">The condition cannot be changed here.</p>}
      {kind === "part" ? (
        <Button onClick={() => onEdit({ kind: "removePart", path }, `${field.name} was removed.`)}>
          Remove this part
        </Button>
      ) : (
        <AddPart {...options} />
      )}
    </>
  );
}

/** Edits the source whose rows become the items of a list or of a part. */
function Rows({ field, view, onEdit }: ListFormOptions): JSX.Element {
  const { entry, path, items, row = "", children } = field;
  if (items === undefined) return <p>Items: {entry?.text ?? `one item, built from the row of ${row}`}.</p>;
  if (items.kind === "parts") return <p>Items: the items of all {children.length} parts, in order.</p>;
  const name = nameOf(field);
  const current = items.kind === "rows" ? items.source : "";
  const sources = childrenOf(items, view);
  const own = items.kind === "none" ? "choose a source, or connect a column to a field in the list" : ownRow(items);
  return (
    <Select
      label="Items: one for each row of"
      value={current}
      choices={[["", own], ...[...new Set([current, ...sources])].filter((each) => each !== "")]}
      onChange={(source) => {
        if (source !== "") onEdit({ kind: "rows", path, source }, `${name} has an item for each row of ${source}.`);
        else if (items.kind === "rows")
          onEdit({ kind: "rows", path, source: null }, `${name} has one item, built from the row itself.`);
      }}
    />
  );
}

function nameOf({ kind, name, attr }: FieldData): string {
  return kind === "part" ? name : attr;
}

function ownRow({ parent = "the list" }: ItemsData): string {
  return `${parent} (one item, built from the row itself)`;
}

/** Returns the sources whose rows can become items: the sources joined to the source of the list. */
function childrenOf({ parent }: ItemsData, view: MappingData): readonly string[] {
  const joined = view.sources.filter(({ options }) => options["parent"] !== undefined);
  return joined.filter(({ options }) => parent === undefined || options["parent"] === parent).map(({ name }) => name);
}

function Condition({
  field,
  view,
  onEdit,
  condition,
}: ListFormOptions & { readonly condition: PartCondition | null }): JSX.Element {
  const set = (when: PartCondition | null): void =>
    onEdit({ kind: "part", path: field.path, when }, `The condition of ${nameOf(field)} was changed.`);
  return <ConditionInputs view={view} row={field.row} when={condition} onChange={set} />;
}

/** Shows a form that adds a part at the end of the list. */
function AddPart({ field, view, onEdit }: ListFormOptions): JSX.Element {
  const [source, setSource] = useState("");
  const [when, setWhen] = useState<PartCondition | null>(null);
  const { items = { kind: "none" as const } } = field;
  const outer = items.parent;
  const add = (): void => {
    const part = { ...(source !== "" && { source }), ...(when !== null && { when }) };
    onEdit(
      { kind: "addPart", path: field.path, ...part },
      `A part was added to ${field.attr}. Fill in its fields now.`,
    );
    setSource("");
    setWhen(null);
  };
  return (
    <details>
      <summary>Add items from other rows</summary>
      <Select
        label="Items: one for each row of"
        value={source}
        choices={[["", ownRow(items)], ...childrenOf(items, view)]}
        onChange={(name) => {
          setSource(name);
          setWhen(null);
        }}
      />
      <ConditionInputs view={view} row={source === "" ? outer : source} when={when} onChange={setWhen} />
      <Button onClick={add}>Add a part</Button>
      <p class="soft">
        To use the rows of a file that is not a source yet, choose “Add a source” below the sources, and join the file
        to {outer ?? "the source of the list"}.
      </p>
    </details>
  );
}
