import { hasOneRow } from "../../map/child-columns.ts";
import type { SourceEntry } from "../../map/document/mapping-document.ts";
import type { SourceColumn } from "./mapping-data.ts";

/** The sources of a mapping, by name. */
export type Sources = ReadonlyMap<string, SourceEntry>;

/** Returns the ancestors of a source in the tree of joins, nearest first. */
function ancestors(source: string, sources: Sources): readonly string[] {
  const found: string[] = [];
  for (let above = sources.get(source)?.parent; above !== undefined && !found.includes(above);) {
    found.push(above);
    above = sources.get(above)?.parent;
  }
  return found;
}

/** Returns the sources on the path from `from` down to `to`, without `from`; undefined if there is no path. */
export function pathDown(from: string, to: string, sources: Sources): readonly string[] | undefined {
  const line = [to, ...ancestors(to, sources)];
  const at = line.indexOf(from);
  return at < 0 ? undefined : line.slice(0, at).toReversed();
}

/**
 * Returns the name for a column in an entry that is built from a row of the source `row`: `NAME`, `parent.NAME` or
 * `addresses.STREET`. Returns undefined if a row of `row` does not determine exactly one row with the column.
 */
export function writtenName({ source, column }: SourceColumn, row: string, sources: Sources): string | undefined {
  for (const [levels, from] of [row, ...ancestors(row, sources)].entries()) {
    const down = pathDown(from, source, sources);
    if (down === undefined) continue;
    const isDetermined = down.every((name) => hasOneRow(sources.get(name) ?? {}));
    return isDetermined ? `${"parent.".repeat(levels)}${[...down, column].join(".")}` : undefined;
  }
  return undefined;
}

/** Returns the column that a name in an entry refers to. */
export function columnOf(
  name: string,
  row: string,
  { sources, hasColumn }: { readonly sources: Sources; readonly hasColumn: (column: SourceColumn) => boolean },
): SourceColumn {
  let [source, column] = [row, name];
  for (;;) {
    if (hasColumn({ source, column })) return { source, column };
    const [first = "", ...rest] = column.split(".");
    const parent = sources.get(source)?.parent;
    if (rest.length === 0) return { source, column };
    if (first === "parent" && parent !== undefined) source = parent;
    else if (sources.get(first)?.parent === source) source = first;
    else return { source, column };
    column = rest.join(".");
  }
}
