import type { ExportedRow } from "../../src/ledger/ledger-store.ts";

/**
 * A value without its differences between ledgers in which the same happened: ids of runs are numbered, times of the
 * system clock are "now", and bytes are hexadecimal.
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

/** Scripts are in 2020. */
const SYSTEM_TIME = /\b20(?!20)\d\d-\d\d-\d\dT[\d:.]+Z/g;

/** Exported rows without the numbers that a database gives to its rows. */
export function comparableRows(rows: readonly ExportedRow[]): readonly unknown[] {
  const runs = rows.filter(({ row }) => row === "run").map(({ id }) => id);
  const numbered = rows.map(({ run, ...columns }): ExportedRow => ({
    ...columns,
    content: contentOf(columns),
    // SQLite marks a record that no plan counts by -1, PostgreSQL in a table.
    ...(columns["resends"] === -1 && { resends: 0 }),
    id: null,
    ...(run !== undefined && { run: runs.indexOf(run) + 1 }),
  }));
  return numbered.toSorted((one, other) => compareTexts(identityOf(one), identityOf(other)));
}

/** The content of a record that is not sent is a number. PostgreSQL stores its eight bytes. */
function contentOf({ content = null }: ExportedRow): ExportedRow[string] {
  if (typeof content !== "number") return content;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(content);
  return bytes.toString("hex");
}

/** Records have no order. */
function identityOf(row: ExportedRow): string {
  return row["row"] === "record" ? String(row["identity"]) : "";
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
