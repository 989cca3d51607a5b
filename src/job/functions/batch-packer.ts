import type { JsonObject } from "../../json/json-value.ts";
import type { FunctionCall } from "../../map/leaf/function-calls.ts";
import { type CsvTable, isCsvRow, type Row } from "../../model/record.ts";
import { type CallBatch, type LoadedFunction, NO_ROW } from "./function-messages.ts";

/** Packs calls for the thread of functions. Rows are sent only for functions that take them, each header once. */
export function batchPacker(loaded: readonly LoadedFunction[]): (calls: readonly FunctionCall[]) => CallBatch {
  const positions = new Map(loaded.map(({ name }, position) => [name, position]));
  const takesRow = loaded.map(({ source }) => mayReadRow(source));
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
      const isWanted = takesRow[position] === true;
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

/** A plain function or arrow function with one plain parameter, or none. */
const ONE_PARAMETER = /^(?:function\s*[\w$]*\s*\(\s*[\w$]*\s*\)|\(\s*[\w$]*\s*\)\s*=>|[\w$]+\s*=>)/;

/** Other ways to the second argument. */
const OTHER_WAYS = /\barguments\b|\beval\b|\\u|\[native code\]/;

/** False only where a function's source shows that it cannot get at its second argument: then the row need not be copied. */
export function mayReadRow(source: string): boolean {
  return !ONE_PARAMETER.test(source) || OTHER_WAYS.test(source);
}
