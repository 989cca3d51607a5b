import { csvText, shownCell } from "../../report/csv-text.ts";
import { printableJson } from "../../terminal/safe-json.ts";

export type ListFormat = "text" | "csv" | "ndjson";

/** Renders batches of records one after another, then a final piece of text, such as a summary. */
export interface BatchWriter<Item, Summary> {
  readonly add: (batch: readonly Item[]) => string;
  readonly end: (summary: Summary) => string;
}

export function jsonLines<Item>(dataOf: (item: Item) => object): BatchWriter<Item, unknown> {
  return { add: (batch) => batch.map((item) => `${printableJson(dataOf(item))}\n`).join(""), end: () => "" };
}

/** Renders a CSV table for display. Writes the header even if there are no records. */
export function csvTable<Item>(
  titles: readonly string[],
  cellsOf: (item: Item) => readonly string[],
): BatchWriter<Item, unknown> {
  let header = csvText([titles]);
  const once = (): string => {
    const text = header;
    header = "";
    return text;
  };
  return { add: (batch) => once() + csvText(batch.map((item) => cellsOf(item).map(shownCell))), end: once };
}
