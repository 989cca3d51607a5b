/** A place in a source file: a whole record, a cell of a CSV file, or a value of a JSON file. */
export interface Place {
  /** The file as the user named it. */
  readonly file: string;
  /** 1-based physical line on which the row or record starts. */
  readonly line: number;
  /** The column's header (CSV). */
  readonly column?: string;
  /** 1-based position of the column in its file (CSV). */
  readonly columnNumber?: number;
  /** RFC 6901 pointer (JSON): from the document's root; in NDJSON, from the root of the line. */
  readonly pointer?: string;
}

/** `customers.csv:9, column MOBILE`: a place as a person reads it. */
export function formatPlace(place: Place): string {
  const base = `${place.file}:${place.line}`;
  if (place.column !== undefined) return `${base}, column ${place.column}`;
  return place.pointer ? `${base}, at ${place.pointer}` : base;
}
