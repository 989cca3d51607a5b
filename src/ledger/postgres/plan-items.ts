import { storedNormalKey } from "../../text/near-key.ts";
import { type PlannedItem, plannedStatus } from "../records/planned-item.ts";
import type { PackedItems } from "../packed/item-columns.ts";
import { unpackItems } from "../packed/packed-items.ts";
import { requirePlanning } from "../plan/finish-plan.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import type { Queries } from "./queries.ts";
import { insertProblems } from "./tables/insert-problems.ts";
import { writtenKey } from "./written-key.ts";
import { statement, type TableValue } from "../tables/tables.ts";

export async function planItems(queries: Queries, run: RunRow, planned: PackedItems): Promise<void> {
  requirePlanning(run);
  const items = unpackItems(planned);
  if (items.length === 0) return;
  const files = await fileNumbers(queries, [...new Set(items.map(({ file }) => file))]);
  await queries.run(INSERT_ITEMS, run.number, ...columnsOf(items, run, files));
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

function columnsOf(
  items: readonly PlannedItem[],
  run: RunRow,
  files: ReadonlyMap<string, number>,
): readonly TableValue[] {
  const keys = items.map(({ key }) => (key === undefined ? null : writtenKey(key)));
  return [
    items.map(({ record }) => record),
    keys,
    keys.map((key) => (key === null ? null : (storedNormalKey(key) ?? null))),
    items.map(({ identity = null }) => identity),
    items.map(({ content }) => contentBytes(content)),
    items.map(({ awaits = null }) => awaits),
    items.map(({ file }) => files.get(file) ?? 0),
    items.map(({ line }) => line),
    items.map((item) => plannedStatus(item, run)),
    items.map(({ rowHash = null }) => rowHash),
    items.map(({ asOf = null }) => asOf),
  ];
}

/** Returns the bytes of a content hash. A fast hash is a number, stored as 8 bytes. */
function contentBytes(content: PlannedItem["content"]): Uint8Array | null {
  if (typeof content !== "number") return content ?? null;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(content);
  return bytes;
}
