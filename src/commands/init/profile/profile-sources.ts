import path from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import { Failure } from "../../../model/failure.ts";
import { getOrAdd } from "../../../model/groups.ts";
import { isCsvRow } from "../../../model/record.ts";
import { childAttr } from "../../../json/attr.ts";
import { cellTextOf, isJsonArray, isJsonObject, type JsonValue } from "../../../json/json-value.ts";
import { headerOf, type OpenOptions } from "../../../read/input/opened-file.ts";
import type { ReadRow } from "../../../read/row/read-row.ts";
import { findFiles } from "../../../read/input/source-files.ts";
import { type ColumnCounter, type ColumnProfile, createColumnCounter } from "./column-profile.ts";
import {
  type FileProfile,
  type GuessedFile,
  mayGuess,
  openEach,
  openGuessed,
  openGuessing,
  readWhole,
} from "./file-profile.ts";
import { createValueHashes } from "./value-hashes.ts";
import { hasErrors } from "../../../model/problem.ts";

/** A source of the new mapping: files with the same columns. */
export interface SourceProfile {
  /** The name of the source in the mapping. */
  readonly name: string;
  readonly files: readonly FileProfile[];
  /** Number of rows in all files. */
  readonly rows: number;
  /** Statistics over all files. */
  readonly columns: readonly ColumnProfile[];
}

export interface ProfileOptions {
  readonly opening: OpenOptions;
  /** Folder for data that does not fit into memory. */
  readonly temporaryFolder: string;
  /** Called with the number of rows read so far. */
  readonly onRows: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** The files of a source that the user named. Files without a name are grouped into sources by their columns. */
export interface NamedFiles {
  readonly name: string | undefined;
  readonly patterns: readonly string[];
}

/**
 * Reads all files completely, with bounded memory. Unnamed files with the same columns form one source.
 * @throws the failure of the reader if a file cannot be read at all; Failure `incomplete` if the user stops the command
 */
export async function profileSources(
  named: readonly NamedFiles[],
  options: ProfileOptions,
): Promise<readonly SourceProfile[]> {
  makeFolder(options.temporaryFolder);
  const names = new Set<string>();
  const sources: SourceProfile[] = [];
  let rows = 0;
  const onRows = (count: number): void => {
    if (options.signal.aborted) {
      throw new Failure("incomplete", "stopped before all files were read; nothing was written", {
        hint: "run the same command again",
      });
    }
    rows += count;
    options.onRows(rows);
  };
  for (const group of await groupFiles(named, options)) {
    const name = freeName(group, names);
    names.add(name);
    sources.push(await profileSource(name, group.files, { ...options, onRows }));
  }
  return sources;
}

interface Group {
  readonly name: string | undefined;
  readonly files: GuessedFile[];
}

async function groupFiles(
  named: readonly NamedFiles[],
  { opening, signal }: ProfileOptions,
): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  for (const { name, patterns } of named) {
    for (const found of await findFiles(patterns, { notify: opening.notify, signal })) {
      for (const file of name === undefined ? await openEach(found, opening) : [await openGuessing(found, opening)]) {
        const key = name === undefined ? columnsKey(file) : `named ${name}`;
        getOrAdd(groups, key, () => ({ name, files: [] })).files.push(file);
      }
    }
  }
  return [...groups.values()];
}

function columnsKey({ opened, found }: GuessedFile): string {
  const header = headerOf(opened);
  return header === undefined ? `file ${found.path}` : `columns ${JSON.stringify(header.table.columns)}`;
}

/**
 * Returns an unused name for a source: the given name, or a name that is derived from the first file and contains only
 * characters that are allowed in source names. If the name is already used, appends a number.
 */
function freeName({ name, files }: Group, taken: ReadonlySet<string>): string {
  const [first] = files;
  const base = path
    .basename(first?.found.sheet ?? first?.found.path ?? "records")
    .replace(/\.gz$/i, "")
    .replace(/\.[^.]*$/, "");
  const plain = base
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "");
  const shared = files.length > 1 ? plain.replace(/[_\d]+$/, "") : plain.replace(/_?\d{6,}$/, "");
  const wanted = name ?? (/^\p{L}/u.test(shared) ? shared : `source_${shared || "1"}`);
  if (!taken.has(wanted)) return wanted;
  for (let number = 2; ; number += 1) if (!taken.has(`${wanted}_${number}`)) return `${wanted}_${number}`;
}

