import type { JsonObject } from "../../json/json-value.ts";
import type { FunctionCall } from "../../map/leaf/function-calls.ts";
import { type CsvTable, isCsvRow, type Row } from "../../model/record.ts";
import { type CallBatch, type LoadedFunction, NO_ROW } from "./function-messages.ts";

/** Packs calls for the function thread. Rows are sent only for functions that use them, and each header only once. */
export function batchPacker(loaded: readonly LoadedFunction[]): (calls: readonly FunctionCall[]) => CallBatch {
  const positions = new Map(loaded.map(({ name }, position) => [name, position]));
  const usesRow = loaded.map(({ source }) => mayReadRow(source));
  const headers = new Map<CsvTable, number>();
  return (calls) => {
    const functions: number[] = [];
    const texts: string[] = [];
    const rowOf: number[] = [];
    const rows: (readonly string[] | JsonObject)[] = [];
    const headerOf: number[] = [];
    const newHeaders: (readonly string[])[] = [];
    let last: Row | undefined;
    for (const { name, text, row } of calls) {
      const position = positions.get(name) ?? 0;
      functions.push(position);
      texts.push(text);
      const isWanted = usesRow[position] === true;
      if (isWanted && row !== last) {
        last = row;
        rows.push(isCsvRow(row) ? row.cells : row.value);
        headerOf.push(isCsvRow(row) ? headerNumber(row.table, headers, newHeaders) : NO_ROW);
      }
      rowOf.push(isWanted ? rows.length - 1 : NO_ROW);
    }
    return { functions, texts, rowOf, rows, headerOf, newHeaders };
  };
}

function headerNumber(table: CsvTable, known: Map<CsvTable, number>, added: (readonly string[])[]): number {
  const number = known.get(table);
  if (number !== undefined) return number;
  const names = table.columns.map((name, index) => (table.columnIndex.get(name) === index ? name : ""));
  added.push(names);
  known.set(table, known.size);
  return known.size - 1;
}

/** A function or arrow function with at most one parameter, which has no default and no destructuring. */
const ONE_PARAMETER = /^(?:function\s*[\w$]*\s*\(\s*[\w$]*\s*\)|\(\s*[\w$]*\s*\)\s*=>|[\w$]+\s*=>)/;

/** Other ways to access the second argument. */
const OTHER_WAYS = /\barguments\b|\beval\b|\\u|\[native code\]/;

/**
 * Whether a function may read its row. False only if the source of the function shows that it cannot access its second
 * argument; the row is then not copied.
 */
export function mayReadRow(source: string): boolean {
  return !ONE_PARAMETER.test(source) || OTHER_WAYS.test(source);
}
