import type { JSX } from "preact";
import type { JsonObject } from "../../../../../json/json-value.ts";
import { formatCount } from "../../../../../text/count.ts";
import type { ColumnData } from "../../../../mapping/mapping-data.ts";
import { usePage } from "../../../page-context.ts";
import { textOf } from "../json-text.ts";

interface LookupOptions {
  readonly table: JsonObject;
  readonly column: ColumnData | undefined;
  readonly choices: readonly string[] | undefined;
  readonly onValue: (code: string, value: string) => void;
}

/** Edits the value for each code. Lists the codes of the table, then the other codes of the column by frequency. */
export function LookupTable(options: LookupOptions): JSX.Element {
  const { table, column, choices, onValue } = options;
  const { areValuesShown } = usePage();
  const rows = new Map((column?.codes ?? []).map(({ code, rows: count }) => [code, count]));
  const codes = [...new Set([...Object.keys(table), ...rows.keys()])];
  return (
    <>
      <table class="lookup">
        <caption class="quiet">Values for codes</caption>
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col" class="number">
              Rows
            </th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {codes.map((code) => {
            const value = textOf(table[code]);
            const count = rows.get(code);
            return (
              <tr key={code}>
                <th scope="row">
                  <code>{code === "" ? "(empty)" : code}</code>
                </th>
                <td class="number">{count === undefined ? "" : formatCount(count)}</td>
                <td>
                  <ValueInput code={code} value={value} choices={choices} onChange={(made) => onValue(code, made)} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {!areValuesShown && <p class="soft">Turn on “Show values” to see the other codes of the column.</p>}
    </>
  );
}

interface ValueInputOptions {
  readonly code: string;
  readonly value: string;
  readonly choices: readonly string[] | undefined;
  readonly onChange: (value: string) => void;
}

function ValueInput({ code, value, choices, onChange }: ValueInputOptions): JSX.Element {
  const label = `Value for ${code === "" ? "an empty cell" : code}`;
  if (choices === undefined) {
    return (
      <input
        key={value}
        aria-label={label}
        defaultValue={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">no value</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}
