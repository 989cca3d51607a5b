import type { CheckProgress } from "../../../job/dependencies.ts";
import type { Job, JobDependencies } from "../../../job/job.ts";
import { describeTemporaryRun } from "../../../job/settings/recorded-settings.ts";
import { openPackedLedger } from "../../../ledger/packed/packed-ledger.ts";
import { check } from "../../../migrate.ts";
import { NEEDS_WORK, type Outcome } from "../../../model/outcome.ts";
import type { Problem } from "../../../model/problem.ts";
import type { InputRecord, Row } from "../../../model/record.ts";
import { rejectedRecords, type RejectRow, rejectRows } from "../../../report/rejects/rejected-rows.ts";
import { textHash } from "../../../text/text-hash.ts";
import { ALL_CAUSES } from "../fix-types.ts";
import type { Refusals } from "./platform-refusals.ts";
import type { SessionParts } from "./session-causes.ts";
import { columnIn, pointerOf, rowContent, type SessionRows } from "./session-rows.ts";
import { INDEXES, type SessionStore, type Found } from "./session-store.ts";

interface BuildParts extends SessionParts {
  readonly job: Job;
  readonly refusals: Refusals;
}

export interface FixDependencies extends JobDependencies {
  readonly drain: AbortSignal;
  readonly onChecked: (progress: CheckProgress) => void;
}

/**
 * Checks the entire input as `validate` does. Stores every record that needs work or has a platform refusal that still
 * applies, with all its rows. Returns the number of valid records whose platform refusals no longer apply.
 * @throws Failure if the input cannot be read or checked
 */
export async function buildSession(parts: BuildParts, dependencies: FixDependencies): Promise<number> {
  const { job, store, refusals } = parts;
  const { clock, temporaryFolder, drain: signal, onChecked: onProgress } = dependencies;
  const ledger = openPackedLedger(temporaryFolder);
  let resolved = 0;
  try {
    const run = await ledger.startRun(describeTemporaryRun("validate", job, clock));
    await check(job, { ledger, run }, { allowEmpty: true, threads: 1, revise: false, signal, onProgress });
    const statuses = refusals.count === 0 ? [...NEEDS_WORK] : undefined;
    const outcomes = async function* (): AsyncGenerator<readonly Outcome[]> {
      for await (const batch of ledger.outcomes(run.id, statuses && { statuses }))
        yield batch.filter(({ status, key }) => NEEDS_WORK.has(status) || refusals.has(key));
    };
    for await (const { rejected, last } of rejectedRecords({ outcomes }, job.input.records({ signal }))) {
      store.exec("begin");
      for (const { record, outcome } of rejected) {
        const refused = await refusals.openFor(outcome.key, record, job);
        const problems = [...outcome.problems, ...refused];
        if (NEEDS_WORK.has(outcome.status) || refused.length > 0) addRecord(parts, record, { ...outcome, problems });
        else resolved += 1;
      }
      store.exec("commit");
      if (last) break;
    }
    signal.throwIfAborted();
  } finally {
    await ledger.close();
  }
  store.exec(INDEXES);
  await restoreOriginals(parts, signal);
  await noteSiblings(parts, signal);
  // The position of each row among the rows of each filter.
  store.run(`insert into listed select source, cause, row_number() over (partition by source, cause order by id) - 1, id
    from cause_row join row on row.id = cause_row.row`);
  return resolved;
}

function addRecord(parts: SessionParts, record: InputRecord, outcome: Outcome): void {
  const { store, rows } = parts;
  const { number, orphan, source, row } = record;
  const index = rows.sourceIndex(source);
  const sql = "insert into record (number, source, orphan, key, problems, state) values (?,?,?,?,?,'open')";
  const id = store.run(sql, number, index, Number(orphan), outcome.key ?? null, JSON.stringify(outcome.problems));
  const entries = rejectRows(record, outcome);
  let next = 0;
  const add = (own: Row, at: number, parent: number): void => {
    const entry = entries[next];
    next += 1;
    if (entry === undefined) throw new Error("a row of a record is missing");
    const rowId = addRow(parts, entry, { record: id, parent, source: at });
    for (const [name, children] of own.children ?? [])
      for (const child of children) add(child, rows.sourceIndex(name), rowId);
  };
  add(row, index, 0);
}

interface RowPosition {
  readonly record: number;
  readonly parent: number;
  readonly source: number;
}

