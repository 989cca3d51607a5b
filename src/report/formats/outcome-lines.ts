import type { ValidOutcomes } from "../../model/outcome.ts";
import { createByteList } from "../../text/byte-list.ts";
import { validLineWriter } from "./valid-lines.ts";

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

/** Lines of outcomes. Those of records with nothing found are written as bytes, without a text or an object for each. */
export function createOutcomeLines({ before, between }: Separators): OutcomeLines {
  const bytes = createByteList(2 * WORTH_WRITING);
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
    take: () => (bytes.length() < WORTH_WRITING ? undefined : bytes.take()),
    end(after) {
      if (!isFirst) bytes.addText(after);
      return bytes.take();
    },
  };
}

const WORTH_WRITING = 128 * 1024;
