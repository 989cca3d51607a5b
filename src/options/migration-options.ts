/** Settings about the whole migration. No run records them. */
export const MIGRATION = {
  inventory: {
    flag: false,
    kind: "object",
    file: true,
    help: "all keys to migrate (a file), or their number",
    docs: "all keys to migrate: a text file with one key per line, `{ file, column }` for a CSV file or a workbook, or their number. `status` then counts the keys that are missing, and `open` lists them ([monitoring.md](monitoring.md#inventory))",
  },
} as const;

/** The keys to migrate: their number, a text file with one key per line, or a column of a table. */
export type Inventory = number | string | { readonly file: string; readonly column: string };
