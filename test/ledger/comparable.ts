import type { ExportedRow } from "../../src/ledger/ledger-store.ts";

/**
 * Removes from a value everything that differs between ledgers with the same history: replaces run ids with numbers,
 * replaces times of the system clock with "now", and converts bytes to hexadecimal digits.
 * @param runs ids of the ledger's runs, oldest first
 */
export function comparable(value: unknown, runs: readonly string[]): unknown {
  if (typeof value === "string") {
    const numbered = runs.reduce((text, id, index) => text.replaceAll(id, `run ${index + 1}`), value);
    return numbered.replaceAll(SYSTEM_TIME, "now");
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (Array.isArray(value)) return value.map((each: unknown) => comparable(each, runs));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, comparable(each, runs)]));
}

/** A time outside 2120, the year of all times in scripts. */
const SYSTEM_TIME = /\b(?!2120)2\d\d\d-\d\d-\d\dT[\d:.]+Z/g;

/** Returns the exported rows in a fixed order, without the numbers that a database assigns to them. */
export function comparableRows(rows: readonly ExportedRow[]): readonly unknown[] {
  const runs = rows.filter(({ row }) => row === "run").map(({ id }) => id);
  const numbered = rows.map(({ run, ...columns }): ExportedRow => ({
    ...columns,
    content: contentOf(columns),
    // If no plan counts a record, SQLite marks the record with -1. PostgreSQL marks it in another table.
    ...(columns["resends"] === -1 && { resends: 0 }),
    id: null,
    ...(run !== undefined && { run: runs.indexOf(run) + 1 }),
  }));
  return numbered.toSorted((one, other) => compareTexts(identityOf(one), identityOf(other)));
}

/**
 * Returns the content of a row. For a record that is not sent, the content is a number, which PostgreSQL stores as
 * eight bytes.
 */
function contentOf({ content = null }: ExportedRow): ExportedRow[string] {
  if (typeof content !== "number") return content;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(content);
  return bytes.toString("hex");
}

/** Returns the sort key of a row. Only records are sorted, because ledgers export them in any order. */
function identityOf(row: ExportedRow): string {
  return row["row"] === "record" ? String(row["identity"]) : "";
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
