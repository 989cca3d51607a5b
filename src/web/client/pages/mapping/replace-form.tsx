import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../../../text/count.ts";
import { Button } from "../../parts/button.tsx";
import { ByHand } from "./by-hand.tsx";
import { Select, TextInput } from "./controls.tsx";
import type { LeafForm } from "./leaf-form.ts";
import { readReplacements, type Replacement, writeReplacements } from "./replacements.ts";

/** The texts and patterns that are replaced in the cell, in order. */
export function Replacements({ field, leaf, change }: LeafForm): JSX.Element {
  const option = leaf["replace"];
  const rows = readReplacements(option);
  if (rows === undefined) return <ByHand text={`replace: ${JSON.stringify(option)}`} line={field.entry?.line} />;
  const set = (changed: readonly Replacement[]): void => change({ replace: writeReplacements(changed, option) });
  return (
    <details open={rows.length > 0}>
      <summary>Replace text in the cell{rows.length > 0 && `: ${counted(rows.length, "replacement")}`}</summary>
      {rows.length > 0 && (
        <table class="lookup">
          <caption class="quiet">Replacements, applied in this order</caption>
          <thead>
            <tr>
              <th scope="col">Find</th>
              <th scope="col">Replace with</th>
              <th scope="col">
                <span class="quiet">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <Row
                key={at}
                row={row}
                number={at + 1}
                onChange={(made) => set(rows.with(at, made))}
                onRemove={() => set(rows.toSpliced(at, 1))}
              />
            ))}
          </tbody>
        </table>
      )}
      <AddReplacement key={rows.length} onAdd={(row) => set([...rows, row])} />
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
        <Note text={to === "" ? "nothing: removed" : spacesIn(to)} />
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

/** Spaces cannot be seen in an input. */
function spacesIn(text: string): string {
  return /^ +$/.test(text) ? counted(text.length, "space") : "";
}

const NO_REPLACEMENT: Replacement = { isPattern: false, from: "", to: "" };

function AddReplacement({ onAdd }: { readonly onAdd: (row: Replacement) => void }): JSX.Element {
  const [row, setRow] = useState(NO_REPLACEMENT);
  const set = (changed: Partial<Replacement>): void => setRow((before) => ({ ...before, ...changed }));
  return (
    <>
      <Select
        label="Replace"
        value={row.isPattern ? "pattern" : "text"}
        choices={[
          ["text", "a text"],
          ["pattern", "what matches a pattern (a regular expression)"],
        ]}
        onChange={(kind) => set({ isPattern: kind === "pattern" })}
      />
      <TextInput
        label={row.isPattern ? "Pattern to find" : "Text to find"}
        hint={row.isPattern ? String.raw`^0(\d)` : spacesIn(row.from) || undefined}
        value={row.from}
        onChange={(from) => set({ from })}
      />
      <TextInput
        label="Replace it with"
        hint={row.isPattern ? "$1 is the first group; empty: remove it" : "empty: remove it"}
        value={row.to}
        onChange={(to) => set({ to })}
      />
      <Button isDisabled={row.from === ""} onClick={() => onAdd(row)}>
        Add this replacement
      </Button>
    </>
  );
}
