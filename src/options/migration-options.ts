/** Settings for the whole migration. Runs do not record them. */
export const MIGRATION = {
  inventory: {
    flag: false,
    kind: "object",
    file: true,
    help: "a file with the keys to migrate, or the number of keys",
    docs: "the keys to migrate: a text file with one key per line, or `{ file, column }` for a column of a CSV file or a workbook. `status` then counts the keys that no push has included, and `open` lists them. If you know only how many keys there are, set `inventory` to that number; `open` then lists no missing keys ([monitoring.md](monitoring.md#inventory))",
  },
  owners: {
    flag: false,
    kind: "object",
    file: true,
    help: "people and teams responsible for open records",
    docs: "the people and teams responsible for open records, see [Owners](#owners)",
  },
} as const;

/** A rule of `owners`. */
export const OWNER = {
  owner: { kind: "text", file: "required", docs: "required: the name of the person or team" },
  address: { kind: "text", file: true, docs: "an address to show, for example an e-mail address" },
  days: { kind: "number", range: [0, 3650], file: true, docs: "days after which a record is overdue" },
  codes: {
    kind: "keys",
    range: [1],
    file: true,
    docs: "codes of causes ([errors.md](errors.md#problems-with-payloads)) or, for records without an error, statuses such as `missing`",
  },
  attrs: {
    kind: "keys",
    range: [1],
    file: true,
    docs: "attrs of causes; `*` matches any name or index, and `customers` also matches `customers.0.mobile`",
  },
  statuses: { kind: "keys", range: [1], file: true, docs: "statuses, as `migrate open` lists them" },
  files: {
    kind: "keys",
    range: [1],
    file: true,
    docs: "source files; `*` matches any text, and a pattern without a folder matches in any folder",
  },
  suppliers: { kind: "keys", range: [1], file: true, docs: "codes of import suppliers" },
  columns: {
    kind: "listsByName",
    file: true,
    docs: "values by source column; `*` matches any text",
  },
} as const;

/** The keys to migrate: their number, the path of a text file with one key per line, or a column of a table. */
export type Inventory = number | string | { readonly file: string; readonly column: string };
