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
}

/** Formats a place: `customers.csv:9, column MOBILE`. */
export function formatPlace(place: Place): string {
  const base = `${place.file}:${place.line}`;
  if (place.column !== undefined) return `${base}, column ${place.column}`;
  return place.pointer ? `${base}, at ${place.pointer}` : base;
}
