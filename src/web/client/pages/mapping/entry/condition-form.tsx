import type { JSX } from "preact";
import type { MappingData, PartCondition } from "../../../../mapping/mapping-data.ts";
import { readCommaList, writeCommaList } from "../comma-list.ts";
import { Select, TextInput } from "../../../parts/controls.tsx";
import { columnsOf } from "../fields.ts";

interface ConditionOptions {
  readonly view: MappingData;
  readonly row: string | undefined;
  readonly when: PartCondition | null;
  readonly onChange: (when: PartCondition | null) => void;
}

/**
 * Limits rows to certain values in a column. For a new condition, the value is an empty cell until the user types. If
 * the user clears the values, the condition is removed.
 */
export function ConditionInputs({ view, row, when, onChange }: ConditionOptions): JSX.Element {
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
        choices={[["", "all rows"], ...names]}
        onChange={(name) => onChange(name === "" ? null : { column: name, in: when?.in ?? [""] })}
      />
      {when !== null && (
        <TextInput
          label="is one of"
          hint={codes.length > 0 ? `separated by commas; cells: ${writeCommaList(codes)}` : "separated by commas"}
          value={writeCommaList(when.in)}
          onChange={(text) => {
            const texts = readCommaList(text);
            onChange(texts.length > 0 ? { column, in: texts } : null);
          }}
        />
      )}
    </>
  );
}

const SHOWN_CODES = 10;
