import type { ExportedRow } from "../ledger-store.ts";
import type { Transaction } from "./queries.ts";
import { readKey } from "./written-key.ts";
import { statement } from "../tables/tables.ts";

/**
 * Exports the contents of the ledger in batches: runs, records, the items of each run, requests, decisions and
 * exclusions.
 */
export async function* exportTables(transaction: Transaction): AsyncGenerator<readonly ExportedRow[]> {
  for (const [row, sql] of Object.entries(EXPORTED)) {
    for await (const rows of transaction.batches(statement<Columns>(sql), BATCH)) {
      yield rows.map((columns) => {
        const plain = Object.entries(columns).map(([name, value]) => [name, plainValue(value)]);
        return { row, ...Object.fromEntries(plain) };
      });
    }
  }
}

const BATCH = 500;

const EXPORTED = {
  run: "select * from migrate.runs order by id",
  record: "select * from migrate.records order by id",
  item: `select items.*, files.name as file
    from migrate.items join migrate.files on files.id = items.file order by run, record`,
  attempt: "select * from migrate.attempts order by run, record, attempt",
  decision: "select * from migrate.decisions order by id",
  exclusion: "select * from migrate.exclusions order by identity, excluded_at",
} as const;

type Columns = Readonly<Record<string, string | number | boolean | Uint8Array | null>>;

/** Converts a column value for the export. Booleans become 1 and 0, as in SQLite. Bytes become hexadecimal. */
function plainValue(value: Columns[string] | undefined): string | number | null {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") return readKey(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : (value ?? null);
}
