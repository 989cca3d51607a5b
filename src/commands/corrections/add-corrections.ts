import { keyColumnIn } from "../../job/correct-input.ts";
import { type Job, type JobDependencies, withJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { Failure } from "../../model/failure.ts";
import { addToGroup, getOrAdd } from "../../model/groups.ts";
import type { LocalProblem } from "../../model/problem.ts";
import { formatPlace } from "../../model/place.ts";
import { placeOf, type Row } from "../../model/record.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import { keyNameOf } from "../../read/corrections/apply-corrections.ts";
import { cellProblem, cellText, type Correction, correctionOf, identityOf } from "../../read/corrections/correction.ts";
import { readReferenceList } from "../../read/lists/reference-list.ts";
import { withDescendants } from "../../read/input/opened-source.ts";
import type { ReadRow } from "../../read/row/read-row.ts";
import { keyOf } from "../../read/row/row-key.ts";
import { canonicalJson, type JsonObject } from "../../json/json-value.ts";
import { adviceFor } from "../../report/problems/advice.ts";
import { describeProblem } from "../../report/problems/problem-text.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { suggestionOr } from "../../text/suggestion.ts";
import { timestamp } from "../../time/clock.ts";
import { saveCorrections } from "./change-corrections.ts";

/** A cell to correct, and its new value. */
export interface CorrectionRequest {
  readonly key: string;
  readonly column: string;
  readonly value: string;
  /** The default is the root source. */
  readonly source?: string | undefined;
  /** The line on which the row starts. Required if several rows have the key. */
  readonly line?: number | undefined;
  readonly reason?: string | undefined;
}

export interface AddOptions {
  readonly job: JobSettings;
  readonly file: string;
  readonly requests: readonly CorrectionRequest[];
  /** The person who runs the command: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly by: string;
}

export interface AddedCorrections {
  readonly file: string;
  readonly added: readonly Correction[];
  /** Number of earlier corrections that were replaced. */
  readonly replaced: number;
}

/**
 * Finds the cells in the sources and adds their corrections to the file. Adds either all corrections or none.
 * @throws Failure `usage` for an unknown source, key or column, for a key that several rows share, and for a cell that
 * could not be read, is corrected twice or already has the new value
 */
export async function addCorrections(
  { job: settings, file, requests, by }: AddOptions,
  dependencies: JobDependencies & { readonly drain: AbortSignal },
): Promise<AddedCorrections> {
  return withJob({ ...settings, corrections: undefined }, dependencies, async (job) => {
    const at = timestamp(dependencies.clock);
    const found = await rowsOf(job, requests, dependencies.drain);
    const added = requests.map((request) => requestedCorrection(request, found.get(request) ?? [], { job, by, at }));
    refuseRepeated(added);
    return { file, added, replaced: await saveCorrections(file, added, dependencies.notice) };
  });
}

function refuseRepeated(corrections: readonly Correction[]): void {
  const seen = new Set<string>();
  for (const correction of corrections) {
    const { source, column, key } = correction;
    const identity = identityOf(correction);
    if (seen.has(identity)) {
      throw new Failure("usage", `column ${column} of ${key} in source "${source}" is corrected twice`, {
        hint: "list each cell only once",
      });
    }
    seen.add(identity);
  }
}

/**
 * Reads requests from a CSV file or an NDJSON file. The columns or members are `key`, `column` and `value`, and
 * optionally `source`, `line` and `reason`.
 * @throws Failure `config` for an unreadable file, a missing or unknown column, a row without a key, column or value,
 * or an invalid line number
 */
export async function readRequests(file: string): Promise<readonly CorrectionRequest[]> {
  const { columns, rows } = await readReferenceList(file, { hint: REQUEST_HINT, exact: new Set(["value"]) });
  const unknownName = columns.find((name) => !REQUEST_COLUMNS.includes(name));
  if (unknownName !== undefined)
    throw new Failure("config", `${file}: unknown column "${unknownName}"`, {
      hint: suggestionOr(REQUEST_HINT, unknownName, REQUEST_COLUMNS),
      place: { file, line: 1 },
    });
  for (const name of ["key", "column", "value"])
    if (!columns.includes(name))
      throw new Failure("config", `${file}: no column "${name}"`, { hint: REQUEST_HINT, place: { file, line: 1 } });
  return rows.map((row, index) => requestIn(row, `${file}: row ${index + 1}`));
}

function requestIn(row: JsonObject, name: string): CorrectionRequest {
  const text = (member: string): string | undefined => {
    const value = row[member];
    if (value === undefined || value === null || (value === "" && member !== "value")) return undefined;
    return typeof value === "string" ? value : canonicalJson(value);
  };
  const [key, column, line, value] = ["key", "column", "line", "value"].map(text);
  if (key === undefined || column === undefined)
    throw new Failure("config", `${name} has no key or no column`, { hint: REQUEST_HINT });
  if (value === undefined)
    throw new Failure("config", `${name} has no value`, {
      hint: 'to empty the cell, use the value ""; to store JSON null, use the value "null"',
    });
  if (line !== undefined && !/^[1-9]\d{0,9}$/.test(line))
    throw new Failure("config", `${name}: \`line\` is not a positive integer`, { hint: REQUEST_HINT });
  const optional = { source: text("source"), line: line === undefined ? undefined : Number(line) };
  return { key, column, value, ...optional, reason: text("reason") };
}

const REQUEST_COLUMNS: readonly string[] = ["key", "column", "value", "source", "line", "reason"];

const REQUEST_HINT =
  "the file is CSV with a header, or NDJSON with one object per line; " +
  "its columns are key, column, value, and optionally source, line, reason";

interface FoundRow {
  readonly row: Row;
  /** The key as the row contains it. */
  readonly key: string;
  readonly problems: ReadRow["problems"];
}

/** Returns, for each request, the rows that have its key, in file order. */
async function rowsOf(job: Job, requests: readonly CorrectionRequest[], signal: AbortSignal) {
  const wanted = requestsByKey(job, requests);
  const keyNameIn = keyNames(job);
  const found = new Map<CorrectionRequest, FoundRow[]>();
  for await (const { source, rows, problems } of job.input.rowsByFile(signal)) {
    const byKey = wanted.get(source);
    if (byKey === undefined) continue;
    for (const [at, row] of rows.entries()) {
      const name = keyNameIn(source, row);
      if (name === undefined)
        throw new Failure("usage", `no column contains the key of source "${source}"`, {
          hint: "name the key column of the source in the mapping: key: <column>",
        });
      const key = keyOf(row, name);
      if (key === undefined) continue;
      for (const request of byKey.get(canonicalKey(key)) ?? [])
        addToGroup(found, request, { row, key, problems: problems[at] ?? [] });
    }
  }
  return found;
}

/** Returns a function that finds the column or path that identifies a row in corrections. */
export function keyNames({ plan, mapping }: Job): (source: string, row: Row) => string | undefined {
  const specs = withDescendants<SourceSpec>(plan);
  const names = new Map(specs.map((spec) => [spec.name, keyNameOf(spec, keyColumnIn(mapping))]));
  return (source, row) => names.get(source)?.(row);
}

function requestsByKey(
  { plan }: Job,
  requests: readonly CorrectionRequest[],
): ReadonlyMap<string, ReadonlyMap<string, readonly CorrectionRequest[]>> {
  const names = withDescendants<SourceSpec>(plan).map(({ name }) => name);
  const wanted = new Map<string, Map<string, CorrectionRequest[]>>();
  for (const request of requests) {
    const { source = plan.name } = request;
    const key = canonicalKey(request.key);
    if (!names.includes(source)) throw unknown(`no source "${source}"`, source, names);
    const byKey = getOrAdd(wanted, source, () => new Map<string, CorrectionRequest[]>());
    addToGroup(byKey, key, request);
  }
  return wanted;
}

function requestedCorrection(
  { key, source, column, value, line, reason = "" }: CorrectionRequest,
  found: readonly FoundRow[],
  { job, by, at }: { readonly job: Job; readonly by: string; readonly at: string },
): Correction {
  const name = source ?? job.plan.name;
  const candidates = found.map((each) => each.row);
  const chosen = found.filter(({ row }) => line === undefined || row.line === line);
  const [only] = chosen;
  if (only === undefined) throw noRow(name, key, candidates);
  if (chosen.length > 1) throw severalRows(name, key, chosen);
  const { row } = only;
  const old = cellText(row, column);
  if (old === undefined) throw unknownColumn({ source: name, column, row }, job);
  if (old === value) throw new Failure("usage", `column ${column} of ${key} already has this value`);
  const problem = cellProblem(row, column, only.problems);
  if (problem !== undefined) throw unreadable(key, column, problem);
  const others = candidates.filter((other) => other !== row);
  return correctionOf({ key: only.key, source: name, column, value, by, at, reason }, row, others);
}

function unknownColumn(
  { source, column, row }: { readonly source: string; readonly column: string; readonly row: Row },
  { input }: Job,
): Failure {
  const message = `source "${source}" has no column "${column}"`;
  const other = input.files.find(({ columns = [] }) => columns.includes(column))?.source;
  if (other === undefined || other === source)
    return unknown(message, column, row.table.kind === "csv" ? row.table.columns : []);
  return new Failure("usage", message, {
    hint: `source "${other}" has this column: name the source with --in, or in the column \`source\` of a list`,
  });
}

function unreadable(key: string, column: string, problem: LocalProblem): Failure {
  const message = `column ${column} of ${key} cannot be corrected, because it could not be read`;
  return new Failure("usage", `${message}: ${describeProblem(problem)}`, {
    hint: `correct the file. ${adviceFor(problem)}`,
  });
}

function noRow(source: string, key: string, candidates: readonly Row[]): Failure {
  if (candidates.length > 0)
    return new Failure("usage", `source "${source}" has no row with the key ${key} on that line`, {
      hint: `rows with this key: ${placesOf(candidates)}`,
    });
  return new Failure("usage", `source "${source}" has no row with the key ${key}`, {
    hint:
      "the key is the value in the source's `key` column or, if the source has none, in its `on` column; " +
      "in a root source without `key`, it is the business key",
  });
}

function severalRows(source: string, key: string, found: readonly FoundRow[]): Failure {
  const rows = found.map(({ row }) => row);
  const isDistinct = new Set(rows.map(({ line }) => line)).size > 1;
  const where = isDistinct ? "" : " on the same line";
  return new Failure("usage", `source "${source}" has ${rows.length} rows with the key ${key}${where}`, {
    hint: isDistinct
      ? `choose one with --line: ${placesOf(rows)}`
      : `--line cannot distinguish them; correct the row in the file or on the Fix page (migrate web): ${placesOf(rows)}`,
  });
}

function placesOf(rows: readonly Row[]): string {
  const places = rows.slice(0, 10).map((row) => formatPlace(placeOf(row)));
  return `${places.join(", ")}${rows.length > 10 ? " and more" : ""}`;
}

function unknown(message: string, name: string, names: readonly string[]): Failure {
  const hint =
    names.length === 0
      ? "in a JSON source, the column is the dot path of a value, such as `contact.phone`"
      : suggestionOr(`known names: ${names.join(", ")}`, name, names);
  return new Failure("usage", message, { hint });
}
