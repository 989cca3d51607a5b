import { storedNormalKey } from "../../text/near-key.ts";
import { type PlannedItem, plannedStatus } from "../records/planned-item.ts";
import type { PackedItems } from "../packed/item-columns.ts";
import { unpackItems } from "../packed/packed-items.ts";
import { requirePlanning } from "../plan/finish-plan.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { columnsOf } from "./postgres-tables.ts";
import type { Queries } from "./queries.ts";
import { insertProblems } from "./tables/insert-problems.ts";
import { writtenKey } from "./written-key.ts";
import { type Scalar, statement } from "../tables/tables.ts";

export async function planItems(queries: Queries, run: RunRow, planned: PackedItems): Promise<void> {
  requirePlanning(run);
  const items = unpackItems(planned);
  if (items.length === 0) return;
  const files = await fileNumbers(queries, [...new Set(items.map(({ file }) => file))]);
  const rows = items.map((item) => valuesOf(item, run, files.get(item.file) ?? 0));
  await queries.run(INSERT_ITEMS, run.number, ...columnsOf(rows));
  await insertProblems(queries, run.number, items);
}

async function fileNumbers(queries: Queries, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  await queries.run("insert into migrate.files (name) select unnest($1::text[]) on conflict do nothing", names);
  const files = await queries.rows(SELECT_FILES, names);
  return new Map(files.map(({ name, id }) => [name, id]));
}

const SELECT_FILES = statement<{ name: string; id: number }>(
  "select name, id from migrate.files where name = any($1::text[])",
);

const INSERT_ITEMS = `
  insert into migrate.items (run, record, key, near, identity, content, awaits, file, line, status, row_hash, as_of)
  select $1::int, each.* from unnest(
    $2::int[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bytea[], $8::int[], $9::bigint[], $10::text[], $11::bigint[],
    $12::bigint[]
  ) as each`;

function valuesOf(item: PlannedItem, run: RunRow, file: number): readonly Scalar[] {
  const { record, identity = null, content, awaits = null, line, rowHash = null, asOf = null } = item;
  const key = item.key === undefined ? null : writtenKey(item.key);
  const near = key === null ? null : (storedNormalKey(key) ?? null);
  const bytes = contentBytes(content);
  return [record, key, near, identity, bytes, awaits, file, line, plannedStatus(item, run), rowHash, asOf];
}

/** Returns the bytes of a content hash. A fast hash is a number, stored as 8 bytes. */
function contentBytes(content: PlannedItem["content"]): Uint8Array | null {
  if (typeof content !== "number") return content ?? null;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(content);
  return bytes;
}
