import type { JSX } from "preact";
import { isJsonObject, type JsonObject } from "../../../../json/json-value.ts";
import type { FieldData } from "../../../mapping/mapping-data.ts";
import { Select, TextInput } from "./controls.tsx";
import { textOf, textsOf } from "./json-text.ts";
import { asWritten, type LeafForm } from "./leaf-form.ts";
import { LookupTable } from "./lookup-table.tsx";

const CONVERSIONS = [
  "lookup",
  "otherwise",
  "date",
  "datetime",
  "zone",
  "pivot",
  "number",
  "true",
  "false",
  "upper",
  "lower",
];

type ConversionKind = "none" | "upper" | "lower" | "lookup" | "date" | "datetime" | "number" | "boolean";

const KIND_TEXTS: Readonly<Record<ConversionKind, string>> = {
  none: "as it is",
  upper: "in upper case",
  lower: "in lower case",
  lookup: "a code: look it up in a table",
  date: "a date",
  datetime: "a date and time",
  number: "a number in another notation",
  boolean: "yes or no",
};

function kindOf(leaf: JsonObject): ConversionKind {
  if (leaf["true"] !== undefined || leaf["false"] !== undefined) return "boolean";
  if (leaf["upper"] === true) return "upper";
  if (leaf["lower"] === true) return "lower";
  for (const kind of ["lookup", "date", "datetime", "number"] as const) if (leaf[kind] !== undefined) return kind;
  return "none";
}

function kindsFor(valueKind: string | undefined): readonly ConversionKind[] {
  if (valueKind === "date") return ["none", "date", "lookup"];
  if (valueKind === "datetime") return ["none", "datetime", "lookup"];
  if (valueKind === "boolean") return ["none", "boolean", "lookup"];
  if (valueKind === "integer" || valueKind === "number" || valueKind === "decimal") return ["none", "number", "lookup"];
  if (valueKind === "choice") return ["none", "lookup", "upper", "lower", "number"];
  return ["none", "upper", "lower", "lookup", "date", "datetime", "number"];
}

/** How the text of the cell becomes a value. */
export function Conversion(form: LeafForm): JSX.Element {
  const { field, view, leaf, change, column } = form;
  const kind = kindOf(leaf);
  const kinds = kindsFor(field.valueKind);
  const choose = (next: string): void => {
    const pattern = column?.dates[0]?.pattern ?? "dd/MM/yyyy";
    const starts: Readonly<Record<string, JsonObject>> = {
      upper: { upper: true },
      lower: { lower: true },
      lookup: { lookup: Object.fromEntries((column?.codes ?? []).flatMap(({ code }) => sameChoice(code, field))) },
      date: { date: pattern },
      datetime: { datetime: pattern, ...(!pattern.includes("XXX") && { zone: view.zone }) },
      number: { number: { decimal: "," } },
      boolean: { true: ["Y"], false: ["N"] },
    };
    change({ ...Object.fromEntries(CONVERSIONS.map((name) => [name, undefined])), ...starts[next] });
  };
  return (
    <>
      <Select
        label="The cell is"
        value={kind}
        choices={(kinds.includes(kind) ? kinds : [kind, ...kinds]).map((each) => [each, KIND_TEXTS[each]])}
        onChange={choose}
      />
      {(kind === "date" || kind === "datetime") && <Dates {...form} name={kind} />}
      {kind === "number" && <Separators {...form} />}
      {kind === "boolean" && <YesNo {...form} />}
      {kind === "lookup" && isJsonObject(leaf["lookup"]) && (
        <LookupTable
          table={leaf["lookup"]}
          column={column}
          choices={field.choices}
          otherwise={textOf(leaf["otherwise"] ?? "error")}
          onTable={(table) => change({ lookup: table })}
          onOtherwise={(otherwise) => change({ otherwise: otherwise === "error" ? undefined : otherwise })}
        />
      )}
    </>
  );
}

function sameChoice(code: string, { choices = [] }: FieldData): readonly (readonly [string, string])[] {
  const found = choices.find((choice) => choice.toLowerCase() === code.toLowerCase());
  return found === undefined ? [] : [[code, found]];
}

/** Date patterns, with those that fit the cells as proposals. */
function Dates({ leaf, change, column, name }: LeafForm & { readonly name: "date" | "datetime" }): JSX.Element {
  const patterns = textsOf(leaf[name]);
  const fitting = (column?.dates ?? []).filter(({ pattern }) => !patterns.includes(pattern));
  return (
    <>
      <TextInput
        label="Pattern"
        hint="d dd M MM MMM yy yyyy HH mm ss; several, separated by |"
        value={patterns.join(" | ")}
        onChange={(text) => {
          const written = text
            .split("|")
            .map((each) => each.trim())
            .filter((each) => each !== "");
          change({ [name]: asWritten(written) });
        }}
      />
      {fitting.length > 0 && (
        <div class="suggestions">
          <span class="soft">Patterns that fit cells:</span>
          {fitting.map(({ pattern, share }) => (
            <button key={pattern} type="button" onClick={() => change({ [name]: pattern })}>
              {pattern} <span class="soft">{Math.floor(share * 100)}%</span>
            </button>
          ))}
        </div>
      )}
      {name === "datetime" && (
        <TextInput
          label="Time zone"
          hint="Europe/London, UTC"
          value={textsOf(leaf["zone"]).join("")}
          onChange={(zone) => change({ zone: zone === "" ? undefined : zone })}
        />
      )}
      {patterns.some((pattern) => /(?<!y)yy(?!y)/.test(pattern)) && (
        <TextInput
          label="Last two-digit year in the 2000s"
          hint="68 if empty"
          value={textOf(leaf["pivot"])}
          onChange={(pivot) => change({ pivot: /^\d+$/.test(pivot) ? Number(pivot) : undefined })}
        />
      )}
    </>
  );
}

const MARKS: readonly (readonly [string, string])[] = [
  [",", "comma"],
  [".", "point"],
  [" ", "space"],
  ["'", "apostrophe"],
];

function Separators({ leaf, change }: LeafForm): JSX.Element {
  const number = leaf["number"];
  const written = number !== undefined && isJsonObject(number) ? number : {};
  const decimal = textOf(written["decimal"] ?? ".");
  const group = textOf(written["group"]);
  const set = (options: { readonly decimal?: string; readonly group?: string }): void => {
    const made = { decimal, group, ...options };
    change({ number: made.group === "" || made.group === made.decimal ? { decimal: made.decimal } : made });
  };
  return (
    <>
      <Select
        label="Decimal mark"
        value={decimal}
        choices={MARKS.slice(0, 2)}
        onChange={(mark) => set({ decimal: mark })}
      />
      <Select
        label="Mark between thousands"
        value={group}
        choices={[["", "none"], ...MARKS.filter(([mark]) => mark !== decimal)]}
        onChange={(mark) => set({ group: mark })}
      />
    </>
  );
}

function YesNo({ leaf, change }: LeafForm): JSX.Element {
  const input = (name: "true" | "false", label: string): JSX.Element => (
    <TextInput
      label={label}
      hint="separated by commas; an empty part is an empty cell"
      value={textsOf(leaf[name]).join(", ")}
      onChange={(text) => change({ [name]: text.split(",").map((each) => each.trim()) })}
    />
  );
  return (
    <>
      {input("true", "Cells that mean yes")}
      {input("false", "Cells that mean no")}
    </>
  );
}
