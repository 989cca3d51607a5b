import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Failure } from "../../model/failure.ts";
import type { ChunkedInput } from "../chunks/record-chunk.ts";
import { chunkedInput } from "../chunks/chunked-input.ts";
import type { InputPosition, InputRecord, Row } from "../../model/record.ts";
import type { SourceSpec } from "../../model/source-spec.ts";
import { findRecords, firstRows, type WantedRecords } from "../join/find-records.ts";
import { numberRecords, openJoin } from "../join/join.ts";
import {
  type FileOptions,
  headerOf,
  type OpenedFile,
  type OpenOptions,
  rowsOfFile,
  unpackedBytes,
} from "./opened-file.ts";
import { canBeginAt, type OpenedSource, openSource, withDescendants } from "./opened-source.ts";
import { type MissingPaths, missingPaths } from "./missing-paths.ts";
import type { JoinedInput } from "../join/bytes/joined-chunk.ts";
import { joinedInput } from "../join/bytes/joined-input.ts";
import { DEFAULT_LIMITS, type ReadLimits } from "../read-limits.ts";
import type { ReadRow } from "../row/read-row.ts";

export interface ReadOptions extends FileOptions {
  /**
   * Folder for the indexes of joins that do not fit in memory. Created on demand (0700); `close` removes its files
   * (0600).
   */
  readonly tempFolder: string;
  readonly limits?: Partial<ReadLimits>;
  /** Called once per notice, even if the records are read several times. */
  readonly onNotice: (notice: ReadNotice) => void;
  /** Called for each chunk with the total number of bytes read from all files. Repeated reads do not count. */
  readonly onRead?: (read: { readonly bytes: number; readonly ofBytes: number }) => void;
  /** Files that the user did not name (stdin) or that an earlier run has read, by absolute path. */
  readonly knownFiles?: ReadonlyMap<string, KnownFile>;
}

export interface KnownFile {
  /** The name to show in places and messages. */
  readonly file: string;
  /**
   * When the file was last modified, in milliseconds since 1970. A copy may have a different time. Undefined for stdin.
   */
  readonly modifiedMs: number | undefined;
}

/** A notice about a file that can be read. It contains no values. */
export interface ReadNotice {
  readonly file: string;
  readonly text: string;
}

interface InputFile {
  /** The name of the source to which the file belongs. */
  readonly source: string;
  /** The file name as the user gave it. */
  readonly file: string;
  readonly path: string;
  /** Size on disk, before unpacking. */
  readonly bytes: number;
  /** Estimated size after unpacking. */
  readonly unpackedBytes: number;
  readonly kind: OpenedFile["kind"];
  /** The header (CSV, XLSX). */
  readonly columns?: readonly string[];
}

export interface Input {
  /** The files of the root source, then the files of its children, depth first. */
  readonly files: readonly InputFile[];
  /**
   * Yields the records in batches of up to `BATCH_ROWS`: first the records of the root source in order, then the child
   * rows without a parent. Each call returns the same records with the same numbers. `from` is a position after a
   * record; it is ignored if the file cannot be read from that position.
   * @throws Failure `source_changed` if a file has changed since the input was opened, failures from reading, and the
   * abort reason of the signal
   */
  readonly records: (options?: {
    readonly signal?: AbortSignal;
    readonly from?: InputPosition | undefined;
  }) => AsyncGenerator<readonly InputRecord[]>;
  /** Returns the name of a file that has changed since the input was opened; undefined if none has changed. */
  readonly changedFile: () => Promise<string | undefined>;
  /** @throws Failure `source_changed` if a file has changed since the input was opened */
  readonly refuseChanged: () => Promise<void>;
  /**
   * Finds a few records of the root source. Uses no index and returns no orphans. Throws the same failures as
   * `records`.
   */
  readonly find: (wanted: WantedRecords) => Promise<readonly InputRecord[]>;
  /** Whether a source below the root declares a key. The same key may then occur in rows of several records. */
  readonly hasKeysBelow: boolean;
  /**
   * Yields the rows of every file, in the order of `files`. The rows are neither joined nor amended. Throws failures
   * from reading, but does not check whether a file has changed.
   */
  readonly rowsByFile: (signal?: AbortSignal) => AsyncGenerator<FileRows>;
  /** Returns the first row of each source, as a record with the number 0. Throws failures from reading. */
  readonly samples: () => Promise<readonly InputRecord[]>;
  /**
   * Returns the paths that no row of a JSON source has, for each source with such paths. Reads only as many rows as
   * necessary. `wanted`: the paths that the mapping reads, by source. Throws the same failures as `rowsByFile`.
   */
  readonly missingPaths: (wanted: ReadonlyMap<string, readonly string[]>) => Promise<readonly MissingPaths[]>;
  /** The names of the root source's files. */
  readonly rootFiles: ReadonlySet<string>;
  /** The same records as bytes for other threads; absent if sources are joined, or rows are amended or skipped. */
  readonly chunked?: ChunkedInput | undefined;
  /** Like `chunked`, but for joined CSV files; absent if `csvSources` does not support the join. */
  readonly joined?: JoinedInput | undefined;
  readonly close: () => Promise<void>;
}

interface FileRows {
  /** The name of the source to which the file belongs. */
  readonly source: string;
  readonly file: string;
  readonly rows: readonly Row[];
  /** The problems of each row, in the order of `rows`. */
  readonly problems: readonly ReadRow["problems"][];
  /** Number of blank lines that were skipped since the previous batch (CSV only). */
  readonly blankLines: number;
}

