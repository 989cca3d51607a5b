import type { ValidOutcomes } from "../../model/outcome.ts";
import { createByteList } from "../../text/byte-list.ts";
import { validLineWriter } from "./valid-lines.ts";

/** A buffer for outcomes as JSON, in bytes. */
export interface OutcomeLines {
  /** Adds the line of one outcome. */
  readonly add: (line: string) => void;
  /** Adds the lines of outcomes without problems. */
  readonly addValid: (outcomes: ValidOutcomes) => void;
  /** Returns the bytes added since the last call; undefined while there are too few for a write. */
  readonly take: () => Uint8Array | undefined;
  /** Returns the remaining bytes. @param after text to append if there is at least one line */
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
