import type { JSX } from "preact";
import { isJsonObject, type JsonObject } from "../../../../../json/json-value.ts";
import type { ColumnData, FieldData } from "../../../../mapping/mapping-data.ts";
import { ErrorNotice } from "../../../parts/notice.tsx";
import { Select } from "../../../parts/controls.tsx";
import { textOf } from "../json-text.ts";
import type { LeafForm } from "./leaf-form.ts";
import { LookupTable } from "./lookup-table.tsx";
import { useFiles } from "../use-files.ts";

/** Edits the table that maps codes to values, in the mapping or in a file, and the value for all other codes. */
export function Lookup({ field, view, leaf, change, column }: LeafForm): JSX.Element {
  const { files, error } = useFiles(true);
  const table = leaf["lookup"];
  const file = typeof table === "string" ? table : "";
  const read = new Set(view.sources.flatMap((source) => source.files));
  const others = files.tables.filter((name) => name !== file && !read.has(name));
  const named = file === "" ? others : [file, ...others];
  return (
    <>
      <Select
        label="Table with the codes"
        value={file}
        choices={[["", "in the mapping"], ...named.map((name) => [name, `in the file ${name}`] as const)]}
        onChange={(name) => change({ lookup: name === "" ? sameChoices(column, field) : name })}
      />
      {error !== undefined && <ErrorNotice error={error} />}
      {file !== "" && (
        <p class="soft">A CSV file with a header: the code is in its first column, the value in the second.</p>
      )}
      {isJsonObject(table) && (
        <LookupTable
          table={table}
          column={column}
          choices={field.choices}
          onValue={(code, value) =>
            change(({ lookup }) => ({ lookup: withCode(isJsonObject(lookup) ? lookup : {}, code, value) }))
          }
        />
      )}
      <Select
        label="Other codes"
        value={textOf(leaf["otherwise"] ?? "error")}
        choices={[
          ["error", "are errors"],
          ["keep", "stay unchanged"],
          ["empty", "are empty"],
        ]}
        onChange={(otherwise) => change({ otherwise: otherwise === "error" ? undefined : otherwise })}
      />
    </>
  );
}

/** Sets the value of a code; an empty value removes the code. */
function withCode(table: JsonObject, code: string, value: string): JsonObject {
  const others = Object.entries(table).filter(([name]) => name !== code);
  return Object.fromEntries(value === "" ? others : [...others, [code, value]]);
}

/** Returns a table that maps each code of the column to the choice in the contract that differs at most in case. */
export function sameChoices(column: ColumnData | undefined, { choices = [] }: FieldData): JsonObject {
  const codes = column?.codes ?? [];
  return Object.fromEntries(
    codes.flatMap(({ code }) => {
      const found = choices.find((choice) => choice.toLowerCase() === code.toLowerCase());
      return found === undefined ? [] : [[code, found]];
    }),
  );
}
