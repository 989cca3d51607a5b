import { kindOf, type OptionRow, type OptionTable, type RecordedValues } from "./option-row.ts";

/**
 * Selects the values that a run records. Ignores other members of `given`. A switch without a value is recorded as
 * false.
 */
export function recordedValues<Table extends OptionTable>(
  table: Table,
  given: MaybeGiven<RecordedValues<Table>>,
): RecordedValues<Table>;
export function recordedValues(table: OptionTable, given: object): object {
  const values = new Map<string, unknown>(Object.entries(given));
  const rows = Object.entries(table).filter(([, { recorded }]) => recorded !== undefined);
  return Object.fromEntries(
    rows.map(([name, row]) => [name, values.get(name) ?? (kindOf(row) === "switch" ? false : undefined)]),
  );
}

type MaybeGiven<Values> = { readonly [Name in keyof Values]?: Values[Name] | undefined };

export function reimportedValues<Values extends object>(table: OptionTable, values: Values): Partial<Values>;
export function reimportedValues(table: OptionTable, values: object): object {
  const given = new Map<string, unknown>(Object.entries(values));
  const rows = Object.entries(table).filter(([, { reimport }]) => reimport);
  return Object.fromEntries(rows.map(([name]) => [name, given.get(name)]));
}

/** Returns the values of a table, with each path replaced by the result of `resolve`. */
export function resolvedPaths<Values extends object>(
  table: OptionTable,
  values: Values,
  resolve: (file: string) => string,
): Values;
export function resolvedPaths(table: OptionTable, values: object, resolve: (file: string) => string): object {
  const rows = new Map(Object.entries(table));
  const entries = Object.entries(values).map(([name, value]: [string, unknown]) => {
    const row = rows.get(name);
    return [name, row === undefined ? value : resolvedValue(row, value, resolve)];
  });
  return Object.fromEntries(entries);
}

function resolvedValue(row: OptionRow, value: unknown, resolve: (file: string) => string): unknown {
  const kind = kindOf(row);
  if (typeof value === "string") return value !== "" && (kind === "path" || kind === "paths") ? resolve(value) : value;
  if (kind === "paths" && Array.isArray(value)) return value.map(String).map(resolve);
  if (typeof value !== "object" || value === null) return value;
  if (kind === "pathsByName")
    return Object.fromEntries(Object.entries(value).map(([name, file]) => [name, resolve(String(file))]));
  return row.members === undefined ? value : resolvedPaths(row.members, value, resolve);
}

/** Splits a name into words: `maxErrors` into `max` and `errors`. */
function words(name: string): readonly string[] {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ");
}

/** Returns the flag of an option, such as `--max-errors`. */
export function flagOf(name: string, negated?: true): string {
  return `--${negated === true ? "no-" : ""}${words(name).join("-")}`;
}

/** Returns the environment variable of an option, such as `MIGRATE_MAX_ERRORS`. */
export function variableOf(name: string): string {
  return `MIGRATE_${words(name).join("_").toUpperCase()}`;
}
