import type { RowPosition } from "../../model/record.ts";
/** One record of a file: an element of a JSON array, or a line of NDJSON. */
interface RecordText {
  /** `undefined` when it is longer than the limit. */
  readonly text: string | undefined;
  /** 1-based line on which it starts. */
  readonly line: number;
}

/** Why the array as a whole cannot be read. */
export interface ArrayDamage {
  /** 1-based. */
  readonly line: number;
  readonly reason: string;
}

interface ArraySplitter {
  /** Takes the next bytes of the document; gives the elements that end in them. */
  readonly push: (bytes: Buffer) => readonly RecordText[];
  /** After the last bytes: what is wrong with the array itself, if anything. */
  readonly end: () => ArrayDamage | undefined;
  /** Damage met so far; nothing is read behind it. */
  readonly damage: () => ArrayDamage | undefined;
}

/**
 * Splits a JSON array into its elements without holding more than one of them.
 * It reads brackets, strings and the commas between elements alone, in bytes as they come: an element that is not JSON
 * is a problem of that element, and a parser of whole texts (json-scan.ts) would have to hold the file.
 */
export function arraySplitter(limitBytes: number, firstLine = 1): ArraySplitter {
  const state = newState(limitBytes, firstLine);
  return {
    push: (bytes) => split(state, bytes),
    damage: () => state.damage,
    end: () => {
      if (state.damage !== undefined || state.phase === "after") return state.damage;
      const line = state.depth > 1 || state.quoted ? state.elementLine : state.line;
      return { line, reason: state.phase === "before" ? "no array begins" : "the array is not closed: cut off here?" };
    },
  };
}

const ORDINARY = 0;
const SPACE = 1;
const LINE_FEED = 2;
const CARRIAGE_RETURN = 3;
const OPENS = 4;
const CLOSES = 5;
const COMMA = 6;
const QUOTE = 7;
const BACKSLASH = 8;

const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(String.fromCharCode(byte)));

function kindOf(character: string): number {
  if ("{[".includes(character)) return OPENS;
  if ("}]".includes(character)) return CLOSES;
  const index = [" \t", "\n", "\r"].findIndex((characters) => characters.includes(character));
  if (index >= 0) return SPACE + index;
  return character === "," ? COMMA : character === '"' ? QUOTE : character === "\\" ? BACKSLASH : ORDINARY;
}

const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;

interface State {
  readonly limitBytes: number;
  phase: "before" | "inside" | "after";
  /** 1 between the elements of the array. */
  depth: number;
  quoted: boolean;
  escaped: boolean;
  line: number;
  afterCarriageReturn: boolean;
  /** Line of the element that was begun; 0 while only space was seen since the last comma. */
  elementLine: number;
  elements: number;
  /** True when earlier bytes ended in white space behind the element, which is not kept. */
  inGap: boolean;
  /** Where the element goes on in the bytes at hand. */
  start: number;
  parts: Buffer[];
  size: number;
  damage: ArrayDamage | undefined;
}

function newState(limitBytes: number, line: number): State {
  return {
    limitBytes,
    phase: "before",
    depth: 0,
    quoted: false,
    escaped: false,
    line,
    afterCarriageReturn: false,
    elementLine: 0,
    elements: 0,
    inGap: false,
    start: 0,
    parts: [],
    size: 0,
    damage: undefined,
  };
}

function split(state: State, bytes: Buffer): readonly RecordText[] {
  const found: RecordText[] = [];
  state.start = 0;
  for (let at = 0; at < bytes.length && state.damage === undefined; at += 1) {
    const byte = bytes[at] ?? 0;
    const kind = KINDS[byte] ?? ORDINARY;
    if (kind === ORDINARY && goesOn(state)) state.afterCarriageReturn = false;
    else if (state.quoted) inString(state, kind);
    else if (!countLine(state, kind) && kind !== SPACE) {
      const element = outside(state, bytes, at);
      if (element !== undefined) found.push(element);
    }
  }
  if (state.elementLine > 0) keepRest(state, bytes);
  return found;
}

/** True inside an element, where the next byte may be any. */
function goesOn(state: State): boolean {
  return state.elementLine > 0 && !state.escaped && !state.inGap;
}

function inString(state: State, kind: number): void {
  countLine(state, kind);
  if (state.escaped) state.escaped = false;
  else if (kind === BACKSLASH) state.escaped = true;
  else if (kind === QUOTE) state.quoted = false;
}

function outside(state: State, bytes: Buffer, at: number): RecordText | undefined {
  const kind = KINDS[bytes[at] ?? 0] ?? ORDINARY;
  if (state.phase !== "inside") return aroundArray(state, bytes[at]);
  if (state.depth === 1 && (kind === COMMA || kind === CLOSES)) return separator(state, bytes, at);
  begin(state, at);
  if (kind === OPENS) state.depth += 1;
  else if (kind === CLOSES) state.depth -= 1;
  else if (kind === QUOTE) state.quoted = true;
  return undefined;
}

