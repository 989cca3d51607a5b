import type { ValidOutcomes } from "../../model/outcome.ts";
import { jsonText } from "../../terminal/safe-json.ts";
import { addNumber, createByteList } from "../../text/byte-list.ts";

/** Outcomes as JSON, one after the other, in bytes. */
export interface OutcomeLines {
  /** The line of one outcome. */
  readonly add: (line: string) => void;
  /** The lines of outcomes with nothing found. */
  readonly addValid: (outcomes: ValidOutcomes) => void;
  /** What was added since the last call, when it is worth writing. */
  readonly take: () => Uint8Array | undefined;
  /** What is left. @param after stands behind the last line, where there is one */
  readonly end: (after: string) => Uint8Array;
}

export interface Separators {
  /** In front of the first line. */
  readonly before: string;
  readonly between: string;
}

/**
 * Lines of outcomes. Those of records with nothing found differ by four values alone: they are written as bytes, without a
 * text or an object for each.
 */
export function createOutcomeLines({ before, between }: Separators): OutcomeLines {
  const bytes = createByteList(2 * WORTH_WRITING);
  let opening = Buffer.from(before + OPENING);
  const laterOpening = Buffer.from(between + OPENING);

  function addKey(keys: Uint8Array, from: number, to: number): void {
    if (needsNoEscape(keys, from, to)) {
      bytes.addBytes(KEY_AND_QUOTE);
      bytes.addBytes(keys, from, to);
      bytes.addByte(QUOTE);
    } else bytes.addText(`,"key":${jsonText(decoder.decode(keys.subarray(from, to)))}`);
  }

  function addValid({ from, to, hasKeys, batch }: ValidOutcomes): void {
    const { records, lines, files, fileNumbers, keys, keyEnds } = batch;
    let file = -1;
    let source = NOTHING;
    for (let index = from; index < to; index += 1) {
      const fileNumber = fileNumbers[index] ?? 0;
      if (fileNumber !== file) source = Buffer.from(`,"source":{"file":${jsonText(files[fileNumber] ?? "")},"line":`);
      file = fileNumber;
      bytes.addBytes(opening);
      opening = laterOpening;
      addNumber(bytes, records[index] ?? 0);
      if (hasKeys) addKey(keys, index === 0 ? 0 : (keyEnds[index - 1] ?? 0), keyEnds[index] ?? 0);
      bytes.addBytes(source);
      addNumber(bytes, lines[index] ?? 0);
      bytes.addBytes(CLOSING);
    }
  }

  return {
    add(line) {
      bytes.addText((opening === laterOpening ? between : before) + line);
      opening = laterOpening;
    },
    addValid,
    take: () => (bytes.length() < WORTH_WRITING ? undefined : bytes.take()),
    end(after) {
      if (opening === laterOpening) bytes.addText(after);
      return bytes.take();
    },
  };
}

const WORTH_WRITING = 128 * 1024;

const OPENING = '{"record":';
const KEY_AND_QUOTE = Buffer.from(',"key":"');
const CLOSING = Buffer.from('},"status":"valid"}');
const NOTHING = Buffer.alloc(0);

const [SPACE, QUOTE, BACKSLASH, TILDE] = [0x20, 0x22, 0x5c, 0x7e];

/** As `jsonText` sees it. */
function needsNoEscape(text: Uint8Array, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    const byte = text[index] ?? 0;
    if (byte < SPACE || byte > TILDE || byte === QUOTE || byte === BACKSLASH) return false;
  }
  return true;
}

/** A mark of the byte order is a character of a key like any other. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
