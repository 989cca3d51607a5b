/** A place in a source file: a whole record, a cell of a CSV file, or a value of a JSON file. */
export interface Place {
  /** The file name as the user gave it. */
  readonly file: string;
  /** 1-based physical line on which the row or record starts. */
  readonly line: number;
  /** The column's header (CSV). */
  readonly column?: string;
  /** 1-based position of the column in its file (CSV). */
  readonly columnNumber?: number;
  /** RFC 6901 pointer (JSON), relative to the document root or, in NDJSON, to the value of the line. */
  readonly pointer?: string;
  /** All cells from which the value may come, if there are several. They may be in different rows. */
  readonly cells?: readonly Place[];
}

export function cellsOf(place: Place): readonly Place[] {
  return place.cells ?? [place];
}

/** Formats a place: `customers.csv:9, column MOBILE`. Names all cells of the value in the same row. */
export function formatPlace(place: Place): string {
  const { file, line } = place;
  const own = cellsOf(place).filter((cell) => cell.file === file && cell.line === line);
  const columns = own.flatMap(({ column }) => column ?? []);
  const pointers = own.flatMap(({ pointer }) => pointer || []);
  const base = `${file}:${line}`;
  if (columns.length > 0) return `${base}, ${columns.length === 1 ? "column" : "columns"} ${columns.join(", ")}`;
  return pointers.length > 0 ? `${base}, at ${pointers.join(", ")}` : base;
}
