import { formatPointer, isAtOrIn } from "../json/json-pointer.ts";
import { parseJson } from "../json/parse-json.ts";
import { jsonCells, type JsonCells } from "../report/rejects/rejects-manifest.ts";
import { normalKey } from "../text/near-key.ts";
import { EMPTY_CELL, FINGERPRINT_LENGTH, type Fingerprints } from "../report/rejects/fingerprints.ts";
import { type CorrectionIndex, type RejectedRow, rejectedRow, type ReturnedRow } from "./correction-index.ts";
import type { KeyColumns } from "./returned-rows.ts";

/** A cell of a re-imported row, with the fingerprint of the exported cell. */
export interface ComparedCell {
  /** 0-based column index (CSV), or pointer within the row (JSON). */
  readonly field: number | string;
  /** Undefined for a new value. */
  readonly fingerprint: string | undefined;
  /** Undefined if the column or value was removed. */
  readonly value: string | undefined;
  readonly isSame: (candidate: string) => boolean;
}

/** @param columns the original columns of the source (CSV) */
export function comparedCells(
  exported: RejectedRow,
  values: ReturnedRow["values"],
  { columns, fingerprints }: { readonly columns: readonly string[]; readonly fingerprints: Fingerprints },
): readonly ComparedCell[] {
  const { source, number, cells } = exported;
  const compared = (
    field: number | string,
    fingerprint: string | undefined,
    value: string | undefined,
  ): ComparedCell => {
    const column = typeof field === "string" ? field : (columns[field] ?? String(field));
    const isSame = (text: string): boolean => fingerprints.cell({ source, row: number, column }, text) === fingerprint;
    return { field, fingerprint, value, isSame };
  };
  if (typeof cells !== "string") {
    const now = new Map(isList(values) ? [] : cellsOfMembers(values));
    return [...new Set([...Object.keys(cells), ...now.keys()])].map((pointer) =>
      compared(pointer, cells[pointer], now.get(pointer)),
    );
  }
  const now = isList(values) ? values : [];
  return columns.flatMap((column, index) => {
    const fingerprint = cells.slice(index * FINGERPRINT_LENGTH, (index + 1) * FINGERPRINT_LENGTH);
    return fingerprint === "" || column.trim() === "" ? [] : compared(index, fingerprint, now[index] ?? undefined);
  });
}

export function isList(values: ReturnedRow["values"]): values is readonly (string | null)[] {
  return Array.isArray(values);
}

/** @param members the members of a JSON row as canonical JSON */
function cellsOfMembers(members: Readonly<Record<string, string>>): JsonCells {
  return jsonCells(Object.fromEntries(Object.entries(members).map(([name, text]) => [name, parseJson(text) ?? null])));
}

/** Whether a field is the column, or is in the value at the path. */
export function isIn(field: number | string, name: string, columns: readonly string[]): boolean {
  if (typeof field === "number") return columns[field] === name;
  return [[name], name.split(".")].some((path) => isAtOrIn(field, formatPointer(path)));
}

/** Returns the fingerprint of all cells of a row. */
export function rowFingerprint(source: string, values: ReturnedRow["values"], fingerprints: Fingerprints): string {
  return fingerprints.row(source, isList(values) ? values.map((value) => value ?? "") : Object.entries(values).flat());
}

interface MatchOptions {
  readonly fingerprints: Fingerprints;
  readonly columnsOf: (source: string) => readonly string[];
  readonly keyColumns: KeyColumns;
}

export interface RowMatcher {
  /** Matches unchanged rows; keeps the remaining rows for `matchChanged`. */
  readonly add: (rows: readonly ReturnedRow[]) => void;
  /** Yields the remaining rows, each with the exported row that most likely matches; undefined for an added row. */
  readonly matchChanged: () => Iterable<{ readonly row: ReturnedRow; readonly exported: RejectedRow | undefined }>;
}

/**
 * Creates a matcher of rows by content. For each re-imported row, it searches for an exported row, in this order:
 * - the same row, unchanged
 * - of the rows with the same or almost the same business key, the row with the most unchanged cells
 * - the next row in which at least half of the filled cells are unchanged
 * - the row after the match of the preceding row
 *
 * If the row has the business key of an exported record that has no unmatched row in this source, it is probably an
 * added row of that record. It is then compared only with rows whose key has an error, because the key may have been
 * corrected.
 */
export function createRowMatcher(index: CorrectionIndex, options: MatchOptions): RowMatcher {
  const { database, each } = index;
  const { fingerprints } = options;
  const same = database.prepare(
    `select id from exported where source = ? and fingerprint = ? and ${FREE} order by id limit 1`,
  );
  const take = database.prepare("update exported set file = ?, line = ?, content = ? where id = ?");
  const contentOf = ({ source, values }: ReturnedRow): string => rowFingerprint(source, values, fingerprints);
  const keep = database.prepare("insert into returned (source, file, line, keys, cells) values (?,?,?,?,?)");
  const noteFile = database.prepare("insert or ignore into files (file) values (?)");
  const settle = database.prepare("delete from returned where id = ?");
  const search = changedRowSearch(index, options);
  return {
    add: (rows) => {
      let noted: string | undefined;
      for (const row of rows) {
        const { source, file, line, keys, values } = row;
        if (file !== noted) noteFile.run(file);
        noted = file;
        const isWhole = !isList(values) || !values.includes(null);
        const content = contentOf(row);
        const found: Readonly<Record<string, unknown>> | undefined = isWhole ? same.get(source, content) : undefined;
        if (found === undefined) keep.run(source, file, line, JSON.stringify(keys), JSON.stringify(values));
        else take.run(file, line, content, Number(found["id"]));
      }
    },
    *matchChanged() {
      const last = new Map<string, number>();
      for (const found of each("select * from returned order by id")) {
        const row = storedRow(found);
        const exported = search.byContent(row, last.get(row.source) ?? 0);
        if (exported === undefined) continue;
        take.run(row.file, row.line, contentOf(row), exported.id);
        settle.run(Number(found["id"]));
        last.set(row.source, exported.id);
        yield { row, exported };
      }
      database.exec("create index exported_by_place on exported (file, line)");
      for (const found of each("select * from returned order by id")) {
        const row = storedRow(found);
        const exported = search.inSamePlace(row);
        if (exported !== undefined) take.run(row.file, row.line, contentOf(row), exported.id);
        yield { row, exported };
      }
    },
  };
}

