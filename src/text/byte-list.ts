/** A growable byte array. */
export interface ByteList {
  readonly length: () => number;
  /** Returns a view of the bytes added since `clear`; valid until the next change. */
  readonly bytes: () => Uint8Array;
  /** Returns a copy of the bytes and clears the list. */
  readonly take: () => Uint8Array<ArrayBuffer>;
  readonly clear: () => void;
  /** Truncates the list to `length` bytes. */
  readonly cut: (length: number) => void;
  readonly addByte: (byte: number) => void;
  /** Adds the bytes from `from` to `to` (exclusive); by default, all bytes. */
  readonly addBytes: (bytes: Uint8Array, from?: number, to?: number) => void;
  /** Adds the text as UTF-8; an unpaired surrogate becomes U+FFFD. */
  readonly addText: (text: string) => void;
}

export function createByteList(firstSize: number = MIN_SIZE): ByteList {
  let memory = new Uint8Array(firstSize);
  let end = 0;

  function makeRoom(more: number): void {
    if (end + more <= memory.length) return;
    const wider = new Uint8Array(Math.max(memory.length * 2, end + more));
    wider.set(memory.subarray(0, end));
    memory = wider;
  }

  function clear(): void {
    end = 0;
    if (memory.length > KEPT_SIZE) memory = new Uint8Array(firstSize);
  }

  /** Copies short pieces in a loop, which is faster than calling `set`. */
  function addBytes(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    makeRoom(to - from);
    const [target, start] = [memory, end - from];
    if (to - from > LONG_PIECE) target.set(bytes.subarray(from, to), end);
    else for (let index = from; index < to; index += 1) target[start + index] = bytes[index] ?? 0;
    end = start + to;
  }

  /** Makes room for three bytes per code unit, the maximum in UTF-8. */
  function addText(text: string): void {
    makeRoom(text.length * 3);
    const [target, start] = [memory, end];
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f || index > LONG_PIECE) {
        end += encoder.encodeInto(text, target.subarray(start)).written;
        return;
      }
      target[start + index] = unit;
    }
    end = start + text.length;
  }

  return {
    length: () => end,
    bytes: () => memory.subarray(0, end),
    take() {
      const taken = memory.slice(0, end);
      clear();
      return taken;
    },
    clear,
    cut: (length) => (end = Math.min(end, length)),
    addByte(byte) {
      makeRoom(1);
      memory[end] = byte;
      end += 1;
    },
    addBytes,
    addText,
  };
}

const MIN_SIZE = 4096;
/** Maximum size of the memory that is kept after `clear`. */
const KEPT_SIZE = 2 ** 22;
const LONG_PIECE = 100;
const encoder = new TextEncoder();

/** Appends `times` copies of the last `length` bytes. Returns a view of the copies, valid until the next change. */
export function addCopies(list: ByteList, length: number, times: number): Uint8Array {
  const start = list.length();
  const end = start + length * times;
  for (let at = start; at < end; at = list.length()) {
    // Copies all bytes written so far in one call.
    list.addBytes(list.bytes().subarray(start - length, start - length + Math.min(at - start + length, end - at)));
  }
  return list.bytes().subarray(start);
}

/** Appends a non-negative integer in decimal digits. */
export function addNumber(list: ByteList, number: number): void {
  if (number > MAX_WRITTEN) {
    list.addText(String(number));
    return;
  }
  writeNumber(digits, digits.length, number);
  list.addBytes(digits, digits.length - countDigits(number), digits.length);
}

/** The largest number that `writeNumber` accepts. */
export const MAX_WRITTEN: number = 2 ** 31 - 1;
const digits = new Uint8Array(10);
const ZERO = 0x30;

/** Writes the digits of a non-negative integer so that they end before `end`. */
export function writeNumber(bytes: Uint8Array, end: number, number: number): void {
  let at = end;
  let rest = number | 0;
  do {
    const tenth = (rest / 10) | 0;
    at -= 1;
    bytes[at] = ZERO + rest - tenth * 10;
    rest = tenth;
  } while (rest > 0);
}

export function countDigits(number: number): number {
  let count = 1;
  for (let power = 10; power <= number; power *= 10) count += 1;
  return count;
}