function aroundArray(state: State, byte: number | undefined): undefined {
  if (state.phase === "before" && byte === OPEN_ARRAY) {
    state.phase = "inside";
    state.depth = 1;
    return;
  }
  const reason = state.phase === "before" ? "no array begins" : "text follows the end of the array";
  state.damage = { line: state.line, reason };
}

/** A comma between elements, or the end of the array. */
function separator(state: State, bytes: Buffer, at: number): RecordText | undefined {
  const closing = bytes[at] === CLOSE_ARRAY;
  if (!closing && KINDS[bytes[at] ?? 0] === CLOSES) {
    state.damage = { line: state.line, reason: "a } where nothing is open" };
    return undefined;
  }
  if (closing) state.phase = "after";
  const empty = closing && state.elements === 0 && state.elementLine === 0;
  return empty ? undefined : finish(state, bytes, at);
}

function begin(state: State, at: number): void {
  if (state.elementLine > 0 && !state.inGap) return;
  // Text in place of a comma: without a space it might look like a longer number.
  if (state.inGap) state.parts.push(ONE_SPACE);
  else state.elementLine = state.line;
  state.inGap = false;
  state.start = at;
}

const ONE_SPACE = Buffer.from(" ");

function finish(state: State, bytes: Buffer, at: number): RecordText {
  const line = state.elementLine > 0 ? state.elementLine : state.line;
  if (state.elementLine > 0) keep(state, bytes, at);
  const text = state.size > state.limitBytes ? undefined : Buffer.concat(state.parts).toString();
  state.elements += 1;
  state.elementLine = 0;
  state.inGap = false;
  state.parts = [];
  state.size = 0;
  return { text, line };
}

/** Keeps what the bytes at hand hold of the element, but for white space behind it, however much there is. */
function keepRest(state: State, bytes: Buffer): void {
  let end = bytes.length;
  if (state.depth === 1 && !state.quoted) while (end > state.start && isSpace(bytes[end - 1])) end -= 1;
  keep(state, bytes, end);
  state.inGap ||= end < bytes.length;
}

/** Keeps the element's bytes up to `at`; beyond the limit only their number. */
function keep(state: State, bytes: Buffer, at: number): void {
  if (state.inGap) return;
  state.size += at - state.start;
  if (state.size > state.limitBytes) state.parts = [];
  else state.parts.push(bytes.subarray(state.start, at));
}

/** Counts CRLF, LF and CR once each; true for a byte that ends a line. */
function countLine(state: State, kind: number): boolean {
  const second = kind === LINE_FEED && state.afterCarriageReturn;
  state.afterCarriageReturn = kind === CARRIAGE_RETURN;
  if (kind !== LINE_FEED && kind !== CARRIAGE_RETURN) return false;
  if (!second) state.line += 1;
  return true;
}

/**
 * The lines of `chunks` that are not blank, a batch a chunk. Lines end in LF or CRLF (JSON takes the CR for space);
 * the record separators of JSON text sequences (RFC 7464) are dropped.
 */
export async function* ndjsonLines(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  from: RowPosition = { byte: 0, line: 1 },
): AsyncGenerator<{ readonly lines: readonly RecordText[]; readonly next: RowPosition }> {
  let { byte, line } = from;
  let parts: Buffer[] = [];
  let size = 0;
  const take = (rest: Buffer): RecordText | undefined => {
    const text = size + rest.length > limitBytes ? undefined : textOf(parts, rest);
    parts = [];
    size = 0;
    return text === "" ? undefined : { text, line };
  };
  for await (const chunk of chunks) {
    const batch: RecordText[] = [];
    let start = 0;
    for (;;) {
      const blank = size === 0 ? blankAt(chunk, start) : NOTHING_BLANK;
      start += blank.bytes;
      line += blank.lines;
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      const taken = take(chunk.subarray(start, end));
      if (taken !== undefined) batch.push(taken);
      start = end + 1;
      line += 1;
    }
    size += chunk.length - start;
    if (size > limitBytes) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
    if (batch.length > 0) yield { lines: batch, next: { byte: byte + start, line } };
    byte += chunk.length;
  }
  const last = take(Buffer.alloc(0));
  if (last !== undefined) yield { lines: [last], next: { byte, line } };
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

const LF = 10;

/** White space of JSON (RFC 8259, 2). */
export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === LF;
}

interface Blank {
  readonly bytes: number;
  /** Line feeds among them. */
  readonly lines: number;
}

const NOTHING_BLANK: Blank = { bytes: 0, lines: 0 };

/** The blank lines, and the white space of the line behind them, from `start` on. */
function blankAt(chunk: Buffer, start: number): Blank {
  let lines = 0;
  let at = start;
  for (; isSpace(chunk[at]); at += 1) if (chunk[at] === LF) lines += 1;
  return { bytes: at - start, lines };
}
