import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createTemporaryDatabase, type TemporaryDatabase } from "../files/temporary-database.ts";
import type { Place } from "../model/place.ts";
import { readFailure } from "../read/text/file-bytes.ts";
import type { ManifestLine } from "../report/rejects/rejects-manifest.ts";
import { notOfReport } from "./read-manifest.ts";
import { isJsonObject, type JsonObject } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";

/** An exported row. */
export interface RejectedRow {
  readonly id: number;
  readonly source: string;
  /** 0-based position among the exported rows of the source. */
  readonly number: number;
  readonly record: number;
  /** Fingerprint of all cells. */
  readonly fingerprint: string;
  /** 0-based column indexes (CSV), or pointers within the row (JSON). */
  readonly errors: readonly (number | string)[];
  readonly marks: string;
  readonly cells: ManifestLine[6];
}

/** A re-imported row with its current place. The value of a removed column is null. */
export interface ReturnedRow extends Place {
  readonly source: string;
  /** Possible values of the row's business key. */
  readonly keys: readonly string[];
  /** In the order of the original columns (CSV), or by member (JSON). */
  readonly values: readonly (string | null)[] | Readonly<Record<string, string>>;
}

type Scalar = string | number | null;
type Found = Readonly<Record<string, unknown>>;

/** A database on disk for the rejects of one report, so that memory use does not depend on the number of rejects. */
export interface CorrectionIndex {
  readonly database: TemporaryDatabase["database"];
  /** Runs a query with few results. Prepares each query only once, so it suits frequent queries. */
  readonly rows: (sql: string, ...parameters: readonly Scalar[]) => readonly Found[];
  /** Iterates over the results of a query. There may be millions of results. */
  readonly each: (sql: string) => Iterable<Found>;
  readonly close: () => void;
}

/** Creates the index in `folder`. @throws Failure `storage` */
export function openCorrectionIndex(folder: string): CorrectionIndex {
  const data = { prefix: "rejects", data: "the index of the rejects" };
  const { database, prepared, close } = createTemporaryDatabase(folder, data);
  database.exec(SCHEMA);
  return {
    database,
    rows: (sql, ...parameters): readonly Found[] => prepared(sql).all(...parameters),
    *each(sql) {
      yield* prepared(sql).iterate();
    },
    close,
  };
}

/**
 * In `exported`, `file`, `line` and `content` (a fingerprint of all cells) describe the re-imported row. `files`
 * contains the re-imported files in the order in which they are read.
 */
const SCHEMA = `
  pragma journal_mode=off; pragma synchronous=off; pragma locking_mode=exclusive; pragma cache_size=-16000;
  create table exported (id integer primary key, source text, number integer, record integer, key text, fingerprint text,
    errors text, marks text, cells text, file text, line integer, content text);
  create table returned (id integer primary key, source text, file text, line integer, keys text, cells text);
  create table added (source text, file text, line integer);
  create table files (file_order integer primary key, file text unique);
  create table unresolved (record integer, source text, number integer, column_name text, fingerprint text, file text,
    line integer, position integer, value text, kind text);
  create table restored (file text, line integer, position integer, value text);
  create index restored_by_place on restored (file, line);`;

/** Loads the fingerprints of a report. @throws Failure `source_unreadable` */
export async function loadRejectedRows({ database }: CorrectionIndex, file: string): Promise<void> {
  const insert = database.prepare(
    "insert into exported (source, number, record, key, fingerprint, errors, marks, cells) values (?,?,?,?,?,?,?,?)",
  );
  const counts = new Map<string, number>();
  database.exec("begin");
  for await (const text of linesIn(file, file)) {
    const [source, record, key, fingerprint, errors, marks, cells] = lineOf(text, file);
    const number = counts.get(source) ?? 0;
    counts.set(source, number + 1);
    insert.run(source, number, record, key, fingerprint, JSON.stringify(errors), marks, JSON.stringify(cells));
  }
  database.exec(
    "commit; create index exported_by_fingerprint on exported (source, fingerprint); create index exported_by_key on exported (key, source); create index exported_by_record on exported (record)",
  );
}

function lineOf(text: string, file: string): ManifestLine {
  const line = parseJson(text);
  if (isLine(line)) return line;
  throw notOfReport(file);
}

function isLine(line: unknown): line is ManifestLine {
  if (!Array.isArray(line) || line.length !== 7) return false;
  const [source, record, key, fingerprint, errors, marks, cells]: readonly unknown[] = line;
  return (
    [source, key, fingerprint, marks].every(isText) &&
    typeof record === "number" &&
    Array.isArray(errors) &&
    errors.every((each) => typeof each === "number" || isText(each)) &&
    (isText(cells) || (typeof cells === "object" && cells !== null && Object.values(cells).every(isText)))
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Converts a row of the table `exported`. */
export function rejectedRow(found: Found): RejectedRow {
  const { id, source, number, record, fingerprint, errors, marks, cells } = found;
  return {
    id: Number(id),
    source: String(source),
    number: Number(number),
    record: Number(record),
    fingerprint: String(fingerprint),
    marks: String(marks),
    errors: JSON.parse(String(errors)),
    cells: JSON.parse(String(cells)),
  };
}

/** @param name the name of the file in messages */
export async function* readOutcomes(file: string, name: string): AsyncGenerator<JsonObject> {
  for await (const line of linesIn(file, name)) {
    const outcome = parseJson(line);
    if (isJsonObject(outcome)) yield outcome;
  }
}

async function* linesIn(file: string, name: string): AsyncGenerator<string> {
  const input = createReadStream(file);
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw readFailure(name, error);
  } finally {
    input.destroy();
  }
}
