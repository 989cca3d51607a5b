import type { DropDown, FinishedSheet, SheetWriter } from "./sheet-writer.ts";
import { columnName } from "./xml-text.ts";

/** All texts that a cell can have, by source and column, if the mapping and the contract determine them. */
export type ColumnChoices = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

interface AllowedValues {
  readonly sheet: FinishedSheet;
  /** By source. */
  readonly dropDowns: ReadonlyMap<string, readonly DropDown[]>;
}

/** Maximum number of values in a drop-down list. Columns with more values have no list. */
const MAX_VALUES = 1000;

/** Writes a sheet with one column per list of values; undefined if there are none. */
export async function writeAllowedValues(
  writer: SheetWriter,
  sources: readonly { readonly source: string; readonly columns: readonly string[] }[],
  choices: ColumnChoices,
): Promise<AllowedValues | undefined> {
  const lists = sources.flatMap(({ source, columns }) =>
    columns.flatMap((name, column) => {
      const values = choices.get(source)?.get(name) ?? [];
      return values.length === 0 || values.length > MAX_VALUES ? [] : [{ source, name, column, values }];
    }),
  );
  if (lists.length === 0) return undefined;
  writer.add(lists.map(({ source, name }) => ({ value: `${source}: ${name}`, style: "header" })));
  const longest = lists.reduce((max, { values }) => Math.max(max, values.length), 0);
  for (let row = 0; row < longest; row += 1) {
    writer.add(lists.map(({ values }) => ({ value: values[row] ?? "", style: "text" })));
  }
  const dropDowns = new Map<string, DropDown[]>();
  for (const [index, { source, column, values }] of lists.entries()) {
    const letters = columnName(index);
    const range = `'${writer.name}'!$${letters}$2:$${letters}$${values.length + 1}`;
    dropDowns.set(source, [...(dropDowns.get(source) ?? []), { column, range }]);
  }
  return { sheet: await writer.finish(), dropDowns };
}
