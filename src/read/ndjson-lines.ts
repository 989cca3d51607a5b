/** One line that is not blank. */
export interface TextLine {
  /** `undefined` when it is longer than the limit. */
  readonly text: string | undefined;
  /** 1-based. */
  readonly line: number;
}

const LF = 10;

/**
 * The lines of `chunks` that are not blank, a batch a chunk. Lines end in LF or CRLF (JSON takes the CR for space);
 * the record separators of JSON text sequences (RFC 7464) are dropped.
 */
export async function* ndjsonLines(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
): AsyncGenerator<readonly TextLine[]> {
  let line = 1;
  let parts: Buffer[] = [];
  let size = 0;
  const take = (rest: Buffer): TextLine | undefined => {
    const text = size + rest.length > limitBytes ? undefined : textOf(parts, rest);
    parts = [];
    size = 0;
    return text === "" ? undefined : { text, line };
  };
  for await (const chunk of chunks) {
    const batch: TextLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      const taken = take(chunk.subarray(start, end));
      if (taken !== undefined) batch.push(taken);
      start = end + 1;
      line += 1;
    }
    size += chunk.length - start;
    parts = size > limitBytes ? [] : [...parts, chunk.subarray(start)];
    if (batch.length > 0) yield batch;
  }
  const last = take(Buffer.alloc(0));
  if (last !== undefined) yield [last];
}

const RECORD_SEPARATOR = "\u{1E}";

function textOf(parts: readonly Buffer[], rest: Buffer): string {
  const text = parts.length === 0 ? rest.toString() : Buffer.concat([...parts, rest]).toString();
  const record = text.startsWith(RECORD_SEPARATOR) ? text.slice(1) : text;
  let start = 0;
  let end = record.length;
  while (start < end && isSpace(record.charCodeAt(start))) start += 1;
  while (end > start && isSpace(record.charCodeAt(end - 1))) end -= 1;
  return record.slice(start, end);
}

/** JSON's white space without the line feed. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d;
}