/**
 * Opens every file of the plan.
 * @throws Failure with one of the codes `source_...` in docs/errors.md for an unreadable file; `usage` for an unknown
 * encoding or delimiter, or a file named twice; `mapping_invalid` for a join without a key, and for renamed columns of
 * a JSON file; `incomplete` if the signal is aborted during a glob
 */
export async function openInput(plan: SourceSpec, options: ReadOptions): Promise<Input> {
  const reach = createReach(options.onRead);
  const opening: OpenOptions = {
    ...options,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    notify: notifyOnce(options.onNotice),
    displayName: (path) => options.knownFiles?.get(resolve(path))?.file ?? path,
    dateOf: (found) => (options.knownFiles?.get(resolve(found.path)) ?? found).modifiedMs,
    onPosition: reach.note,
  };
  const root = await openSource(plan, opening);
  const sources = withDescendants<OpenedSource>(root);
  reach.begin(sources.flatMap(({ files }) => files));
  const join = openJoin(root, opening.limits, options.tempFolder);
  const changedFile = (): Promise<string | undefined> => firstChangedOf(sources);
  const refuseChanged = async (): Promise<void> => {
    const file = await changedFile();
    if (file === undefined) return;
    throw new Failure("source_changed", `${file}: has changed since reading began`, {
      hint: "wait until no other program is writing to it, then run the same command again",
    });
  };
  const records: Input["records"] = async function* ({ signal, from } = {}) {
    await refuseChanged();
    const place = from !== undefined && canBeginAt(from, root) ? from : undefined;
    yield* numberRecords(join.rows(place), (place?.record ?? 1) - 1, signal);
    await refuseChanged();
  };
  const reading = { limits: opening.limits, tempFolder: options.tempFolder, refuseChanged, records };
  return {
    files: sources.flatMap((source) => source.files.map((opened) => inputFile(source.name, opened))),
    async *rowsByFile(signal) {
      for (const { name, files } of sources) for (const opened of files) yield* rowsAlone(name, opened, signal);
    },
    close: join.close,
    hasKeysBelow: sources.some((source) => source !== root && source.key !== undefined),
    rootFiles: new Set(root.files.map(({ file }) => file)),
    chunked: chunkedInput(root, refuseChanged),
    joined: joinedInput(root, reading),
    samples: () => firstRows(root),
    async missingPaths(wanted) {
      const found: (MissingPaths | undefined)[] = [];
      for (const source of sources) found.push(await missingPaths(source, wanted.get(source.name) ?? []));
      return found.filter((one) => one !== undefined);
    },
    async find(wanted) {
      await refuseChanged();
      const found = await findRecords(root, opening.limits, wanted);
      await refuseChanged();
      return found;
    },
    changedFile,
    refuseChanged,
    records,
  };
}

/**
 * Tracks the furthest position read in each file, because files may be read several times: to build an index, to check
 * whether they are sorted, and to read the records.
 */
function createReach(onRead: ReadOptions["onRead"]) {
  const furthest = new Map<string, number>();
  let bytes = 0;
  let ofBytes = 0;
  return {
    /** Sets the files to track. Ignores workbooks, because their parts are not read in file order. */
    begin: (files: readonly OpenedFile[]): void => {
      const counted = files.filter(({ kind }) => kind !== "xlsx");
      ofBytes = counted.reduce((sum, { found }) => sum + found.bytes, 0);
      for (const { found } of counted) furthest.set(found.path, 0);
    },
    note: (path: string, position: number): void => {
      const before = furthest.get(path);
      if (before === undefined || position <= before) return;
      furthest.set(path, position);
      bytes += position - before;
      onRead?.({ bytes, ofBytes });
    },
  };
}

async function* rowsAlone(
  source: string,
  opened: OpenedFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileRows> {
  const { file } = opened;
  let blankLines = 0;
  const noteBlankLines = (count: number): void => {
    blankLines += count;
  };
  for await (const batch of rowsOfFile(opened, { onBlankLines: noteBlankLines })) {
    signal?.throwIfAborted();
    const problems = batch.map((read) => read.problems);
    yield { source, file, rows: batch.map(({ row }) => row), problems, blankLines };
    blankLines = 0;
  }
  yield { source, file, rows: [], problems: [], blankLines };
}

function notifyOnce(onNotice: (notice: ReadNotice) => void): OpenOptions["notify"] {
  const shown = new Set<string>();
  return (file, text) => {
    const notice = `${file}\n${text}`;
    if (shown.has(notice)) return;
    shown.add(notice);
    onNotice({ file, text });
  };
}

function inputFile(source: string, opened: OpenedFile): InputFile {
  const { file, path, kind, found } = opened;
  const header = headerOf(opened);
  const columns = header === undefined ? {} : { columns: header.table.columns };
  return { source, file, path, bytes: found.bytes, unpackedBytes: unpackedBytes(opened), kind, ...columns };
}

async function firstChangedOf(sources: readonly OpenedSource[]): Promise<string | undefined> {
  for (const { files } of sources) {
    const changed = await Promise.all(files.map(hasChanged));
    const first = files.find((_, index) => changed[index]);
    if (first !== undefined) return first.file;
  }
  return undefined;
}

async function hasChanged({ found }: OpenedFile): Promise<boolean> {
  const now = await stat(found.path).catch(() => undefined);
  return (
    now === undefined ||
    now.size !== found.bytes ||
    now.mtimeMs !== found.modifiedMs ||
    `${now.dev}:${now.ino}` !== found.identity
  );
}
