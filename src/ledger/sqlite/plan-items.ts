import type { Status } from "../../model/outcome.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { normalKey, storedNormalKey } from "../../text/near-key.ts";
import { textHash } from "../../text/text-hash.ts";
import { type PlannedItem, plannedStatus } from "../records/planned-item.ts";
import { requirePlanning } from "../plan/finish-plan.ts";
import { PLAN_ATTEMPT } from "../records/stored-problem.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.ts";
import { addToCounts } from "./tables/count-schema.ts";
import { insertProblems } from "./tables/insert-problems.ts";
import { statement } from "../tables/tables.ts";

const SELECT_FILE = statement<{ id: number }>("select id from files where name = ?");

/** Writes the items of plans. */
interface Planner {
  readonly plan: (run: RunRow, items: readonly PlannedItem[]) => void;
  /** Call this when the plan is complete. Returns whether the plan may contain keys that are equal or nearly equal. */
  readonly takeKeyUniqueness: (run: RunRow) => "may repeat" | "differ";
  /** Forgets the keys of a plan that is restarted. */
  readonly forgetKeys: () => void;
}

/** The planner caches the numbers of files, and the hashes of keys in the run that it is planning. */
export function createPlanner(database: SqliteDatabase): Planner {
  const files = new Map<string, number>();
  let keys: { readonly run: number; readonly hashes: KeyHashes } | undefined;

  function fileNumber(name: string): number {
    const known = files.get(name);
    if (known !== undefined) return known;
    database.run("insert or ignore into files (name) values (?)", name);
    const number = database.row(SELECT_FILE, name)?.id ?? 0;
    files.set(name, number);
    return number;
  }

  /**
   * Returns the hashes of a plan's keys; undefined if another process started the plan, because some of its keys are
   * then unknown.
   */
  function keyHashesOf({ number }: RunRow): KeyHashes | undefined {
    if (keys?.run === number) return keys.hashes;
    if (database.row(ANY_ITEM, number) !== undefined) return undefined;
    keys = { run: number, hashes: createKeyHashes() };
    return keys.hashes;
  }

  return {
    plan(run, items) {
      requirePlanning(run);
      const writing: Writing = { run, fileNumber, keyHashes: keyHashesOf(run) };
      insertItems(database, items, writing);
      addToCounts(database, run.number, "status", countStatuses(items, run));
      insertProblems(database, { run: run.number, attempt: PLAN_ATTEMPT }, items);
    },
    takeKeyUniqueness(run) {
      const mayRepeat = keyHashesOf(run)?.mayRepeat() ?? true;
      keys = undefined;
      return mayRepeat ? "may repeat" : "differ";
    },
    forgetKeys() {
      keys = undefined;
    },
  };
}

const ANY_ITEM = statement<{ record: number }>("select record from items where run = ? limit 1");

/** Rows per insert statement. A row in a large insert costs half as much as a row that is inserted alone. */
const ROWS_AT_ONCE = [300, 20, 1] as const;

interface Writing {
  readonly run: RunRow;
  readonly fileNumber: (name: string) => number;
  readonly keyHashes: KeyHashes | undefined;
}

function insertItems(database: SqliteDatabase, items: readonly PlannedItem[], writing: Writing): void {
  let done = 0;
  for (const size of ROWS_AT_ONCE) {
    for (; items.length - done >= size; done += size) {
      const values: SqlValue[] = [writing.run.number];
      for (const item of items.slice(done, done + size)) addValues(values, item, writing);
      database.run(INSERT_ITEMS[size], ...values);
    }
  }
}

const INSERT_ITEMS = { 300: insertSql(300), 20: insertSql(20), 1: insertSql(1) } as const;

/** Parameter 1 is the run of every row. */
function insertSql(rows: number): string {
  const row = "(?1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return `insert into items (run, record, key, near, identity, content, awaits, file, line, row_hash, as_of, status)
    values ${Array.from({ length: rows }, () => row).join(", ")}`;
}

/**
 * Returns a key and its normal form as they are stored. The key is first converted to its canonical form, because
 * keys with the same canonical form have the same identity. The normal form is null if the ledger computes it
 * from the key. Adds the normal form to `keyHashes`.
 */
function storedKeys(
  given: string | undefined,
  keyHashes: KeyHashes | undefined,
): readonly [string | null, string | null] {
  if (given === undefined) return [null, null];
  const key = canonicalKey(given);
  const near = storedNormalKey(key);
  keyHashes?.add(near ?? normalKey(key));
  return [key, near ?? null];
}

function addValues(values: SqlValue[], item: PlannedItem, { run, fileNumber, keyHashes }: Writing): void {
  const { identity = null, content = null, awaits = null, rowHash = null } = item;
  const [key, near] = storedKeys(item.key, keyHashes);
  const row = [item.record, key, near, identity, content, awaits, fileNumber(item.file), item.line];
  values.push(...row, rowHash, item.asOf ?? null, plannedStatus(item, run));
}

function countStatuses(items: readonly PlannedItem[], run: RunRow): ReadonlyMap<Status, number> {
  const counts = new Map<Status, number>();
  for (const item of items) {
    const status = plannedStatus(item, run);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}

/**
 * 52-bit hashes of the normal forms of keys. The hashes are a cheap proof that no two keys are equal or nearly equal.
 */
interface KeyHashes {
  readonly add: (key: string) => void;
  /**
   * Returns false only if no key was added twice. May return true even then, if two keys share a hash or if there were
   * too many keys.
   */
  readonly mayRepeat: () => boolean;
}

/** Maximum number of hashes. This many hashes take 32 MB. If there are more keys, SQLite sorts them on disk. */
const MAX_KEYS = 4_000_000;
const CHUNK = 2 ** 13;
const HASH_SEED = 0x243f6a88;

export function createKeyHashes(maxKeys: number = MAX_KEYS): KeyHashes {
  const chunks: Float64Array[] = [];
  let count = 0;

  function sorted(): Float64Array {
    const hashes = new Float64Array(count);
    for (const [index, chunk] of chunks.entries()) hashes.set(chunk.subarray(0, count - index * CHUNK), index * CHUNK);
    return hashes.toSorted();
  }

  return {
    add(key) {
      const at = count % CHUNK;
      count += 1;
      if (count > maxKeys) chunks.length = 0;
      else {
        if (at === 0) chunks.push(new Float64Array(CHUNK));
        const chunk = chunks.at(-1);
        if (chunk !== undefined) chunk[at] = textHash(key, HASH_SEED);
      }
    },
    mayRepeat() {
      if (count > maxKeys) return true;
      const hashes = sorted();
      return hashes.some((hash, index) => hash === hashes[index - 1]);
    },
  };
}
