import type { MappingDocument, SourceEntry } from "./document/mapping-document.ts";
import type { Issues } from "./document/mapping-issues.ts";
import { type Column, ownOrOtherColumn, type SourceColumns } from "./source-columns.ts";

interface ChildColumnsContext {
  readonly document: MappingDocument;
  readonly issues: Issues;
  readonly columnsOf: (source: string) => SourceColumns;
}

/**
 * Returns the columns of a source and of its child sources that have at most one row for each row of the source.
 * Entries refer to a child column as `addresses.STREET`. If the source itself has a column with that name, that column
 * takes precedence.
 */
export function withChildColumns(own: SourceColumns, context: ChildColumnsContext): SourceColumns {
  const { document, issues, columnsOf } = context;
  const columnBelow = (child: string, name: string, line: number): Column => {
    const entry = document.sources.get(child);
    if (entry !== undefined && !hasOneRow(entry)) {
      const hint = `add \`pick: first\` (or last) to the source ${child}, or build a list from its rows with \`each\``;
      const message = `may have several rows for each row of ${own.source}, but ${name} requires one row`;
      issues.add(["sources", child], message, hint);
    }
    const column = columnsOf(child).column(name.slice(child.length + 1), line);
    return ownOrOtherColumn({ source: own.source, column: name }, column, (row) => row.children?.get(child)?.[0]);
  };
  return {
    ...own,
    column: (name, line) => {
      const child = name.slice(0, Math.max(0, name.indexOf(".")));
      const isChild = document.sources.get(child)?.parent === own.source;
      return isChild ? columnBelow(child, name, line) : own.column(name, line);
    },
  };
}

/**
 * Returns the complete path of a column whose name omits the sources between it and the row: `bp.ad.STREET` for
 * `ad.STREET` in a row of the parent of `bp`. Returns undefined if the name does not begin with a source below a child
 * of the row's source.
 */
export function pathBelow(name: string, source: string, { sources }: MappingDocument): string | undefined {
  const path = [name];
  let above = sources.get(name.slice(0, Math.max(0, name.indexOf("."))))?.parent;
  while (above !== undefined && above !== source && path.length <= sources.size) {
    path.unshift(above);
    above = sources.get(above)?.parent;
  }
  return above === source && path.length > 1 ? path.join(".") : undefined;
}

/**
 * Whether each parent row has at most one row of the source, because the join column is the source's key or because one
 * row is picked.
 */
export function hasOneRow({ key, on, pick }: SourceEntry): boolean {
  return (pick !== undefined && pick.per === undefined) || (key !== undefined && key === on);
}
