import { Failure } from "../../model/failure.ts";
import type { InputPosition } from "../../model/record.ts";
import type { ChildSpec, RowChoice, RowOrder, SourceSpec } from "../../model/source-spec.ts";
import { columnsHint } from "../../text/column-names.ts";
import { suggest } from "../../text/suggestion.ts";
import { headerOf, isSeekable, type OpenedFile, openFile, type OpenOptions, rowsOfFile } from "./opened-file.ts";
import { keyOf, withKeyProblems } from "../row/row-key.ts";
import type { ReadRow } from "../row/read-row.ts";
import { csvKeys } from "../chunks/csv-keys.ts";
import { findFiles } from "./source-files.ts";

export interface OpenedSource {
  readonly name: string;
  /** The column or path of the source's key. A child is joined on it, unless the child declares another `parentKey`. */
  readonly key: string | undefined;
  readonly files: readonly OpenedFile[];
  readonly amend?: OpenOptions["amend"];
  readonly children: readonly OpenedChild[];
}

/** How the rows of a child source that belong to one parent are selected and ordered. */
export interface RowArrangement {
  /** The name of the child source. */
  readonly name: string;
  readonly orderBy: RowOrder | undefined;
  readonly distinct: boolean;
  readonly pick: RowChoice | undefined;
}

export interface OpenedChild extends OpenedSource, RowArrangement {
  /** The column or path that contains the value of the parent's `parentKey`. */
  readonly on: string;
  readonly parentKey: string;
}

/** Returns a source and its descendants, each parent before its children. */
export function withDescendants<Source extends { readonly children: readonly Source[] }>(
  source: Source,
): readonly Source[] {
  return [source, ...source.children.flatMap(withDescendants<Source>)];
}

/**
 * Opens a source and its descendants.
 * @throws Failure for errors in the files, `mapping_invalid` for a child whose parent has no key, and
 * `source_bad_header` if a CSV file or a sheet lacks a column that the join needs
 */
export async function openSource(spec: SourceSpec, opening: OpenOptions): Promise<OpenedSource> {
  const files: OpenedFile[] = [];
  const found = await findFiles(spec.files, {
    defaultSheet: spec.sheet,
    notify: opening.notify,
    displayName: opening.displayName,
    signal: opening.signal,
  });
  for (const file of found) files.push(await openFile(file, opening, spec.rename));
  if (spec.key !== undefined) requireColumn(spec, files, spec.key);
  const children: OpenedChild[] = [];
  for (const child of spec.children) {
    const parentKey = parentKeyOf(child, spec);
    requireColumn(spec, files, parentKey);
    children.push(await openChild(child, parentKey, opening));
  }
  return { name: spec.name, key: spec.key, files, amend: opening.amend, children };
}

function parentKeyOf({ name, parentKey }: ChildSpec, parent: SourceSpec): string {
  const key = parentKey ?? parent.key;
  if (key !== undefined) return key;
  throw new Failure("mapping_invalid", `source "${name}" is joined to "${parent.name}", which has no key`, {
    hint: `in the mapping, add the column of "${parent.name}" that the rows of "${name}" refer to: key: <column>`,
  });
}

async function openChild(spec: ChildSpec, parentKey: string, opening: OpenOptions): Promise<OpenedChild> {
  const source = await openSource(spec, opening);
  const { on, orderBy, distinct = false, pick } = spec;
  for (const column of [on, orderBy?.column, pick?.by?.column, pick?.per]) {
    if (column !== undefined) requireColumn(spec, source.files, column);
  }
  return { ...source, on, parentKey, orderBy, distinct, pick };
}

function requireColumn(spec: SourceSpec, files: readonly OpenedFile[], column: string): void {
  for (const opened of files) {
    const header = headerOf(opened);
    if (header === undefined || header.table.columnIndex.has(column)) continue;
    const { line, table } = header;
    const message = `${opened.file}:${line}: no column "${column}", which source "${spec.name}" needs`;
    const near = suggest(column, table.columns);
    const hint = columnsHint(table.columns, near === undefined ? undefined : [column, near]);
    throw new Failure("source_bad_header", message, { hint, place: { file: opened.file, line } });
  }
}

/**
 * Yields all rows of a source, file by file. A row gets a problem if its key is missing or contains invisible
 * characters.
 * @param from where to start, in one of its files
 */
export async function* rowsOf(
  source: OpenedSource | OpenedChild,
  from?: InputPosition,
): AsyncGenerator<readonly ReadRow[]> {
  const { name, amend } = source;
  const keys = keysOf(source);
  const first = from === undefined ? 0 : source.files.findIndex(({ file }) => file === from.file);
  for (const [index, file] of source.files.slice(first).entries()) {
    for await (const read of rowsOfFile(file, { from: index === 0 ? from : undefined })) {
      const rows = amend === undefined ? read : read.map(({ row, problems }) => ({ row: amend(row, name), problems }));
      yield keys.length === 0 ? rows : rows.map((row) => withKeyProblems(row, keys));
    }
  }
}

/** Yields the keys of a source's rows in a column or at a path. */
export async function* keysIn(source: OpenedSource, name: string): AsyncGenerator<readonly (string | undefined)[]> {
  if (source.amend !== undefined) {
    yield* keysOfRows(rowsOf(source), name);
    return;
  }
  for (const file of source.files) {
    if (file.kind === "csv" && file.layout.skipsEmptyRows !== true) yield* csvKeys(file, file.layout, name);
    else yield* keysOfRows(rowsOfFile(file), name);
  }
}

export async function* keysOfRows(
  batches: AsyncIterable<readonly ReadRow[]>,
  name: string,
): AsyncGenerator<readonly (string | undefined)[]> {
  for await (const rows of batches) yield rows.map(({ row }) => keyOf(row, name));
}

/** Returns the columns or paths in which every row needs a key. */
export function keysOf(source: OpenedSource | OpenedChild): readonly string[] {
  const names = [source.key, "on" in source ? source.on : undefined].filter((name) => name !== undefined);
  return [...new Set(names)];
}

/** Whether the records of a source can be read from this position, without reading earlier data. */
export function canBeginAt({ file, byte }: InputPosition, { files, children }: OpenedSource): boolean {
  const opened = files.find((one) => one.file === file);
  return children.length === 0 && opened !== undefined && isSeekable(opened) && byte <= opened.found.bytes;
}
