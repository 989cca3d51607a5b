import type { Status } from "../../../model/outcome.ts";
import { storedNormalKey } from "../../../text/near-key.ts";
import type { ExcludedRow, PlannedItem, PlanPolicy } from "../../ledger.ts";
import type { PackedItems } from "../../packed/item-columns.ts";
import { isPacked, unpackItems } from "../../packed/packed-items.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { PostgresValue, Queries, Statement, Transaction } from "../queries.ts";
import { coverPlan } from "../tables/coverage-rows.ts";
import { insertPlanProblems } from "../tables/problem-rows.ts";
import { writtenKey } from "../written-key.ts";
import { markDuplicateKeys } from "./duplicate-rows.ts";
import { applyKnownRecords } from "./known-rows.ts";
import { refuseNearKnownKeys } from "./near-known-rows.ts";
import { writeFindings } from "./plan-findings.ts";

export async function restartPlan(transaction: Transaction, run: RunRow): Promise<void> {
  requirePlanning(run);
  await transaction.run("delete from migrate.problems where run = $1", run.number);
  await transaction.run("delete from migrate.positions where run = $1", run.number);
  await transaction.run("delete from migrate.items where run = $1", run.number);
}

export async function planItems(
  transaction: Transaction,
  run: RunRow,
  planned: readonly PlannedItem[] | PackedItems,
): Promise<void> {
  requirePlanning(run);
  const items = isPacked(planned) ? unpackItems(planned) : planned;
  if (items.length === 0) return;
  const files = await fileNumbers(transaction, [...new Set(items.map(({ file }) => file))]);
  await transaction.run(INSERT_ITEMS, run.number, ...columnsOf(items, run, files));
  await insertPlanProblems(transaction, run.number, items);
}

/** Makes the planned records whose rows begin at these places `invalid`, in a single pass over the plan. */
export async function excludeRows(
  transaction: Transaction,
  run: RunRow,
  excluded: readonly ExcludedRow[],
): Promise<void> {
  if (excluded.length === 0) return;
  const found = await transaction.rows(
    SELECT_EXCLUDED,
    run.number,
    excluded.map(({ file }) => file),
    excluded.map(({ line }) => line),
  );
  const positions = new Map<number, number[]>();
  for (const { record, position } of found) {
    const known = positions.get(record);
    if (known === undefined) positions.set(record, [position]);
    else known.push(position);
  }
  const findings = [...positions].map(([record, places]) => ({
    record,
    status: "invalid" as const,
    problems: places.flatMap((position) => excluded[position]?.problem ?? []),
  }));
  await writeFindings(transaction, run, findings);
}

export async function finishPlan(transaction: Transaction, run: RunRow, policy: PlanPolicy): Promise<void> {
  requirePlanning(run);
  // The plan has just been written, so the server has no statistics about it yet.
  await transaction.run("analyze migrate.items");
  await markDuplicateKeys(transaction, run, policy);
  await applyKnownRecords(transaction, run, policy);
  if (policy.newKeys !== true) await refuseNearKnownKeys(transaction, run, policy);
  if (run.sends) await coverPlan(transaction, run.number, () => transaction.run(INSERT_RECORDS, run.number));
  await transaction.run("update migrate.runs set state = 'sending' where id = $1", run.number);
}

/** Creates the rows of all records to send in one statement, so that none is created between intent and request. */
const INSERT_RECORDS = `
  insert into migrate.records (identity, content, state, attempts)
  select identity, content, 'pending', 0 from migrate.items
  where run = $1 and status = 'pending' and identity is not null and content is not null order by record
  on conflict (identity) do nothing`;

async function fileNumbers(queries: Queries, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
  await queries.run("insert into migrate.files (name) select unnest($1::text[]) on conflict do nothing", names);
  const files = await queries.rows(SELECT_FILES, names);
  return new Map(files.map(({ name, id }) => [name, id]));
}

const SELECT_FILES: Statement<{ name: string; id: number }> = {
  sql: "select name, id from migrate.files where name = any($1::text[])",
};

const INSERT_ITEMS = `
  insert into migrate.items (run, record, key, near, identity, content, awaits, file, line, status, row_hash)
  select $1::int, each.* from unnest(
    $2::int[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bytea[], $8::int[], $9::bigint[], $10::text[], $11::bigint[]
  ) as each`;

function columnsOf(
  items: readonly PlannedItem[],
  run: RunRow,
  files: ReadonlyMap<string, number>,
): readonly PostgresValue[] {
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
    items.map((item): string => (run.sends ? sentStatus(item) : item.status)),
    items.map(({ rowHash = null }) => rowHash),
  ];
}

/** A fast hash is a number of 8 bytes. */
function contentBytes(content: PlannedItem["content"]): Uint8Array | null {
  if (typeof content !== "number") return content ?? null;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(content);
  return bytes;
}

function sentStatus({ status }: PlannedItem): Status {
  return status === "valid" ? "pending" : status;
}

function requirePlanning(run: RunRow): void {
  if (run.state !== "planning") throw new Error("The run's plan is already finished.");
}

const SELECT_EXCLUDED: Statement<{ readonly record: number; readonly position: number }> = {
  sql: `
  select items.record, (excluded.nth - 1)::int as position
  from unnest($2::text[], $3::bigint[]) with ordinality as excluded (file, line, nth)
  join migrate.files on files.name = excluded.file
  join migrate.items on items.run = $1 and items.file = files.id and items.line = excluded.line
  where items.status in ('valid', 'pending', 'invalid')
  order by items.record, excluded.nth`,
};
