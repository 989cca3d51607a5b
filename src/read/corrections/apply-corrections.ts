import { type Failure, failureAt } from "../../model/failure.ts";
import { formatPlace, type Place } from "../../model/place.ts";
import { type CsvRow, isCsvRow, placeOf, type Row } from "../../model/record.ts";
import type { ChildSpec, SourceSpec } from "../../model/source-spec.ts";
import { columnsHint } from "../../text/column-names.ts";
import { suggestionOr } from "../../text/suggestion.ts";
import { withDescendants } from "../input/opened-source.ts";
import { keyOf } from "../row/row-key.ts";
import { cellText, rowSha256Of, sha256Of, withCellText } from "./correction.ts";
import type { ListedCorrection } from "./corrections-file.ts";
import { getOrAdd } from "../../model/groups.ts";

/**
 * The result of a correction.
 *
 * - `applied`: a cell had the old value, and was corrected
 * - `corrected`: no cell had the old value, but a cell already has the new value
 * - `outdated`: rows with the key exist, but the cell has neither the old nor the new value, or its row has changed
 * - `unused`: no row has the key
 */
type CorrectionState = "applied" | "corrected" | "outdated" | "unused";

export interface CorrectionResult extends FoundState {
  readonly correction: ListedCorrection;
}

interface FoundState {
  readonly state: CorrectionState;
  /** The row with the cell; for an outdated correction, the first row with the key. Absent for `unused`. */
  readonly place?: Place | undefined;
}

/** Applies corrections to rows as they are read, and reports the result of each correction. */
export interface Corrector {
  /**
   * @returns the row with its corrections
   * @throws Failure `config` if a correction applies to a second row, if a CSV file or sheet does not have its column,
   * or if an earlier correction of the row has removed its JSON value
   */
  readonly amend: (row: Row, source: string) => Row;
  /** Yields the result of each correction, in file order, for the rows passed to `amend` so far. */
  readonly results: () => Iterable<CorrectionResult>;
}

export interface CorrectorOptions {
  /** The corrections file, for messages. */
  readonly file: string;
  readonly plan: SourceSpec;
  /**
   * Returns the column of the business key in a row of the root source; undefined if no single column contains the key.
   */
  readonly keyColumn: (row: Row) => string | undefined;
}

/** @throws Failure `config` if a correction names an unknown source */
export function createCorrector(
  corrections: readonly ListedCorrection[],
  { file, plan, keyColumn }: CorrectorOptions,
): Corrector {
  const keyNames = new Map(withDescendants<SourceSpec>(plan).map((spec) => [spec.name, keyNameOf(spec, keyColumn)]));
  const unknown = corrections.find(({ source }) => !keyNames.has(source));
  if (unknown !== undefined) throw unknownSource(file, unknown, [...keyNames.keys()]);
  const states = createStates(corrections.length);
  const bySource = new Map<string, Map<string, number>>();
  // Index of the next correction for the same source and key; 0 if there is none.
  const next = new Uint32Array(corrections.length);
  // Iterates backwards, so that the list for each key starts with the key's first correction.
  for (let index = corrections.length - 1; index >= 0; index -= 1) {
    const correction = corrections[index];
    if (correction === undefined) continue;
    const { source, key } = correction;
    const byKey = getOrAdd(bySource, source, () => new Map<string, number>());
    next[index] = byKey.get(key) ?? 0;
    byKey.set(key, index);
  }
  return {
    amend: (row, source) => {
      const byKey = bySource.get(source);
      const name = byKey && keyNames.get(source)?.(row);
      let index = name === undefined ? undefined : byKey?.get(keyOf(row, name) ?? "");
      let amended = row;
      while (index !== undefined) {
        const correction = corrections[index];
        if (correction !== undefined) {
          const result = corrected(correction, { row, amended, file, state: states.at(index) });
          if (result === undefined) throw overlapping(file, correction, corrections);
          amended = result;
        }
        index = next[index] || undefined;
      }
      return amended === row ? row : { ...amended, uncorrected: row };
    },
    *results() {
      for (const [index, correction] of corrections.entries()) {
        yield { correction, ...states.at(index).now() };
      }
    },
  };
}

interface State {
  readonly now: () => FoundState;
  /** Stores a state and the row that caused it, if the state ranks higher than the current one. */
  readonly raise: (state: (typeof STATES)[number], row: Row) => void;
}

/**
 * The states, from the lowest rank to the highest. `other_row` is reported as `outdated`: a cell has the old value, but
 * the hash of its row differs, so the row that was corrected may have changed. A new value in another row does not hide
 * this.
 */
