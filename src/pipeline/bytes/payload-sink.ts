import type { JsonValue } from "../../json/json-value.ts";
import { asciiTextContent, EMPTY_LIST, EMPTY_OBJECT, withItem, withMember } from "../../json/fast-content-hash.ts";
import { type ContentSink, hashSink, type Remembered } from "./content-sink.ts";

/** A sink that builds the payload in addition to its hash. Members are in the order of the mapping. */
export interface PayloadSink extends ContentSink {
  /** Begins a new payload. */
  readonly clear: () => void;
  /** Returns the value that was written last. */
  readonly built: () => JsonValue;
}

export function payloadSink(): PayloadSink {
  const hashes = hashSink();
  const names: { readonly name: string; readonly hash: number }[] = [];
  const last: LastValue = { value: null };
  let objects: Record<string, JsonValue>[] = [];
  let lists: JsonValue[][] = [];

  return {
    ...hashes,
    clear() {
      objects = [];
      lists = [];
    },
    built: () => last.value,
    nameOf(name) {
      names.push({ name, hash: hashes.nameOf(name) });
      return names.length - 1;
    },
    beginObject() {
      objects.push({});
      return EMPTY_OBJECT;
    },
    withMember(members, at, content) {
      const { name, hash } = names[at] ?? NO_NAME;
      const object = objects[objects.length - 1];
      if (object !== undefined) object[name] = last.value;
      return withMember(members, hash, content);
    },
    endObject() {
      last.value = objects.pop() ?? null;
    },
    beginList() {
      lists.push([]);
      return EMPTY_LIST;
    },
    withItem(items, item) {
      lists[lists.length - 1]?.push(last.value);
      return withItem(items, item);
    },
    endList() {
      last.value = lists.pop() ?? null;
    },
    copied(bytes, from, to) {
      const content = asciiTextContent(bytes, from, to);
      if (content >= 0) last.value = bytes.toString("latin1", from, to);
      return content;
    },
    value(value) {
      last.value = value;
      return hashes.value(value);
    },
    remember: (slots) => rememberedValues(slots, last),
  };
}

const NO_NAME = { name: "", hash: 0 };

interface LastValue {
  value: JsonValue;
}

function rememberedValues(slots: number, last: LastValue): Remembered {
  const contents = new Float64Array(slots);
  const values = Array.from({ length: slots }, (): JsonValue => null);
  return {
    keep(slot, content) {
      contents[slot] = content;
      values[slot] = last.value;
    },
    use(slot) {
      last.value = values[slot] ?? null;
      return contents[slot] ?? 0;
    },
  };
}
