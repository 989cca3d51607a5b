import { placeOf, type Row } from "../model/record.ts";
import type { MappingDocument, SourceEntry } from "./document/mapping-document.ts";
import type { Issues } from "./document/mapping-issues.ts";
import { type Column, ownColumn, type SourceColumns } from "./source-columns.ts";

interface ChildColumnsContext {
  readonly document: MappingDocument;
  readonly issues: Issues;
  readonly columnsOf: (source: string) => SourceColumns;
}

/**
 * The columns of a source, plus those of its child sources with at most one row for each of its rows, which entries
 * name as `addresses.STREET`. A column of the row itself with that name takes precedence.
 */
export function withChildColumns(own: SourceColumns, context: ChildColumnsContext): SourceColumns {
  const { document, issues, columnsOf } = context;
  const columnBelow = (child: string, name: string, line: number): Column => {
    const entry = document.sources.get(child);
    if (entry !== undefined && !hasOneRow(entry)) {
      const hint = `write \`pick: first\` (or last) at the source ${child}, or make a list of its rows with \`each\``;
      issues.add(["sources", child], `may have several rows for one of ${own.source}, and ${name} names one`, hint);
    }
    const column = columnsOf(child).column(name.slice(child.length + 1), line);
    return eitherColumn(ownColumn(name), column, (row) => row.children?.get(child)?.[0]);
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

/** True if its key is unique and is the join column, or if one row is picked. */
function hasOneRow({ key, on, pick }: SourceEntry): boolean {
  return (pick !== undefined && pick.per === undefined) || (key !== undefined && key === on);
}

function eitherColumn(
  own: ReturnType<typeof ownColumn>,
  below: Column,
  childOf: (row: Row) => Row | undefined,
): Column {
  return {
    name: own.name,
    read: (row) => {
      if (own.isIn(row)) return own.read(row);
      const child = childOf(row);
      return child === undefined ? "" : below.read(child);
    },
    placeIn: (row) => {
      if (own.isIn(row)) return own.placeIn(row);
      const child = childOf(row);
      return child === undefined ? placeOf(row) : below.placeIn(child);
    },
  };
}
