import type { JSX, RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { counted } from "../../../../../text/count.ts";
import { ByHand } from "../by-hand.tsx";
import type { LeafForm } from "./leaf-form.ts";
import { readReplacements, type Replacement, writeReplacements } from "./replacements.ts";

/** Edits the replacements of text and patterns in the cell, in order. */
export function Replacements({ field, leaf, change }: LeafForm): JSX.Element {
  const option = leaf["replace"];
  const rows = readReplacements(option);
  const [isOpen] = useState(option !== undefined);
  const next = useRef<HTMLInputElement>(null);
  if (rows === undefined) return <ByHand text={`replace: ${JSON.stringify(option)}`} line={field.entry?.line} />;
  const set = (edit: (rows: readonly Replacement[]) => readonly Replacement[]): void =>
    change(({ replace }) => ({ replace: writeReplacements(edit(readReplacements(replace) ?? rows), replace) }));
  const remove = (at: number): void => {
    set((current) => current.toSpliced(at, 1));
    next.current?.focus();
  };
  return (
    <details open={isOpen}>
      <summary>Replace text in the cell{rows.length > 0 && `: ${counted(rows.length, "replacement")}`}</summary>
      <table class="lookup replacements">
        <caption class="quiet">Replacements, applied in this order</caption>
        <thead>
          <tr>
            <th scope="col">Find</th>
            <th scope="col">Replace with</th>
            <th scope="col">
              <span class="quiet">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Row
              key={at}
              row={row}
              number={at + 1}
              onChange={(made) => set((current) => current.with(at, made))}
              onRemove={() => remove(at)}
            />
          ))}
        </tbody>
        <NewRow first={next} onAdd={(row) => set((current) => [...current, row])} />
      </table>
    </details>
  );
}

interface RowOptions {
  readonly row: Replacement;
  readonly number: number;
  readonly onChange: (row: Replacement) => void;
  readonly onRemove: () => void;
}

function Row({ row: { isPattern, from, to }, number, onChange, onRemove }: RowOptions): JSX.Element {
  const input = (label: string, value: string, set: (text: string) => void): JSX.Element => (
    <input
      key={value}
      aria-label={`${label}, replacement ${number}`}
      defaultValue={value}
      autocomplete="off"
      spellcheck={false}
      onChange={({ currentTarget }) => set(currentTarget.value)}
    />
  );
  return (
    <tr>
      <td>
        {input("Find", from, (text) => (text === "" ? onRemove() : onChange({ isPattern, from: text, to })))}
        <Note text={isPattern ? "a pattern" : spacesIn(from)} />
      </td>
      <td>
        {input("Replace with", to, (text) => onChange({ isPattern, from, to: text }))}
        <Note text={to === "" ? "empty: removed" : spacesIn(to)} />
      </td>
      <td>
        <button type="button" class="small" aria-label={`Remove replacement ${number}`} onClick={onRemove}>
          ×
        </button>
      </td>
    </tr>
  );
}

function Note({ text }: { readonly text: string }): JSX.Element {
  return <>{text !== "" && <span class="soft note">{text}</span>}</>;
}

/** Returns the number of spaces, as text, if the text consists only of spaces. They are invisible in an input. */
function spacesIn(text: string): string {
  return /^ +$/.test(text) ? counted(text.length, "space") : "";
}

const NO_REPLACEMENT: Replacement = { isPattern: false, from: "", to: "" };

interface NewRowOptions {
  /** The first input, which receives the focus after a replacement is added or removed. */
  readonly first: RefObject<HTMLInputElement | null>;
  readonly onAdd: (row: Replacement) => void;
}

/** Shows a form for a new replacement. Enter also adds the replacement. */
function NewRow({ first, onAdd }: NewRowOptions): JSX.Element {
  const [row, setRow] = useState(NO_REPLACEMENT);
  const { isPattern, from, to } = row;
  const set = (changed: Partial<Replacement>): void => setRow((before) => ({ ...before, ...changed }));
  const add = (): void => {
    if (from === "") return;
    onAdd(row);
    setRow(NO_REPLACEMENT);
    first.current?.focus();
  };
  const input = (
    label: string,
    value: string,
    onInput: (text: string) => void,
    ref: typeof first | null = null,
  ): JSX.Element => (
    <input
      ref={ref}
      aria-label={`${label}, new replacement`}
      value={value}
      autocomplete="off"
      spellcheck={false}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      onKeyDown={({ key }) => key === "Enter" && add()}
    />
  );
  return (
    <tfoot>
      <tr>
        <td>
          {input("Find", from, (text) => set({ from: text }), first)}
          <Note text={spacesIn(from)} />
        </td>
        <td>
          {input("Replace with", to, (text) => set({ to: text }))}
          <Note text={spacesIn(to)} />
        </td>
        <td>
          <button type="button" class="small" disabled={from === ""} onClick={add}>
            Add
          </button>
        </td>
      </tr>
      <tr>
        <td colSpan={3}>
          <label class="box">
            <input
              type="checkbox"
              checked={isPattern}
              onChange={({ currentTarget }) => set({ isPattern: currentTarget.checked })}
            />
            Find a pattern (a regular expression; $1 is its first group)
          </label>
        </td>
      </tr>
    </tfoot>
  );
}
