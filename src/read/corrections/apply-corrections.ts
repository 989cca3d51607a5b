import { Failure } from "../../model/failure.ts";
import { formatPlace, type Place } from "../../model/place.ts";
import { type CsvRow, isCsvRow, placeOf, type Row } from "../../model/record.ts";
import type { ChildSpec, SourceSpec } from "../../model/source-spec.ts";
import { suggest } from "../../text/suggestion.ts";
import { withDescendants } from "../input/opened-source.ts";
import { keyOf } from "../row/row-key.ts";
import { cellText, rowHash, textHash, withCellText } from "./correction.ts";
import type { ListedCorrection } from "./corrections-file.ts";

/**
 * The result of a correction.
 *
 * - `applied`: a cell had the old value
 * - `corrected`: no cell had the old value, but one already has the new value
 * - `outdated`: rows with the key exist, but the cell has a third value
 * - `unused`: no row has the key
 */
type CorrectionState = "applied" | "corrected" | "outdated" | "unused";

export interface CorrectionResult {
  readonly correction: ListedCorrection;
  readonly state: CorrectionState;
  /** The row with the cell; for an outdated correction, the first row with the key. Absent for `unused`. */
  readonly place?: Place | undefined;
}

/** Replaces cells of rows while they are read. */
export interface Corrector {
  /**
   * @returns the row with its corrections
   * @throws Failure `config` if a correction applies to a second row
   */
  readonly amend: (row: Row, source: string) => Row;
  /** The result of each correction, in file order, for the rows passed to `amend` so far. There may be many. */
  readonly results: () => Iterable<CorrectionResult>;
}

export interface CorrectorOptions {
  /** The corrections file, for messages. */
  readonly file: string;
  readonly plan: SourceSpec;
  /** The column of the business key in a row of the root source; undefined if no single column contains it. */
  readonly keyColumn: (row: Row) => string | undefined;
}

/** A file may contain hundreds of thousands of corrections, so an entry has no objects of its own. */
interface Entry {
  readonly correction: ListedCorrection;
  state: CorrectionState;
  /** The row that has led to the state. */
  table: Row["table"] | undefined;
  line: number;
  pointer: string | undefined;
  /** The next correction of the same key. */
  next: Entry | undefined;
}

/** @throws Failure `config` if a correction names an unknown source */
export function createCorrector(
  corrections: readonly ListedCorrection[],
  { file, plan, keyColumn }: CorrectorOptions,
): Corrector {
  const keyNames = new Map(withDescendants<SourceSpec>(plan).map((spec) => [spec.name, keyNameOf(spec, keyColumn)]));
  const bySource = new Map<string, Map<string, Entry>>();
  const last = new Map<Entry, Entry>();
  const entries = corrections.map((correction): Entry => {
    const { source, key } = correction;
    if (!keyNames.has(source)) throw unknownSource(file, correction, [...keyNames.keys()]);
    const byKey = bySource.get(source) ?? new Map<string, Entry>();
    bySource.set(source, byKey);
    const entry: Entry = {
      correction,
      state: "unused",
      table: undefined,
      line: 0,
      pointer: undefined,
      next: undefined,
    };
    const first = byKey.get(key);
    if (first === undefined) byKey.set(key, entry);
    else {
      (last.get(first) ?? first).next = entry;
      last.set(first, entry);
    }
    return entry;
  });
  last.clear();
  return {
    amend: (row, source) => {
      const byKey = bySource.get(source);
      const name = byKey && keyNames.get(source)?.(row);
      const found = name === undefined ? undefined : byKey?.get(keyOf(row, name) ?? "");
      let amended = row;
      for (let entry = found; entry !== undefined; entry = entry.next)
        amended = corrected(entry, { row, amended, file });
      return amended;
    },
    *results() {
      for (const entry of entries) yield resultOf(entry);
    },
  };
}

/**
 * The column or path that identifies the rows of a source in corrections: `key`, otherwise `on`, otherwise the column
 * of the business key (root source).
 */
export function keyNameOf(
  spec: SourceSpec | ChildSpec,
  keyColumn: CorrectorOptions["keyColumn"],
): (row: Row) => string | undefined {
  const name = spec.key ?? ("on" in spec ? spec.on : undefined);
  if (name !== undefined) return () => name;
  const byTable = new Map<Row["table"], string | undefined>();
  return (row) => {
    if (!byTable.has(row.table)) byTable.set(row.table, keyColumn(row));
    return byTable.get(row.table);
  };
}

/** @param rows `row`: the unmodified row of the file; `amended`: the row with all corrections before this one */
function corrected(
  entry: Entry,
  { row, amended, file }: { readonly row: Row; readonly amended: Row; readonly file: string },
): Row {
  const { column, oldSha256, rowSha256, value } = entry.correction;
  const text = cellText(row, column);
  if (entry.state === "unused") note(entry, "outdated", row);
  if (text === undefined) {
    if (isCsvRow(row)) throw unknownColumn(file, entry.correction, row);
    return amended;
  }
  if (text === value && entry.state === "outdated") note(entry, "corrected", row);
  if (textHash(text) !== oldSha256 || (rowSha256 !== undefined && rowHash(row) !== rowSha256)) return amended;
  if (entry.state !== "applied") note(entry, "applied", row);
  // Equal rows cannot be distinguished, so they are corrected together.
  else if (rowSha256 === undefined && !isAt(entry, row)) throw matchesTwice(file, entry, row);
  return withCellText(amended, column, value);
}

function note(entry: Entry, state: CorrectionState, row: Row): void {
  entry.state = state;
  entry.table = row.table;
  entry.line = row.line;
  entry.pointer = isCsvRow(row) ? undefined : row.pointer;
}

/** Whether the row is the one that has led to the state. Several records may share it. */
function isAt({ table, line, pointer }: Entry, row: Row): boolean {
  return table?.file === row.table.file && line === row.line && pointer === (isCsvRow(row) ? undefined : row.pointer);
}

function placeIn({ table, line, pointer }: Entry): Place | undefined {
  if (table === undefined) return undefined;
  return pointer === undefined ? { file: table.file, line } : { file: table.file, line, pointer };
}

function resultOf(entry: Entry): CorrectionResult {
  const { correction, state } = entry;
  const place = placeIn(entry);
  return place === undefined ? { correction, state } : { correction, state, place };
}

function unknownSource(file: string, { source, line }: ListedCorrection, names: readonly string[]): Failure {
  const near = suggest(source, names);
  return new Failure("config", `${file}:${line}: the mapping has no source "${source}"`, {
    hint: near === undefined ? `its sources are: ${names.join(", ")}` : `did you mean "${near}"?`,
    place: { file, line },
  });
}

function unknownColumn(file: string, { column, line, source }: ListedCorrection, { table }: CsvRow): Failure {
  const { columns } = table;
  const near = suggest(column, columns);
  return new Failure("config", `${file}:${line}: source "${source}" has no column "${column}" in ${table.file}`, {
    hint: near === undefined ? `its columns are: ${columns.join(", ")}` : `did you mean "${near}"?`,
    place: { file, line },
  });
}

function matchesTwice(file: string, entry: Entry, row: Row): Failure {
  const { key, column, line } = entry.correction;
  const found = [placeIn(entry) ?? placeOf(row), placeOf(row)].map(formatPlace).join(" and ");
  return new Failure(
    "config",
    `${file}:${line}: two rows have the key ${key} and the old value of ${column}: ${found}`,
    {
      hint: "remove the correction, and add one for each row: migrate corrections add --line <n>",
      place: { file, line },
    },
  );
}
