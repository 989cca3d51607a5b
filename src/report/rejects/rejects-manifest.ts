import { randomBytes } from "node:crypto";
import { formatPointer, leavesOf } from "../../json/json-pointer.ts";
import { canonicalJson, type JsonObject } from "../../json/json-value.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import { hasErrors, isRuleProblem, type Problem } from "../../model/problem.ts";
import { isCsvRow, type JsonRow, type Row } from "../../model/record.ts";
import { safeJson } from "../../terminal/safe-json.ts";
import { normalKey } from "../../text/near-key.ts";
import type { ReportFile, ReportFolder } from "../report-folder.ts";
import { createFingerprints, type Fingerprints } from "./fingerprints.ts";
import { originalCells, rejectFileName } from "./reject-file.ts";
import type { RejectRow, RowWriter } from "./rejected-rows.ts";

/** Data that a re-import needs to recognise the rejects of a report. */
export interface ManifestInfo {
  readonly command: string;
  /** Id of the run. If a ledger contains the run, it also contains the run's settings. */
  readonly run: string;
  /** Settings of the job. They contain no secrets. */
  readonly settings: object;
  /**
   * The run's secret for the fingerprints. With it, a second report of the run has the same fingerprints as the first.
   * Without it, every report uses a new secret.
   */
  readonly secret?: string | undefined;
}

/** Name of the private file with the run's settings and the secret for the fingerprints. */
export const MANIFEST_FILE = "rejects.json";
/** Name of the file with fingerprints of the exported rows: one JSON list per row, in the order of the export. */
export const FINGERPRINT_FILE = "rejects.fingerprints";

export interface ManifestFile {
  readonly source: string;
  readonly file: string;
  readonly kind: "csv" | "json";
  /** The original columns; only for CSV. */
  readonly columns: readonly string[];
  readonly rows: number;
}

interface WrittenFiles {
  /** The name of each source's sheet in {@link WORKBOOK_FILE}; empty without a workbook. */
  readonly sheets: Readonly<Record<string, string>>;
  /** The sha256 of each exported file, by file name. */
  readonly digests: Readonly<Record<string, string>>;
}

/** Contents of {@link MANIFEST_FILE}. */
export interface RejectsManifest extends ManifestInfo, WrittenFiles {
  readonly version: 1;
  readonly secret: string;
  readonly files: readonly ManifestFile[];
}

/**
 * One line of {@link FINGERPRINT_FILE}.
 * - `key`: fingerprint of the business key, normalised for changes that spreadsheets make; empty without a key
 * - `errors`: the columns (numbers from 0) or JSON Pointers within the row that have an error
 * - `marks`: letters; `a` means that any cell of the row may be corrected, `d` that the row may be deleted, and `r`
 *   that the record repeats another record that is sent
 * - `cells`: concatenated fingerprints of the cells; for JSON rows, by pointer within the row
 */
export type ManifestLine = readonly [
  source: string,
  record: number,
  key: string,
  row: string,
  errors: readonly (number | string)[],
  marks: string,
  cells: string | Readonly<Record<string, string>>,
];

/** Collects the data about the exported rows while the rejects are written. */
interface ManifestWriter extends RowWriter {
  readonly finish: (written: WrittenFiles) => Promise<void>;
}

/** @param root name of the root source */
export function openManifest(folder: ReportFolder, about: ManifestInfo, root: string): ManifestWriter {
  const { secret = randomBytes(32).toString("base64url") } = about;
  const fingerprints = createFingerprints(secret);
  const files = new Map<string, ManifestFile & { rows: number }>();
  const counts = new Map<string, number>();
  const waiting: string[] = [];
  let fingerprintFile: ReportFile | undefined;
  const flush = async (): Promise<void> => {
    fingerprintFile ??= await folder.create(FINGERPRINT_FILE);
    const lines = waiting.splice(0);
    if (lines.length > 0) await fingerprintFile.write(lines.join(""));
  };
  return {
    addFile: (child, kind, columns) => {
      const file = rejectFileName(child, kind);
      files.set(file, { source: child ?? root, file, kind, columns, rows: 0 });
    },
    add: (entry, outcome) => {
      const file = files.get(rejectFileName(entry.child, entry.row.table.kind));
      if (file === undefined) throw new Error("a rejects row has no file");
      const number = counts.get(file.source) ?? 0;
      counts.set(file.source, number + 1);
      file.rows += 1;
      waiting.push(`${JSON.stringify(lineOf({ entry, outcome, file, number }, fingerprints))}\n`);
    },
    flush,
    finish: async (written) => {
      await flush();
      const document: RejectsManifest = { ...about, version: 1, secret, ...written, files: [...files.values()] };
      const plain: JsonObject = JSON.parse(JSON.stringify(document));
      await (await folder.create(MANIFEST_FILE)).write(`${safeJson(canonicalJson(plain))}\n`);
    },
  };
}

