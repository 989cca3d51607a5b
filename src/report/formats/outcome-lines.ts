import type { ValidOutcomes } from "../../model/outcome.ts";
import { jsonText } from "../../terminal/safe-json.ts";
import {
  type ByteList,
  MAX_WRITTEN,
  addCopies,
  addNumber,
  countDigits,
  createByteList,
  writeNumber,
} from "../../text/byte-list.ts";

/** A buffer of outcomes as lines of JSON, encoded in UTF-8. */
export interface OutcomeLines {
  readonly add: (line: string) => void;
  readonly addValid: (outcomes: ValidOutcomes) => void;
  /** Returns the bytes added since the last call; undefined while there are too few bytes for a write. */
  readonly take: () => Uint8Array | undefined;
  /**
   * Returns the remaining bytes.
   * @param after text to append if there is at least one line
   */
  readonly end: (after: string) => Uint8Array;
}

export interface Separators {
  /** Text before the first line. */
  readonly before: string;
  readonly between: string;
}

/**
 * Creates a buffer for outcome lines. Lines of records without problems are written as bytes, without a string or an
 * object for each record.
 */
export function createOutcomeLines({ before, between }: Separators): OutcomeLines {
  const bytes = createByteList(2 * MIN_WRITE_BYTES);
  let isFirst = true;
  const writeFirst = validLineWriter(bytes, before);
  const writeLater = validLineWriter(bytes, between);

  return {
    add(line) {
      bytes.addText((isFirst ? before : between) + line);
      isFirst = false;
    },
    addValid(outcomes) {
      const { from, to } = outcomes;
      const first = isFirst ? Math.min(from + 1, to) : from;
      if (first > from) writeFirst({ ...outcomes, to: first });
      writeLater({ ...outcomes, from: first });
      isFirst &&= from === to;
    },
    take: () => (bytes.length() < MIN_WRITE_BYTES ? undefined : bytes.take()),
    end(after) {
      if (!isFirst) bytes.addText(after);
      return bytes.take();
    },
  };
}

const MIN_WRITE_BYTES = 128 * 1024;

/**
 * Creates a writer for the lines of records without problems. These lines differ only in the record number, the key,
 * the file and the line number. If the values are at the same positions for many records, the writer copies the first
 * line and overwrites the values that differ.
 * @param before text before each line
 */
function validLineWriter(bytes: ByteList, before: string): (outcomes: ValidOutcomes) => void {
  const opening = Buffer.from(before + OPENING);

  function addKey(keys: Uint8Array, from: number, to: number): void {
    if (needsNoEscape(keys, from, to)) {
      bytes.addBytes(KEY_AND_QUOTE);
      bytes.addBytes(keys, from, to);
      bytes.addByte(QUOTE);
    } else bytes.addText(`,"key":${jsonText(decoder.decode(keys.subarray(from, to)))}`);
  }

  function addOne({ hasKeys, batch }: ValidOutcomes, index: number, source: Uint8Array): void {
    const { records, lines, keys, keyEnds } = batch;
    bytes.addBytes(opening);
    addNumber(bytes, records[index] ?? 0);
    if (hasKeys) addKey(keys, startOfKey(batch, index), keyEnds[index] ?? 0);
    bytes.addBytes(source);
    addNumber(bytes, lines[index] ?? 0);
    bytes.addBytes(CLOSING);
  }

  function addSimilar(outcomes: ValidOutcomes, from: number, to: number, source: Uint8Array): void {
    const { records, lines, keys, keyEnds } = outcomes.batch;
    const start = bytes.length();
    addOne(outcomes, from, source);
    const length = bytes.length() - start;
    const copies = addCopies(bytes, length, to - from - 1);
    const recordEnd = opening.length + countDigits(records[from] ?? 0);
    const lineEnd = length - CLOSING.length;
    const keyFrom = recordEnd + KEY_AND_QUOTE.length;
    for (let index = from + 1, at = 0; index < to; index += 1, at += length) {
      writeNumber(copies, at + recordEnd, records[index] ?? 0);
      writeNumber(copies, at + lineEnd, lines[index] ?? 0);
      if (!outcomes.hasKeys) continue;
      const keyStart = keyEnds[index - 1] ?? 0;
      const keyEnd = keyEnds[index] ?? 0;
      for (let key = keyStart; key < keyEnd; key += 1) copies[at + keyFrom + key - keyStart] = keys[key] ?? 0;
    }
  }

  return (outcomes) => {
    const { files, fileNumbers } = outcomes.batch;
    let file = -1;
    let source = NOTHING;
    for (let index = outcomes.from; index < outcomes.to;) {
      const fileNumber = fileNumbers[index] ?? 0;
      if (fileNumber !== file) source = Buffer.from(`,"source":{"file":${jsonText(files[fileNumber] ?? "")},"line":`);
      file = fileNumber;
      const end = endOfSimilar(outcomes, index);
      if (end > index + 1) addSimilar(outcomes, index, end, source);
      else addOne(outcomes, index, source);
      index = Math.max(end, index + 1);
    }
  };
}

const OPENING = '{"record":';
const KEY_AND_QUOTE = Buffer.from(',"key":"');
const CLOSING = Buffer.from('},"status":"valid"}');
const NOTHING = Buffer.alloc(0);

function startOfKey({ keyEnds }: ValidOutcomes["batch"], index: number): number {
  return index === 0 ? 0 : (keyEnds[index - 1] ?? 0);
}

/**
 * Finds the consecutive records, starting at `from`, whose lines have all values at the same positions as the first
 * line. Returns the index after the last of these records. Returns `from` if the line at `from` cannot be a template
 * for other lines.
 */
function endOfSimilar(outcomes: ValidOutcomes, from: number): number {
  const { to, batch } = outcomes;
  const { records, lines, fileNumbers } = batch;
  const recordBelow = powerAbove(records[from] ?? 0);
  const lineFrom = lines[from] ?? 0;
  const lineBelow = powerAbove(lineFrom);
  const isKeySimilar = keyComparison(outcomes, from);
  for (let index = from; index < to; index += 1) {
    const isSimilar = fileNumbers[index] === fileNumbers[from] && isKeySimilar(index);
    const line = lines[index] ?? 0;
    // Record numbers ascend, so they need no lower limit.
    if (!isSimilar || (records[index] ?? 0) >= recordBelow || line < lineFrom || line >= lineBelow) return index;
  }
  return to;
}

function keyComparison({ hasKeys, batch }: ValidOutcomes, from: number): (index: number) => boolean {
  if (!hasKeys) return () => true;
  const { keys, keyEnds } = batch;
  const length = (keyEnds[from] ?? 0) - startOfKey(batch, from);
  return (index) => {
    const start = startOfKey(batch, index);
    const end = keyEnds[index] ?? 0;
    return end - start === length && needsNoEscape(keys, start, end);
  };
}

/**
 * Returns the exclusive upper limit of the numbers that have as many digits as this number and that `writeNumber`
 * accepts; 0 if `writeNumber` does not accept this number.
 */
function powerAbove(number: number): number {
  return number > MAX_WRITTEN ? 0 : Math.min(10 ** countDigits(number), MAX_WRITTEN + 1);
}

const [SPACE, QUOTE, BACKSLASH, TILDE] = [0x20, 0x22, 0x5c, 0x7e];

/** Whether the text has only ASCII characters that need no escape. Must match the pattern `PLAIN` of `jsonText`. */
function needsNoEscape(text: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    const byte = text[index] ?? 0;
    if (byte < SPACE || byte > TILDE || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}

/** Keeps a byte order mark, because it is an ordinary character in a key. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
