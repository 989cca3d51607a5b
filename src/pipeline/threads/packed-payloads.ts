import { type ByteList, createByteList } from "../../text/byte-list.ts";

/** The payloads of a chunk's records as they are sent: canonical JSON in UTF-8. */
export interface PackedPayloads {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each record of the chunk where its payload begins. */
  readonly starts: Uint32Array;
  /** The byte behind it; 0: there is none. */
  readonly ends: Uint32Array;
}

/** Payloads that are being written; their records are numbered from 1. */
export interface PayloadList {
  readonly text: ByteList;
  readonly add: (record: number, payload: string) => void;
  /** What stands in `text` from here to there is the payload of this record. */
  readonly note: (record: number, start: number, end: number) => void;
  /** What was written since the last time. */
  readonly take: () => PackedPayloads;
  readonly clear: () => void;
}

export function createPayloadList(): PayloadList {
  const text = createByteList();
  let starts: number[] = [];
  let ends: number[] = [];

  function note(record: number, start: number, end: number): void {
    while (starts.length < record) {
      starts.push(0);
      ends.push(0);
    }
    starts[record - 1] = start;
    ends[record - 1] = end;
  }

  function clear(): void {
    text.clear();
    starts = [];
    ends = [];
  }

  return {
    text,
    add(record, payload) {
      const start = text.length();
      text.addText(payload);
      note(record, start, text.length());
    },
    note,
    take() {
      const taken = { bytes: text.take(), starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) };
      clear();
      return taken;
    },
    clear,
  };
}
