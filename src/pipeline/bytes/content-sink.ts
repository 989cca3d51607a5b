import { canonicalJson, type JsonValue } from "../../json/json-value.ts";
import {
  asciiTextContent,
  createFastContentHash,
  EMPTY_LIST,
  EMPTY_OBJECT,
  nameContent,
  withItem,
  withMember,
} from "../../json/fast-content-hash.ts";
import type { ByteList } from "../../text/byte-list.ts";

/**
 * Writes the content of a record while its bytes are scanned: as a hash (`createFastContentHash`), as a hash and a
 * value, or as canonical JSON. Functions that return content return the hash of the written value, or 0 for JSON.
 */
export interface ContentSink {
  /** Whether the caller must write the members of an object in the order of their names. */
  readonly isCanonical: boolean;
  /** Registers a member name and returns its number for `beginMember` and `withMember`. */
  readonly nameOf: (name: string) => number;
  readonly beginObject: () => number;
  /** Call this before the value of a member. */
  readonly beginMember: (name: number, isFirst: boolean) => void;
  readonly withMember: (members: number, name: number, value: number) => number;
  readonly endObject: () => void;
  readonly beginList: () => number;
  /** Call this before an item. */
  readonly beginItem: (isFirst: boolean) => void;
  readonly withItem: (items: number, item: number) => number;
  readonly endList: () => void;
  /**
   * Writes the bytes as a string. Returns -1 and writes nothing if the bytes are not pure ASCII or, for canonical JSON,
   * need escapes.
   */
  readonly copied: (bytes: Buffer, from: number, to: number) => number;
  readonly value: (value: JsonValue) => number;
  /** Returns the position of the next write. */
  readonly place: () => number;
  /** Discards everything written since `place`. */
  readonly undo: (place: number) => void;
  /** Allocates slots that remember written values. */
  readonly remember: (slots: number) => Remembered;
}

export interface Remembered {
  /** Stores the value written since `place`, and its content. */
  readonly keep: (slot: number, content: number, place: number) => void;
  /** Writes the value of the slot again and returns its content. */
  readonly use: (slot: number) => number;
}

/** Returns a sink that computes hashes, for `validate`, which compares contents only with each other. */
export function hashSink(): ContentSink {
  return {
    isCanonical: false,
    nameOf: nameContent,
    beginObject: () => EMPTY_OBJECT,
    beginMember: () => undefined,
    withMember,
    endObject: () => undefined,
    beginList: () => EMPTY_LIST,
    beginItem: () => undefined,
    withItem,
    endList: () => undefined,
    copied: asciiTextContent,
    value: createFastContentHash(),
    place: () => 0,
    undo: () => undefined,
    remember(slots) {
      const contents = new Float64Array(slots);
      return {
        keep: (slot, content) => (contents[slot] = content),
        use: (slot) => contents[slot] ?? 0,
      };
    },
  };
}

const [BRACE, END_BRACE, BRACKET, END_BRACKET, COMMA, QUOTE] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x22];

/** Returns a sink that appends the payload to the list as canonical JSON. */
export function jsonSink(list: ByteList): ContentSink {
  const names: Uint8Array[] = [];
  return {
    isCanonical: true,
    nameOf(name) {
      names.push(new TextEncoder().encode(`${canonicalJson(name)}:`));
      return names.length - 1;
    },
    beginObject() {
      list.addByte(BRACE);
      return 0;
    },
    beginMember(name, isFirst) {
      if (!isFirst) list.addByte(COMMA);
      const bytes = names[name];
      if (bytes !== undefined) list.addBytes(bytes);
    },
    withMember: () => 0,
    endObject: () => list.addByte(END_BRACE),
    beginList() {
      list.addByte(BRACKET);
      return 0;
    },
    beginItem(isFirst) {
      if (!isFirst) list.addByte(COMMA);
    },
    withItem: () => 0,
    endList: () => list.addByte(END_BRACKET),
    copied(bytes, from, to) {
      if (!isPlain(bytes, from, to)) return -1;
      list.addByte(QUOTE);
      list.addBytes(bytes, from, to);
      list.addByte(QUOTE);
      return 0;
    },
    value(value) {
      list.addText(canonicalJson(value));
      return 0;
    },
    place: list.length,
    undo: list.cut,
    remember: () => rememberedTexts(list),
  };
}

function rememberedTexts(list: ByteList): Remembered {
  const texts: Uint8Array[] = [];
  const contents: number[] = [];
  return {
    keep(slot, content, place) {
      texts[slot] = list.bytes().slice(place);
      contents[slot] = content;
    },
    use(slot) {
      const text = texts[slot];
      if (text !== undefined) list.addBytes(text);
      return contents[slot] ?? 0;
    },
  };
}

/** Whether the bytes can be copied into JSON unchanged: printable ASCII without quotes or backslashes. */
function isPlain(bytes: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte >= 0x7f || byte === QUOTE || byte === 0x5c) return false;
  }
  return true;
}
