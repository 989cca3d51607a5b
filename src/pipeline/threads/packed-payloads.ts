import { type ByteList, createByteList } from "../../text/byte-list.ts";

/** The payloads of a chunk's records as they will be sent: canonical JSON in UTF-8. */
export interface PackedPayloads {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** For each record of the chunk: the start of its payload in `bytes`. */
  readonly starts: Uint32Array;
  /** For each record of the chunk: the end of its payload, exclusive; 0 if it has none. */
  readonly ends: Uint32Array;
}

/** Collects the payloads of a chunk. Records are numbered from 1. */
export interface PayloadList {
  readonly text: ByteList;
  readonly add: (record: number, payload: string) => void;
  /** Declares this part of `text` as the payload of the record. */
  readonly note: (record: number, start: number, end: number) => void;
  /** Returns the payloads added since the last call of `take` or `clear`. */
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
