import { compileMapping } from "../../src/map/compile-mapping.ts";
import { NO_FUNCTIONS } from "../../src/map/leaf/function-calls.ts";
import type { MappingValues } from "../../src/map/compile-context.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import type { Mapping } from "../../src/map/mapping.ts";
import type { FieldType, ObjectType, UnionType } from "../../src/contract/types/field-type.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { Failure } from "../../src/model/failure.ts";
import type { JsonObject } from "../../src/json/json-value.ts";
import type { CsvRow, CsvTable, JsonRow, Row } from "../../src/model/record.ts";

const BASE = { nullable: false, deprecated: false, validators: [] } as const;

export const text: FieldType = { ...BASE, kind: "text", allowBlank: false, documentPath: false };
export const nullableText: FieldType = { ...text, nullable: true };
export const decimal: FieldType = { ...BASE, kind: "decimal" };
export const integer: FieldType = { ...BASE, kind: "integer" };
export const number: FieldType = { ...BASE, kind: "number" };
export const boolean: FieldType = { ...BASE, kind: "boolean" };
export const date: FieldType = { ...BASE, kind: "date" };
export const datetime: FieldType = { ...BASE, kind: "datetime" };
export const time: FieldType = { ...BASE, kind: "time" };
export const anything: FieldType = { ...BASE, kind: "any" };

export function choice(...choices: readonly (string | number | boolean)[]): FieldType {
  return { ...BASE, kind: "choice", choices };
}

/** Returns an object type. Properties whose names end in `!` are required, in `~` read-only, in `!~` both. */
export function object(fields: Readonly<Record<string, FieldType>>, additional?: FieldType): ObjectType {
  const properties = new Map(
    Object.entries(fields).map(([written, type]) => {
      const name = written.replace(/[!~]+$/, "");
      return [name, { name, type, required: written.includes("!"), readOnly: written.endsWith("~") }];
    }),
  );
  return { ...BASE, kind: "object", properties, additional: additional ?? "closed" };
}

export function list(items: FieldType): FieldType {
  return { ...BASE, kind: "list", items, uniqueItems: false };
}

export function union(options: readonly FieldType[], discriminator?: UnionType["discriminator"]): FieldType {
  return { ...BASE, kind: "union", options, ...(discriminator === undefined ? {} : { discriminator }) };
}

export function operation(body: FieldType | undefined, key?: string): Operation {
  return {
    id: "import-account",
    method: "POST",
    path: "/data-import/accounts/",
    ...(body === undefined ? {} : { body }),
    ...(key === undefined ? {} : { key: [key] }),
    dedupesByKey: false,
    replies: [],
    outcomes: [],
    steps: [],
    readBack: [],
  };
}

export const NO_VALUES: MappingValues = { lookups: new Map(), functions: NO_FUNCTIONS };

export function compile(yaml: string, body: FieldType, values: MappingValues = NO_VALUES): Mapping {
  return compileMapping(readMapping({ file: "mapping.yaml", text: yaml }), operation(body, "id"), values);
}

export function table(file: string, columns: readonly string[]): CsvTable {
  return { kind: "csv", file, columns, columnIndex: new Map(columns.map((name, index) => [name, index])) };
}

/** Creates a row of a table with its joined rows. */
export function csvRow(
  of: CsvTable,
  line: number,
  cells: readonly string[],
  children?: Readonly<Record<string, readonly Row[]>>,
): CsvRow {
  const row = { table: of, line, cells };
  return children === undefined ? row : { ...row, children: new Map(Object.entries(children)) };
}

/** Creates a row on line 2 of a new file. */
export function rowOf(cells: Readonly<Record<string, string>>): CsvRow {
  return csvRow(table("accounts.csv", Object.keys(cells)), 2, Object.values(cells));
}

export function jsonRow(value: JsonObject, pointer = "/0"): JsonRow {
  return { table: { kind: "json", file: "accounts.json" }, line: 2, pointer, value };
}

export function failureOf(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