/** Finds the exported rows that most likely match changed rows. */
function changedRowSearch(index: CorrectionIndex, { fingerprints, columnsOf, keyColumns }: MatchOptions) {
  const search = candidateSearch(index, fingerprints);
  const scoreOf = (row: ReturnedRow, exported: RejectedRow): Score =>
    scoreCells(comparedCells(exported, row.values, { columns: columnsOf(row.source), fingerprints }));
  const hasKeyError = ({ source, errors }: RejectedRow): boolean =>
    keyColumns(source).some((name) => errors.some((error) => isIn(error, name, columnsOf(source))));
  return {
    /** @param after id of the match of the preceding row */
    byContent: (row: ReturnedRow, after: number): RejectedRow | undefined => {
      const known = best(search.byKey(row).map((exported) => ({ exported, ...scoreOf(row, exported) })));
      if (known !== undefined) return known.exported;
      const isAdded = search.isOfExportedRecord(row);
      return search.inOrder(row, after).find((exported) => {
        const { unchanged, filled } = scoreOf(row, exported);
        return (!isAdded || hasKeyError(exported)) && unchanged > 0 && unchanged * 2 >= filled;
      });
    },
    inSamePlace: (row: ReturnedRow): RejectedRow | undefined => {
      const exported = search.inSamePlace(row);
      const isAdded = exported !== undefined && search.isOfExportedRecord(row) && !hasKeyError(exported);
      return isAdded ? undefined : exported;
    },
  };
}

/** SQL condition for an exported row without a match. */
const FREE = "file is null";
const OF_RECORD = "select 1 from exported where key = ? limit 1";

function candidateSearch({ rows }: CorrectionIndex, fingerprints: Fingerprints) {
  const withKey = `select * from exported where source = ? and key = ? and ${FREE} order by id limit ${MAX_CANDIDATES}`;
  const behind = `select * from exported where source = ? and id > ? and ${FREE} order by id limit ${ROWS_AHEAD}`;
  const fingerprintsOf = (keys: readonly string[]): readonly string[] => [
    ...new Set(keys.map((key) => fingerprints.key(normalKey(key)))),
  ];
  return {
    /** Returns the rows with the same or almost the same key. */
    byKey: ({ source, keys }: ReturnedRow): readonly RejectedRow[] =>
      fingerprintsOf(keys).flatMap((fingerprint) => rows(withKey, source, fingerprint).map(rejectedRow)),
    /** Whether an exported record has the key, or almost the same key. Its rows may be matched, or in other sources. */
    isOfExportedRecord: ({ keys }: ReturnedRow): boolean =>
      fingerprintsOf(keys).some((fingerprint) => rows(OF_RECORD, fingerprint).length > 0),
    /** Returns the exported row that follows the match of the preceding row. */
    inSamePlace: ({ source, file, line }: ReturnedRow): RejectedRow | undefined => {
      const [before] = rows(
        "select number from exported where file = ? and line < ? order by line desc limit 1",
        file,
        line,
      );
      const [next] = rows(
        `select * from exported where source = ? and number = ? and ${FREE}`,
        source,
        Number(before?.["number"] ?? -1) + 1,
      );
      return next && rejectedRow(next);
    },
    /** Returns the next rows of the source after the row with the id `after`. */
    inOrder: ({ source }: ReturnedRow, after: number) => rows(behind, source, after).map(rejectedRow),
  };
}

/** Counts the cells of a row that have not changed since the export. */
export function scoreCells(cells: readonly ComparedCell[]): Score {
  const filled = cells.filter(
    ({ fingerprint, value }) => fingerprint !== undefined && (fingerprint !== EMPTY_CELL || (value ?? "") !== ""),
  );
  const unchanged = filled.filter(({ value, isSame }) => value !== undefined && isSame(value));
  return { unchanged: unchanged.length, filled: filled.length };
}

/** Maximum number of rows with the same key that are compared. */
const MAX_CANDIDATES = 50;
/** Maximum number of following rows that are compared, to allow for removed rows. */
const ROWS_AHEAD = 25;

export interface Score {
  readonly unchanged: number;
  readonly filled: number;
}

function best<T extends Score>(candidates: readonly T[]): T | undefined {
  return candidates.reduce<T | undefined>(
    (found, each) => (found === undefined || each.unchanged > found.unchanged ? each : found),
    undefined,
  );
}

function storedRow(found: Readonly<Record<string, unknown>>): ReturnedRow {
  const { source, file, line, keys, cells } = found;
  const values: ReturnedRow["values"] = JSON.parse(String(cells));
  return { source: String(source), file: String(file), line: Number(line), keys: JSON.parse(String(keys)), values };
}
