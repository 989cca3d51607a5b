const QUOTE = '"';

/**
 * Returns the cells of a record that contains quotes; undefined if a quote neither encloses a cell nor is doubled
 * inside a quoted cell.
 * @param record the record without its line end
 */
export function quotedCells(record: string, delimiter: string): readonly string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ;) {
    const isQuoted = record[at] === QUOTE;
    const end = isQuoted ? closingQuote(record, at + 1) + 1 : endOfBareCell(record, at, delimiter);
    if (end === 0) return undefined;
    const cell = isQuoted ? withoutQuotes(record, at, end) : record.slice(at, end);
    if (!isQuoted && cell.includes(QUOTE)) return undefined;
    cells.push(cell);
    if (end === record.length) return cells;
    if (record[end] !== delimiter) return undefined;
    at = end + 1;
  }
}

/** Returns the position of the quote that closes a cell; -1 if there is none. */
function closingQuote(record: string, from: number): number {
  let at = record.indexOf(QUOTE, from);
  while (at >= 0 && record[at + 1] === QUOTE) at = record.indexOf(QUOTE, at + 2);
  return at;
}

function endOfBareCell(record: string, from: number, delimiter: string): number {
  const end = record.indexOf(delimiter, from);
  return end < 0 ? record.length : end;
}

function withoutQuotes(record: string, start: number, end: number): string {
  const cell = record.slice(start + 1, end - 1);
  return cell.includes(QUOTE) ? cell.replaceAll('""', QUOTE) : cell;
}
