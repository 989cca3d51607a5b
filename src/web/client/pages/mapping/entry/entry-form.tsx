import type { JSX } from "preact";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../../json/json-value.ts";
import type { ColumnData, MappingData, SourceColumn } from "../../../../mapping/mapping-data.ts";
import { ConditionInputs } from "./condition-form.tsx";
import { Select, TextInput } from "../../../parts/controls.tsx";
import { textOf, textsOf } from "../json-text.ts";
import { Conversion, TextOption } from "./conversion-form.tsx";
import { FunctionChoice } from "./function-form.tsx";
import { asWritten, type EntryFormOptions, type LeafForm } from "./leaf-form.ts";
import { Replacements } from "./replace-form.tsx";

/** Edits the options of an entry. A text input takes effect when the user leaves it or presses Enter. */
export function EntryForm(options: EntryFormOptions): JSX.Element {
  const { field, view, onSet } = options;
  const { entry } = field;
  const leaf = entry?.leaf ?? {};
  const change: LeafForm["change"] = (changed) =>
    onSet((current) => defined({ ...current, ...(typeof changed === "function" ? changed(current) : changed) }));
  const [first] = entry?.columns ?? [];
  const form = { ...options, leaf, change, column: first && columnData(view, first) };
  if (entry === undefined) {
    return (
      <>
        <Constant {...form} label="Or the same value in all records" />
        <Computed {...form} />
      </>
    );
  }
  const isCalled = leaf["call"] !== undefined;
  if (leaf["from"] === undefined && !isCalled) {
    return (
      <>
        <Constant {...form} label="The same value in all records" />
        <Condition {...form} />
      </>
    );
  }
  return (
    <>
      <Columns {...form} />
      {leaf["from"] === undefined ? (
        <FunctionChoice {...form} />
      ) : (
        <>
          <Replacements {...form} />
          <Conversion {...form} />
        </>
      )}
      {field.kind === "values" && (
        <TextOption {...form} name="split" label="Split the cell at" hint="if a cell contains several values" />
      )}
      {field.kind === "value" && <Constant {...form} name="default" label="Value for an empty cell" />}
      <Condition {...form} />
    </>
  );
}

/** Selects a function that computes the value from the entire row. */
function Computed({ view: { functions }, onSet }: LeafForm): JSX.Element {
  const { names = [] } = functions ?? {};
  if (names.length === 0) return <></>;
  return (
    <Select
      label="Or a function that receives the row"
      value=""
      choices={[["", "none"], ...names]}
      onChange={(name) => name !== "" && onSet(() => ({ call: name }))}
    />
  );
}

function defined(options: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const made: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(options)) if (value !== undefined) made[name] = value;
  return made;
}

function columnData(view: MappingData, { source, column }: SourceColumn): ColumnData | undefined {
  return view.sources.find(({ name }) => name === source)?.columns.find(({ name }) => name === column);
}

/** Edits a constant: a choice from the contract, true or false, or any text. */
function Constant({
  field: { valueKind, choices },
  leaf,
  change,
  onSet,
  label,
  name = "value",
}: LeafForm & { readonly label: string; readonly name?: "value" | "default" }): JSX.Element {
  const value = leaf[name];
  const written = textOf(value);
  const set = (text: string): void => {
    const made = text === "" ? undefined : valueKind === "boolean" ? text === "true" : text;
    if (name === "default") change({ default: made });
    else if (made !== undefined) onSet((current) => defined({ when: current["when"], value: made }));
  };
  const listed = valueKind === "boolean" ? ["true", "false"] : choices;
  if (listed === undefined) return <TextInput label={label} value={written} onChange={set} />;
  const all = written === "" || listed.includes(written) ? listed : [written, ...listed];
  return <Select label={label} value={written} choices={[["", "none"], ...all]} onChange={set} />;
}

/** Edits the columns that fill the field: the first column with a value is used, or all values are joined. */
function Columns(form: LeafForm): JSX.Element {
  const { field, view, leaf, change } = form;
  const names = textsOf(leaf["from"]);
  const own = view.sources.find(({ name }) => name === field.row)?.columns ?? [];
  const more = own.map(({ name }) => name).filter((name) => !names.includes(name));
  return (
    <>
      <p class="connected">
        From {names.length === 0 && "the row"}
        {names.map((name, at) => (
          <span key={name}>
            {at > 0 && (leaf["join"] === undefined ? ", or if that is empty, " : " and ")}
            <code>{name}</code>
            {(names.length > 1 || leaf["call"] !== undefined) && (
              <button
                type="button"
                class="small"
                aria-label={`Remove ${name}`}
                onClick={() => {
                  const left = names.filter((each) => each !== name);
                  change({ from: asWritten(left), ...(left.length < 2 && { join: undefined }) });
                }}
              >
                ×
              </button>
            )}
          </span>
        ))}
      </p>
      {field.kind === "value" && more.length > 0 && (
        <Select
          label="Add another column"
          value=""
          choices={[["", "none"], ...more]}
          onChange={(name) => {
            if (name === "") return;
            if (names.length === 0) change({ from: name });
            else change({ from: [...names, name], ...(names.length === 1 && { join: leaf["join"] ?? " " }) });
          }}
        />
      )}
      {names.length > 1 && (
        <TextOption
          {...form}
          name="join"
          label="Join the columns with"
          hint="empty: use the first column with a value"
        />
      )}
    </>
  );
}

/** Limits the field to rows with certain values in a column. */
function Condition({ field, view, leaf, change }: LeafForm): JSX.Element {
  const when = leaf["when"];
  const written = when !== undefined && isJsonObject(when) ? when : undefined;
  const condition = written && { column: textOf(written["column"]), in: textsOf(written["in"]) };
  return (
    <ConditionInputs
      view={view}
      row={field.row}
      when={condition ?? null}
      onChange={(made) => change({ when: made === null ? undefined : { ...made } })}
    />
  );
}