/** Number of rows at the start of a source that are all analysed. Of the rows after that, one in ten is analysed. */
const FULLY_ANALYSED_ROWS = 100_000;
const SAMPLE_INTERVAL = 10;

/** Reads a source. If a file is not UTF-8, reads the source again and guesses the encoding of that file. */
async function profileSource(
  name: string,
  files: readonly GuessedFile[],
  options: ProfileOptions,
): Promise<SourceProfile> {
  const { opening, temporaryFolder, onRows } = options;
  const profiles: FileProfile[] = [];
  const columns = createColumns(temporaryFolder);
  for (const [at, file] of files.entries()) {
    columns.name(headerOf(file.opened)?.table.columns ?? []);
    try {
      const onBatch = (batch: readonly ReadRow[]): void => {
        columns.add(batch);
        onRows(batch.length);
      };
      profiles.push(await readWhole(file, onBatch));
    } catch (error) {
      if (file.guessed || !mayGuess(error, opening)) throw error;
      columns.close();
      return profileSource(name, files.with(at, await openGuessed(file.found, opening)), options);
    }
  }
  const rows = profiles.reduce((sum, profile) => sum + profile.rows, 0);
  return { name, files: profiles, rows, columns: columns.profiles() };
}

/**
 * Maximum number of columns of a source. The paths in JSON records become columns, and an object that is keyed by
 * dates, for example, creates any number of paths.
 */
const MAX_COLUMNS = 2000;

let filesMade = 0;

function createColumns(folder: string) {
  const counters = new Map<string, ColumnCounter>();
  let rows = 0;

  function counterOf(name: string): ColumnCounter | undefined {
    const known = counters.get(name);
    if (known !== undefined || counters.size >= MAX_COLUMNS || name.trim() === "") return known;
    filesMade += 1;
    const hashes = createValueHashes(path.join(folder, `values-${process.pid}-${filesMade}`));
    const counter = createColumnCounter(name, hashes);
    counters.set(name, counter);
    return counter;
  }

  function addRow({ row }: ReadRow): void {
    const isSampled = rows <= FULLY_ANALYSED_ROWS || rows % SAMPLE_INTERVAL === 0;
    if (!isCsvRow(row)) {
      for (const [name, text] of flatRecord(row.value)) counterOf(name)?.add(text, isSampled);
      return;
    }
    for (const [at, cell] of row.cells.entries()) counterOf(row.table.columns[at] ?? "")?.add(cell, isSampled);
  }

  return {
    /** Adds columns even if there are no rows. */
    name: (names: readonly string[]): void => {
      for (const name of names) counterOf(name);
    },
    add(batch: readonly ReadRow[]): void {
      for (const read of batch) {
        if (hasErrors(read.problems)) continue;
        rows += 1;
        addRow(read);
      }
    },
    profiles: (): readonly ColumnProfile[] => [...counters.values()].map((counter) => counter.profile(rows)),
    close: (): void => {
      for (const counter of counters.values()) counter.close();
    },
  };
}

/** Maximum number of items of each list in a JSON record that become columns. */
const MAX_ITEMS = 3;
const MAX_DEPTH = 8;

/** Yields the scalars of a JSON record with their paths, as written in a mapping: `contact.phones.0`. */
function* flatRecord(value: JsonValue, at = "", depth = 0): Generator<readonly [path: string, text: string]> {
  if (depth > MAX_DEPTH || value === null) return;
  if (isJsonArray(value)) {
    for (const [index, item] of value.slice(0, MAX_ITEMS).entries())
      yield* flatRecord(item, childAttr(at, String(index)), depth + 1);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* flatRecord(member, childAttr(at, name), depth + 1);
  } else if (at !== "") yield [at, cellTextOf(value)];
}
