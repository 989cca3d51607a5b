import { Failure } from "../../../model/failure.ts";
import { type CsvRecords, csvRecords } from "../../csv/csv-records.ts";
import { keyVisitor, type VisitKeys } from "../../chunks/csv-keys.ts";
import type { CsvLayout } from "../../csv/csv-layout.ts";
import { recordFlags } from "../../csv/record-boundaries.ts";
import { createNumberSet, type NumberSet } from "../../../text/number-set.ts";
import { type ChildSpool, createSpoolStore, type ParentRange } from "./child-spool.ts";
import type { ChildSlice } from "./joined-chunk.ts";
import { createKeyTable, type KeyTable } from "./key-table.ts";
import type { OpenedFile } from "../../input/opened-file.ts";
import type { OpenedChild, OpenedSource } from "../../input/opened-source.ts";

/** The records of child sources, in the order of their parents. */
export interface SpreadChildren {
  /** Returns, for each child source, the records of these parents, which must follow the parents of earlier calls. */
  readonly take: (parents: ParentRange) => readonly (readonly ChildSlice[])[];
  /** For each child source: which of its rows have a parent. */
  readonly found: readonly FoundRows[];
  /** Number of rows of the root source. */
  readonly rows: number;
  readonly close: () => void;
}

interface FoundRows {
  readonly child: CsvChild;
  /** Number of rows of the source. */
  readonly count: number;
  readonly matched: NumberSet;
}

interface Spreading {
  readonly tempFolder: string;
  readonly signal: AbortSignal | undefined;
}

/** Maximum memory for the keys of all parents. */
const MAX_KEY_BYTES = 64 * 2 ** 20;
/** Maximum average number of copies per child row. Above this number, the rows are not joined as bytes. */
const MAX_COPIES = 4;
/** Number of additional copies that are allowed, so that a few shared rows at the start do not exceed the limit. */
const FIRST_COPIES = 100_000;

/**
 * Reads the keys of the root source, then each child source, and sorts the child records by their parents. Returns
 * undefined if the keys exceed the memory limit, or if too many root records share child records.
 */
export async function spreadChildren(root: CsvSource, spreading: Spreading): Promise<SpreadChildren | undefined> {
  const keys = await rootKeys(root, spreading);
  if (keys === undefined) return undefined;
  const store = createSpoolStore(spreading.tempFolder);
  const found: FoundRows[] = [];
  const spools: ChildSpool[] = [];
  const isComplete = (): boolean => found.length === root.children.length;
  try {
    for (const child of root.children) {
      const table = keys.tables.get(child.parentKey);
      const spool = store.newSpool();
      const rows = table && (await spread(child, table, spool, spreading.signal));
      if (rows === undefined) return undefined;
      found.push(rows);
      spools.push(spool);
    }
  } finally {
    if (!isComplete()) store.close();
  }
  return { found, rows: keys.rows, take: (parents) => spools.map((spool) => spool.take(parents)), close: store.close };
}

/**
 * Indexes the records of each key, by column, up to the first failure, which is thrown later when the records are read.
 */
async function rootKeys(root: CsvSource, { signal }: Spreading) {
  const tables = new Map(root.children.map(({ parentKey }) => [parentKey, createKeyTable()]));
  let rows = 0;
  try {
    for await (const [records, layout] of recordsOf(root)) {
      signal?.throwIfAborted();
      let memory = 0;
      for (const [column, table] of tables) {
        rows += addKeys(table, keyVisitor(layout, column), records);
        memory += table.memoryBytes();
      }
      if (memory > MAX_KEY_BYTES) return undefined;
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  return { tables, rows: rows / tables.size };
}

async function* recordsOf({ files }: CsvSource): AsyncGenerator<readonly [records: CsvRecords, layout: CsvLayout]> {
  for (const file of files) for await (const records of csvRecords(file, file.layout)) yield [records, file.layout];
}

/** Adds an entry for each record, including blank ones, so that the numbers match. Returns the number of rows. */
function addKeys(table: KeyTable, visit: VisitKeys, records: CsvRecords): number {
  const first = table.count() - records.from;
  let rows = 0;
  const fill = (number: number): void => {
    while (table.count() - first < number) table.add(records.bytes, -1, 0);
  };
  visit(records, records.from, (number, bytes, start, end) => {
    fill(number);
    table.add(bytes, start, end);
    rows += 1;
  });
  fill(records.boundaries.starts.length);
  return rows;
}

async function spread(
  child: CsvChild,
  table: KeyTable,
  spool: ChildSpool,
  signal: AbortSignal | undefined,
): Promise<FoundRows | undefined> {
  const matched = createNumberSet();
  let count = 0;
  let room = FIRST_COPIES;
  for (const [number, file] of child.files.entries()) {
    const visit = keyVisitor(file.layout, child.on);
    for await (const records of csvRecords(file, file.layout)) {
      signal?.throwIfAborted();
      const flagged = { ...records, file: number, flags: recordFlags(records.boundaries) };
      visit(records, records.from, (record, bytes, start, end) => {
        let parent = start < 0 ? -1 : table.find(bytes, start, end);
        if (parent >= 0) matched.add(count);
        room += MAX_COPIES;
        for (; parent >= 0 && room >= 0; parent = table.next(parent)) {
          spool.add(parent, flagged, record);
          room -= 1;
        }
        count += 1;
      });
      if (room < 0) return undefined;
    }
  }
  return { child, count, matched };
}

type OpenedCsv = Extract<OpenedFile, { readonly kind: "csv" }>;

/** A root source and its child sources, all of them CSV files. */
export interface CsvSource extends OpenedSource {
  readonly files: readonly OpenedCsv[];
  readonly children: readonly CsvChild[];
}

interface CsvChild extends OpenedChild {
  readonly files: readonly OpenedCsv[];
}

/**
 * Returns the sources of a join as CSV sources. Returns undefined if there are no child sources, if a file is not CSV,
 * if a child source has children or its own key, or if rows are omitted, skipped or amended.
 */
export function csvSources(root: OpenedSource): CsvSource | undefined {
  const files = csvFiles(root);
  const children = root.children.flatMap((child) => {
    const below = isSimple(child) ? csvFiles(child) : undefined;
    return below === undefined ? [] : [{ ...child, files: below }];
  });
  if (files === undefined || root.amend !== undefined || children.length < root.children.length) return undefined;
  return children.length === 0 ? undefined : { ...root, files, children };
}

function isSimple({ key, distinct, pick, amend, children }: OpenedChild): boolean {
  return key === undefined && !distinct && pick === undefined && amend === undefined && children.length === 0;
}

function csvFiles({ files }: OpenedSource): readonly OpenedCsv[] | undefined {
  const texts = files.filter((file) => file.kind === "csv").filter(({ layout }) => layout.skipsEmptyRows !== true);
  return texts.length === files.length ? texts : undefined;
}
