import type { JSX } from "preact";
import type { JsonValue } from "../../../../json/json-value.ts";
import type { MappingEdit, SourceData } from "../../../mapping/mapping-data.ts";
import { Select } from "../../parts/controls.tsx";
import { textOf } from "./json-text.ts";

interface SourceFormOptions {
  readonly source: SourceData;
  readonly sources: readonly SourceData[];
  readonly onEdit: (edit: MappingEdit, done: string) => void;
}

/** Edits the key and the join of a source: the parent, its column, the order, and the row to use if several match. */
export function SourceForm({ source, sources, onEdit }: SourceFormOptions): JSX.Element {
  const { name, options, columns, keys } = source;
  const { parent } = options;
  const others = sources.map((each) => each.name).filter((each) => each !== name);
  const names = columns.map((column) => column.name);
  const set = (changed: Readonly<Record<string, JsonValue>>): void =>
    onEdit({ kind: "source", name, options: changed }, `The join of ${name} was changed.`);
  const choice = (option: string, label: string, choices: readonly string[], none = "none"): JSX.Element => (
    <Choice
      label={label}
      value={options[option]}
      names={choices}
      none={none}
      onChange={(value) => set({ [option]: value })}
    />
  );
  return (
    <details>
      <summary>
        Join and key<span class="quiet"> of {name}</span>
      </summary>
      {choice("key", "Key: identifies a row", [...keys, ...names.filter((each) => !keys.includes(each))])}
      {others.length > 0 && (
        <Choice
          label="Parent: the source that the rows belong to"
          value={parent}
          names={others}
          none="none: its rows are the records"
          onChange={(value) =>
            set(value === null ? { parent: null, on: null, orderBy: null, pick: null } : { parent: value })
          }
        />
      )}
      {parent !== undefined && (
        <>
          {choice("on", `Column with the key of ${textOf(parent)}`, names)}
          {choice("orderBy", "Order of the rows", names, "as in the file")}
          {choice("pick", "Rows to use for each row of the parent", ["first", "last"], "all")}
        </>
      )}
    </details>
  );
}

interface ChoiceOptions {
  readonly label: string;
  readonly value: JsonValue | undefined;
  readonly names: readonly string[];
  readonly none: string;
  readonly onChange: (value: string | null) => void;
}

/** Shows a list of choices. A value that is not a choice is shown as written. */
function Choice({ label, value, names, none, onChange }: ChoiceOptions): JSX.Element {
  const written = textOf(value);
  const isOther = written !== "" && !names.includes(written);
  const isByHand = isOther && typeof value !== "string";
  return (
    <Select
      label={label}
      value={written}
      choices={[
        ["", none],
        ...(isOther ? [[written, isByHand ? `edited by hand: ${written}` : written] as const] : []),
        ...names,
      ]}
      isDisabled={isByHand}
      onChange={(chosen) => onChange(chosen === "" ? null : chosen)}
    />
  );
}
