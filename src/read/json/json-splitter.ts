export interface ArrayElement {
  /** UTF-8; undefined if the element is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** 1-based line on which the element starts. */
  readonly line: number;
}

/** The reason why the array as a whole cannot be read. */
export interface ArrayError {
  /** 1-based line of the error. */
  readonly line: number;
  readonly reason: string;
}

interface ArraySplitter {
  /** Takes the next bytes of the document; returns the elements that end in them. */
  readonly push: (bytes: Buffer) => readonly ArrayElement[];
  /** Call this after the last bytes. Returns the error of the array itself, if there is one. */
  readonly end: () => ArrayError | undefined;
  /** Returns the error found so far. Reading stops at an error. */
  readonly error: () => ArrayError | undefined;
}

/**
 * Splits a JSON array into its elements. Keeps at most one incomplete element in memory, unlike a parser of complete
 * documents (json-scan.ts), which would need the complete file in memory. Interprets only brackets, strings and the
 * commas between elements, so it also returns elements that are not valid JSON.
 */
export function arraySplitter(limitBytes: number, firstLine = 1): ArraySplitter {
  const state: State = {
    limitBytes,
    phase: "before",
    depth: 0,
    quoted: false,
    escaped: false,
    line: firstLine,
    afterCarriageReturn: false,
    elementLine: 0,
    elements: 0,
    inGap: false,
    start: 0,
    parts: [],
    size: 0,
    error: undefined,
  };
  return {
    push: (bytes) => split(state, bytes),
    error: () => state.error,
    end: () => {
      if (state.error !== undefined || state.phase === "after") return state.error;
      const line = state.depth > 1 || state.quoted ? state.elementLine : state.line;
      return {
        line,
        reason:
          state.phase === "before" ? "it does not begin with [" : "the array is not closed; the file may be truncated",
      };
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
  /** Nesting depth; 1 between the elements of the array. */
  depth: number;
  quoted: boolean;
  escaped: boolean;
  line: number;
  afterCarriageReturn: boolean;
  /** Line of the current element; 0 if only whitespace was read since the last separator. */
  elementLine: number;
  elements: number;
  /** Whether the previous bytes ended with whitespace after a part of the element. This whitespace is not kept. */
  inGap: boolean;
  /** Offset at which the element starts or continues in the current bytes. */
  start: number;
  parts: Buffer[];
  size: number;
  error: ArrayError | undefined;
}

function split(state: State, bytes: Buffer): readonly ArrayElement[] {
  const found: ArrayElement[] = [];
  state.start = 0;
  for (let at = 0; at < bytes.length && state.error === undefined; at += 1) {
    const byte = bytes[at] ?? 0;
    const kind = KINDS[byte] ?? ORDINARY;
    if (kind === ORDINARY && isInsideElement(state)) state.afterCarriageReturn = false;
    else if (state.quoted) inString(state, kind);
    else if (!countLine(state, kind) && kind !== SPACE) {
      const element = outside(state, bytes, at);
      if (element !== undefined) found.push(element);
    }
  }
  if (state.elementLine > 0) keepRest(state, bytes);
  return found;
}

/** Whether an ordinary byte belongs to the current element and does not change the state. */
function isInsideElement(state: State): boolean {
  return state.elementLine > 0 && !state.escaped && !state.inGap;
}

function inString(state: State, kind: number): void {
  countLine(state, kind);
  if (state.escaped) state.escaped = false;
  else if (kind === BACKSLASH) state.escaped = true;
  else if (kind === QUOTE) state.quoted = false;
}

function outside(state: State, bytes: Buffer, at: number): ArrayElement | undefined {
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
  const reason = state.phase === "before" ? "it does not begin with [" : "text follows the end of the array";
  state.error = { line: state.line, reason };
}

/** Handles a comma between elements or the end of the array. Returns the element that ends there. */
function separator(state: State, bytes: Buffer, at: number): ArrayElement | undefined {
  const closing = bytes[at] === CLOSE_ARRAY;
  if (!closing && KINDS[bytes[at] ?? 0] === CLOSES) {
    state.error = { line: state.line, reason: "a } without a matching {" };
    return undefined;
  }
  if (closing) state.phase = "after";
  const empty = closing && state.elements === 0 && state.elementLine === 0;
  return empty ? undefined : finish(state, bytes, at);
}

function begin(state: State, at: number): void {
  if (state.elementLine > 0 && !state.inGap) return;
  // The element continues after whitespace. Without a space, its two parts might form one longer number.
  if (state.inGap) state.parts.push(ONE_SPACE);
  else state.elementLine = state.line;
  state.inGap = false;
  state.start = at;
}

const ONE_SPACE = Buffer.from(" ");

function finish(state: State, bytes: Buffer, at: number): ArrayElement {
  const line = state.elementLine > 0 ? state.elementLine : state.line;
  if (state.elementLine > 0) keep(state, bytes, at);
  const kept = state.size > state.limitBytes ? undefined : Buffer.concat(state.parts);
  state.elements += 1;
  state.elementLine = 0;
  state.inGap = false;
  state.parts = [];
  state.size = 0;
  return { bytes: kept, line };
}

/** Keeps the part of the element in the current bytes, without trailing whitespace of any length. */
function keepRest(state: State, bytes: Buffer): void {
  let end = bytes.length;
  if (state.depth === 1 && !state.quoted) while (end > state.start && isSpace(bytes[end - 1])) end -= 1;
  keep(state, bytes, end);
  state.inGap ||= end < bytes.length;
}

/** Keeps the bytes of the element up to `at`. If the element exceeds the limit, only counts the bytes. */
function keep(state: State, bytes: Buffer, at: number): void {
  if (state.inGap) return;
  state.size += at - state.start;
  if (state.size > state.limitBytes) state.parts = [];
  else state.parts.push(bytes.subarray(state.start, at));
}

/** Counts CRLF, LF and CR as one line ending each. Returns true for a byte of a line ending. */
function countLine(state: State, kind: number): boolean {
  const second = kind === LINE_FEED && state.afterCarriageReturn;
  state.afterCarriageReturn = kind === CARRIAGE_RETURN;
  if (kind !== LINE_FEED && kind !== CARRIAGE_RETURN) return false;
  if (!second) state.line += 1;
  return true;
}

/** Whether the byte is JSON whitespace (RFC 8259, section 2). */
export function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}
