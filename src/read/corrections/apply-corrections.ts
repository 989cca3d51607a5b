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
  /** The result of each correction, in file order, for the rows passed to `amend` so far. */
  readonly results: () => readonly CorrectionResult[];
}

export interface CorrectorOptions {
  /** The corrections file, for messages. */
  readonly file: string;
  readonly plan: SourceSpec;
  /** The column of the business key in a row of the root source; undefined if no single column contains it. */
  readonly keyColumn: (row: Row) => string | undefined;
}

interface Entry {
  readonly correction: ListedCorrection;
  match: Place | undefined;
  corrected: Place | undefined;
  seen: Place | undefined;
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
    const entry: Entry = { correction, match: undefined, corrected: undefined, seen: undefined, next: undefined };
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
    results: () => entries.map(resultOf),
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
  const place = placeOf(row);
  entry.seen ??= place;
  if (text === undefined) {
    if (isCsvRow(row)) throw unknownColumn(file, entry.correction, row);
    return amended;
  }
  if (text === value) entry.corrected ??= place;
  if (textHash(text) !== oldSha256 || (rowSha256 !== undefined && rowHash(row) !== rowSha256)) return amended;
  entry.match ??= place;
  // Equal rows cannot be distinguished, so they are corrected together.
  if (rowSha256 === undefined && formatPlace(entry.match) !== formatPlace(place))
    throw matchesTwice(file, entry.correction, [entry.match, place]);
  return withCellText(amended, column, value);
}

function resultOf({ correction, match, corrected: already, seen }: Entry): CorrectionResult {
  if (match !== undefined) return { correction, state: "applied", place: match };
  if (already !== undefined) return { correction, state: "corrected", place: already };
  return seen === undefined ? { correction, state: "unused" } : { correction, state: "outdated", place: seen };
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

function matchesTwice(file: string, { key, column, line }: ListedCorrection, places: readonly Place[]): Failure {
  const found = places.map(formatPlace).join(" and ");
  return new Failure(
    "config",
    `${file}:${line}: two rows have the key ${key} and the old value of ${column}: ${found}`,
    {
      hint: "remove the correction, and add one for each row: migrate corrections add --line <n>",
      place: { file, line },
    },
  );
}