interface ManifestRow {
  readonly entry: RejectRow;
  readonly outcome: Outcome;
  readonly file: ManifestFile;
  /** Number of the row among the exported rows of its source, from 0. */
  readonly number: number;
}

function lineOf({ entry, outcome, file, number }: ManifestRow, fingerprints: Fingerprints): ManifestLine {
  const { row, problems } = entry;
  const { source, columns } = file;
  const { key, record } = outcome;
  const correctable = problems.filter(isCorrectable);
  const keyFingerprint = key === undefined ? "" : fingerprints.key(normalKey(key));
  const fingerprintOf = (column: string, value: string): string =>
    fingerprints.cell({ source, row: number, column }, value);
  const lineWith = (content: readonly string[], faulty: ManifestLine[4], cells: ManifestLine[6]): ManifestLine => {
    const whole = fingerprints.row(source, content);
    return [source, record, keyFingerprint, whole, [...new Set(faulty)], marksOf(entry, outcome), cells];
  };
  if (isCsvRow(row)) {
    const cells = originalCells(row, columns);
    const faulty = correctable.flatMap(({ place }) => columnOf(place?.column, columns));
    return lineWith(cells, faulty, cells.map((cell, at) => fingerprintOf(columns[at] ?? String(at), cell)).join(""));
  }
  const members = Object.entries(row.value).flatMap(([name, value]) => [name, canonicalJson(value)]);
  const faulty = correctable.flatMap(({ place }) => pointerIn(row, place) || []);
  const cells = jsonCells(row.value).map(([pointer, text]) => [pointer, fingerprintOf(pointer, text)] as const);
  return lineWith(members, faulty, Object.fromEntries(cells));
}

/**
 * Whether the cell of the problem may be corrected. Other warnings may only mean that a spreadsheet changed the cell.
 */
function isCorrectable({ severity, code }: Problem): boolean {
  return severity === "error" || code === "source_unselected_row";
}

function marksOf({ row, problems }: RejectRow, outcome: Outcome): string {
  const anyCell = isAnyCellFaulty(row, problems, outcome.problems) ? "a" : "";
  if (outcome.status === "duplicate") return `${anyCell}dr`;
  return anyCell + (hasErrors(problems) ? "d" : "");
}

/**
 * Whether any cell of the row may be corrected. This is the case if an error in the row belongs to no cell or was found
 * while reading the sources, or if the record violates a rule, which may concern several fields.
 */
function isAnyCellFaulty(row: Row, own: readonly Problem[], all: readonly Problem[]): boolean {
  const errors = own.filter(({ severity }) => severity === "error");
  const hasCell = ({ place }: Problem): boolean => Boolean(isCsvRow(row) ? place?.column : pointerIn(row, place));
  if (errors.some((problem) => problem.code.startsWith("source_") || !hasCell(problem))) return true;
  return all.some((problem) => problem.severity === "error" && isRuleProblem(problem));
}

function columnOf(column: string | undefined, columns: readonly string[]): readonly number[] {
  const index = column === undefined ? -1 : columns.indexOf(column);
  return index < 0 ? [] : [index];
}

/** Returns the pointer of a place within a row; empty for the row itself. */
function pointerIn(row: JsonRow, place: Place | undefined): string | undefined {
  return place?.pointer?.slice(row.pointer.length);
}

/** Returns the cells of a JSON row: its scalars, and its lists and objects without members, as canonical JSON. */
export type JsonCells = readonly (readonly [pointer: string, text: string])[];

export function jsonCells(row: JsonObject): JsonCells {
  return Object.entries(row).flatMap(([name, member]) =>
    leavesOf(member, [name]).map(([path, leaf]) => [formatPointer(path), canonicalJson(leaf)] as const),
  );
}