const STATES = ["unused", "outdated", "corrected", "other_row", "applied"] as const;

/**
 * Stores the states of corrections in arrays, not objects, because a file may contain hundreds of thousands of
 * corrections.
 */
function createStates(count: number): { readonly at: (index: number) => State } {
  const states = new Uint8Array(count);
  const lines = new Uint32Array(count);
  const fileOf = new Uint32Array(count);
  const files: string[] = [];
  const indexOf = new Map<string, number>();
  const pointers = new Map<number, string>();
  const placeAt = (index: number): Place => {
    const place = { file: files[fileOf[index] ?? 0] ?? "", line: lines[index] ?? 0 };
    const pointer = pointers.get(index);
    return pointer === undefined ? place : { ...place, pointer };
  };
  return {
    at: (index) => ({
      now: () => {
        const state = STATES[states[index] ?? 0] ?? "unused";
        if (state === "unused") return { state };
        return { state: state === "other_row" ? "outdated" : state, place: placeAt(index) };
      },
      raise: (state, row) => {
        const rank = STATES.indexOf(state);
        if (rank <= (states[index] ?? 0)) return;
        states[index] = rank;
        const { file } = row.table;
        fileOf[index] = getOrAdd(indexOf, file, () => files.push(file) - 1);
        lines[index] = row.line;
        if (!isCsvRow(row)) pointers.set(index, row.pointer);
      },
    }),
  };
}

/**
 * Returns a function that finds the column or path by which corrections identify the rows of a source: `key`, otherwise
 * `on`, otherwise the column of the business key (only in the root source).
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

interface Amending {
  /** The row as in the file. */
  readonly row: Row;
  /** The row after all earlier corrections. */
  readonly amended: Row;
  /** The corrections file. */
  readonly file: string;
  readonly state: State;
}

/** Returns undefined if an earlier correction has removed the cell from a JSON row. */
function corrected(correction: ListedCorrection, { row, amended, file, state }: Amending): Row | undefined {
  const { column, oldSha256, rowSha256, value } = correction;
  const text = cellText(row, column);
  const before = state.now();
  state.raise("outdated", row);
  if (text === undefined) {
    if (isCsvRow(row)) throw unknownColumn(file, correction, row);
    return amended;
  }
  if (text === value) state.raise("corrected", row);
  if (sha256Of(text) !== oldSha256) return amended;
  if (rowSha256 !== undefined && rowSha256Of(row) !== rowSha256) {
    state.raise("other_row", row);
    return amended;
  }
  // Rows with the same hash cannot be distinguished, so the correction applies to all of them.
  const first = before.state === "applied" && rowSha256 === undefined ? before.place : undefined;
  if (first !== undefined && formatPlace(first) !== formatPlace(placeOf(row)))
    throw matchesTwice(file, correction, [first, placeOf(row)]);
  if (cellText(amended, column) === undefined) return undefined;
  state.raise("applied", row);
  return withCellText(amended, column, value);
}

function unknownSource(file: string, { source, line }: ListedCorrection, names: readonly string[]): Failure {
  return failureAt("config", { file, line }, `the mapping has no source "${source}"`, {
    hint: suggestionOr(`its sources are: ${names.join(", ")}`, source, names),
  });
}

function unknownColumn(file: string, { column, line, source }: ListedCorrection, { table }: CsvRow): Failure {
  const { columns } = table;
  return failureAt("config", { file, line }, `source "${source}" has no column "${column}" in ${table.file}`, {
    hint: suggestionOr(columnsHint(columns), column, columns),
  });
}

function overlapping(
  file: string,
  { source, key, column, line }: ListedCorrection,
  corrections: readonly ListedCorrection[],
): Failure {
  const other = corrections.findLast(
    (each) => each.source === source && each.key === key && each.line < line && column.startsWith(`${each.column}.`),
  );
  const cause =
    other === undefined ? "an earlier correction" : `the correction of ${other.column} (${file}:${other.line})`;
  return failureAt("config", { file, line }, `${column} of ${key} does not exist after ${cause}`, {
    hint: "remove one of the two corrections: migrate corrections remove <key> --column <column>",
  });
}

function matchesTwice(file: string, { key, column, line }: ListedCorrection, places: readonly Place[]): Failure {
  const found = places.map(formatPlace).join(" and ");
  return failureAt("config", { file, line }, `two rows have the key ${key} and the old value of ${column}: ${found}`, {
    hint: "remove the correction, and add one for each row: migrate corrections add --line <n>",
  });
}