function addRow(parts: SessionParts, { row, problems }: RejectRow, { record, parent, source }: RowPosition): number {
  const { store, rows } = parts;
  const errors = problems.filter(({ severity }) => severity === "error");
  rows.noteColumns(row, source);
  const id = store.run(
    `insert into row (record, parent, source, file, line, pointer, key, original, found)
     values (?,?,?,?,?,?,?,?,?)`,
    record,
    parent,
    source,
    rows.fileIndex(source, row.table),
    row.line,
    pointerOf(row),
    rows.keyOfRow(row, source) ?? null,
    rowContent(row),
    problems.length === 0 ? null : JSON.stringify(problems),
  );
  if (errors.length > 0) countRow(parts, { id, source, isListed: false }, { row, errors });
  return id;
}

/**
 * Counts a row under the causes of its errors, and under `ALL_CAUSES` if it is not listed yet. The row must not be
 * counted under the causes of these errors yet.
 * @param stored `isListed`: whether the grid already shows the row
 */
export function countRow(
  { store, rows, causes }: SessionParts,
  { id, source, isListed }: { readonly id: number; readonly source: number; readonly isListed: boolean },
  { row, errors }: { readonly row: Row; readonly errors: readonly Problem[] },
): void {
  const found = new Map<number, number | undefined>(isListed ? [] : [[ALL_CAUSES, undefined]]);
  for (const problem of errors) {
    const column = problem.place && columnIn(row, problem.place);
    found.set(causes.idOf(problem), column === undefined ? undefined : rows.columnIndex(source, column));
  }
  for (const [cause, column] of found) {
    store.run("insert into cause_row values (?,?,1)", id, cause);
    causes.add(cause, source, column);
    causes.open(cause, source, 1);
  }
}

/** Stores the original cells of the corrected rows. */
async function restoreOriginals({ job, store, rows }: BuildParts, signal: AbortSignal): Promise<void> {
  if (store.one("select 1 from correction limit 1") === undefined) return;
  for await (const { source: name, rows: batch } of job.input.rowsByFile(signal)) {
    const source = rows.sourceIndex(name);
    for (const row of batch) {
      const key = rows.keyOfRow(row, source);
      const sql = "select 1 from correction where source = ? and key = ? limit 1";
      if (key === undefined || store.one(sql, name, key) === undefined) continue;
      const content = rowContent(row);
      for (const { id, original } of rowsAt(store, rows, row, source))
        if (original !== content)
          store.run("update row set built = original, original = ?, key = ? where id = ?", content, key, Number(id));
    }
  }
}

/** Returns the stored rows for a row of a file. Several records may share the row. */
function rowsAt(store: SessionStore, rows: SessionRows, row: Row, source: number): readonly Found[] {
  const place = [rows.fileIndex(source, row.table), row.line, pointerOf(row)] as const;
  return store.all("select id, original from row where file = ? and line = ? and pointer = ?", ...place);
}

/**
 * Stores the other rows that have the same key as a stored row. If there are such rows, a correction of the stored row
 * must identify the entire row.
 */
async function noteSiblings({ job, store, rows }: BuildParts, signal: AbortSignal): Promise<void> {
  const keys = createKeyFilter();
  for (const { source, key } of store.each("select source, key from row where key is not null"))
    keys.add(`${String(source)} ${String(key)}`);
  for await (const { source: name, rows: batch } of job.input.rowsByFile(signal)) {
    const source = rows.sourceIndex(name);
    for (const row of batch) {
      const key = rows.keyOfRow(row, source);
      if (key === undefined || !keys.mayHave(`${source} ${key}`)) continue;
      if (store.one("select 1 from row where source = ? and key = ? limit 1", source, key) === undefined) continue;
      if (rowsAt(store, rows, row, source).length > 0) continue;
      const place = [source, key, rows.fileIndex(source, row.table), row.line, pointerOf(row)] as const;
      store.run("insert into sibling values (?,?,?,?,?,?)", ...place, rowContent(row));
    }
  }
  store.run("create index sibling_by_key on sibling (source, key)");
}

/** A Bloom filter with one hash function, so that most keys of a large input need no query. */
function createKeyFilter(): { readonly add: (key: string) => void; readonly mayHave: (key: string) => boolean } {
  const bits = new Uint8Array(2 ** 22);
  const place = (key: string): readonly [index: number, mask: number] => {
    const bit = textHash(key, 0) % (bits.length * 8);
    return [Math.floor(bit / 8), 1 << (bit % 8)];
  };
  return {
    add: (key) => {
      const [index, mask] = place(key);
      bits[index] = (bits[index] ?? 0) | mask;
    },
    mayHave: (key) => {
      const [index, mask] = place(key);
      return ((bits[index] ?? 0) & mask) !== 0;
    },
  };
}
