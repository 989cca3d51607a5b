import type { JSX } from "preact";
import { isJsonObject, type JsonObject } from "../../../../../json/json-value.ts";
import { readCommaList, writeCommaList } from "../comma-list.ts";
import { Select, TextInput } from "../../../parts/controls.tsx";
import { textOf, textsOf } from "../json-text.ts";
import { FunctionChoice } from "./function-form.tsx";
import { asWritten, type LeafForm } from "./leaf-form.ts";
import { Lookup, sameChoices } from "./lookup-form.tsx";

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
  "call",
];

type ConversionKind = "none" | "upper" | "lower" | "lookup" | "date" | "datetime" | "number" | "boolean" | "call";

const KIND_TEXTS: Readonly<Record<ConversionKind, string>> = {
  none: "unchanged",
  upper: "converted to upper case",
  lower: "converted to lower case",
  lookup: "a code: look it up in a table",
  date: "a date",
  datetime: "a date and time",
  number: "a number in another notation",
  boolean: "yes or no",
  call: "an argument to a function",
};

function kindOf(leaf: JsonObject): ConversionKind {
  if (leaf["true"] !== undefined || leaf["false"] !== undefined) return "boolean";
  for (const kind of ["call", "lookup", "date", "datetime", "number"] as const)
    if (leaf[kind] !== undefined) return kind;
  if (leaf["upper"] === true) return "upper";
  return leaf["lower"] === true ? "lower" : "none";
}

function kindsFor(valueKind: string | undefined): readonly ConversionKind[] {
  if (valueKind === "date") return ["none", "date", "lookup"];
  if (valueKind === "datetime") return ["none", "datetime", "lookup"];
  if (valueKind === "boolean") return ["none", "boolean", "lookup"];
  if (valueKind === "integer" || valueKind === "number" || valueKind === "decimal") return ["none", "number", "lookup"];
  if (valueKind === "choice") return ["none", "lookup", "upper", "lower", "number"];
  return ["none", "upper", "lower", "lookup", "date", "datetime", "number"];
}

export function Conversion(form: LeafForm): JSX.Element {
  const { field, view, leaf, change } = form;
  const kind = kindOf(leaf);
  const calls: readonly ConversionKind[] = (view.functions?.names ?? []).length > 0 ? ["call"] : [];
  const kinds = [...kindsFor(field.valueKind), ...calls];
  const choose = (next: string): void =>
    change({ ...Object.fromEntries(CONVERSIONS.map((name) => [name, undefined])), ...startOf(next, form) });
  return (
    <>
      <Select
        label="The cell is"
        value={kind}
        choices={(kinds.includes(kind) ? kinds : [kind, ...kinds]).map((each) => [each, KIND_TEXTS[each]])}
        onChange={choose}
      />
      <KindOptions {...form} kind={kind} />
      <LettersNote {...form} kind={kind} />
    </>
  );
}

/** Returns the initial options of a conversion. */
function startOf(kind: string, { field, view, column }: LeafForm): JsonObject {
  const pattern = column?.dates[0]?.pattern ?? "dd/MM/yyyy";
  const starts: Readonly<Record<string, JsonObject>> = {
    upper: { upper: true },
    lower: { lower: true },
    lookup: { lookup: sameChoices(column, field) },
    date: { date: pattern },
    datetime: { datetime: pattern, ...(!pattern.includes("XXX") && { zone: view.zone }) },
    number: { number: { decimal: "," } },
    boolean: { true: ["Y"], false: ["N"] },
    call: { call: view.functions?.names[0] ?? "" },
  };
  return starts[kind] ?? {};
}

interface ConversionForm extends LeafForm {
  readonly kind: ConversionKind;
}

function KindOptions({ kind, ...form }: ConversionForm): JSX.Element {
  if (kind === "date" || kind === "datetime") return <Dates {...form} name={kind} />;
  if (kind === "number") return <Separators {...form} />;
  if (kind === "boolean") return <YesNo {...form} />;
  if (kind === "lookup") return <Lookup {...form} />;
  return kind === "call" ? <FunctionChoice {...form} /> : <></>;
}

/** Shows whether letters are converted to upper or lower case before another conversion. */
function LettersNote({ leaf, kind }: ConversionForm): JSX.Element {
  const letters = leaf["upper"] === true ? "upper" : leaf["lower"] === true ? "lower" : undefined;
  if (letters === undefined || letters === kind) return <></>;
  return <p class="soft">The letters of the cell are converted to {letters} case first.</p>;
}

/** Edits the date patterns, and proposes patterns that match cells. */
function Dates({ name, ...form }: LeafForm & { readonly name: "date" | "datetime" }): JSX.Element {
  const { leaf, change, column } = form;
  const patterns = textsOf(leaf[name]);
  const fitting = (column?.dates ?? []).filter(({ pattern }) => !patterns.includes(pattern));
  return (
    <>
      <TextInput
        label="Pattern"
        hint="letters such as d dd M MM MMM yy yyyy HH mm ss; separate several patterns with |"
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
        <div class="actions suggestions">
          <span class="soft">Patterns that match cells:</span>
          {fitting.map(({ pattern, share }) => (
            <button key={pattern} type="button" onClick={() => change({ [name]: pattern })}>
              {pattern} <span class="soft">{Math.floor(share * 100)}%</span>
            </button>
          ))}
        </div>
      )}
      {name === "datetime" && (
        <TextOption {...form} name="zone" label="Time zone" hint="such as Europe/London or UTC" />
      )}
      {patterns.some((pattern) => /(?<!y)yy(?!y)/.test(pattern)) && (
        <TextInput
          label="Highest two-digit year read as 20yy"
          hint="68 if empty"
          value={textOf(leaf["pivot"])}
          onChange={(pivot) => change({ pivot: /^\d+$/.test(pivot) ? Number(pivot) : undefined })}
        />
      )}
    </>
  );
}

/** Edits an option that is a text. An empty text removes the option. */
export function TextOption({
  name,
  label,
  hint,
  leaf,
  change,
}: LeafForm & { readonly name: string; readonly label: string; readonly hint: string }): JSX.Element {
  return (
    <TextInput
      label={label}
      hint={hint}
      value={textsOf(leaf[name]).join("")}
      onChange={(value) => change({ [name]: value === "" ? undefined : value })}
    />
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
        label="Thousands separator"
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
      hint='separated by commas; "" is an empty cell'
      value={writeCommaList(textsOf(leaf[name]))}
      onChange={(text) => {
        const texts = readCommaList(text);
        change({ [name]: texts.length > 0 ? texts : undefined });
      }}
    />
  );
  return (
    <>
      {input("true", "Cells that mean yes")}
      {input("false", "Cells that mean no")}
    </>
  );
}
