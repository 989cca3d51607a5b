/** Bytes that grow at their end. Its memory is used again after `clear`. */
export interface ByteList {
  readonly length: () => number;
  /** What was added since `clear`, until something more is added. */
  readonly bytes: () => Uint8Array;
  readonly clear: () => void;
  readonly addByte: (byte: number) => void;
  readonly addBytes: (bytes: Uint8Array) => void;
  /** In UTF-8; what is no text stands as U+FFFD. */
  readonly addText: (text: string) => void;
}

export function createByteList(): ByteList {
  let memory = new Uint8Array(2 ** 12);
  let end = 0;

  /** The longest text in UTF-8 has three bytes a code unit. */
  function makeRoom(more: number): void {
    if (end + more <= memory.length) return;
    const wider = new Uint8Array(Math.max(memory.length * 2, end + more));
    wider.set(memory.subarray(0, end));
    memory = wider;
  }

  return {
    length: () => end,
    bytes: () => memory.subarray(0, end),
    clear() {
      end = 0;
      if (memory.length > KEPT_BYTES) memory = new Uint8Array(2 ** 12);
    },
    addByte(byte) {
      makeRoom(1);
      memory[end] = byte;
      end += 1;
    },
    addBytes(bytes) {
      makeRoom(bytes.length);
      memory.set(bytes, end);
      end += bytes.length;
    },
    addText(text) {
      makeRoom(text.length * 3);
      const start = end;
      for (let index = 0; index < text.length; index += 1) {
        const unit = text.charCodeAt(index);
        if (unit > 0x7f) {
          end = start + encoder.encodeInto(text, memory.subarray(start)).written;
          return;
        }
        memory[start + index] = unit;
      }
      end = start + text.length;
    },
  };
}

const KEPT_BYTES = 2 ** 22;
const encoder = new TextEncoder();
