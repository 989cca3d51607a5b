import fc from "fast-check";
import { expect, test } from "vitest";
import { createFastContentHash } from "../../../src/json/fast-content-hash.ts";
import { canonicalJson, isJsonArray, isJsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import { type ContentSink, hashSink, jsonSink } from "../../../src/pipeline/bytes/content-sink.ts";
import { payloadSink } from "../../../src/pipeline/bytes/payload-sink.ts";
import { createByteList } from "../../../src/text/byte-list.ts";

const hashOf = createFastContentHash();
const decoder = new TextDecoder();

const name = fc.constantFrom("a", "B", "b c", 'q"', "é", "\u{1f600}", "\uff41");
const text = fc.oneof(fc.string(), fc.constantFrom("Ann", "1 High St", 'a "b"', "Zoë", "", "back\\slash"));
const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null));
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(name, tie("value")), { maxLength: 4, selector: ([of]) => of })
      .map((members) => Object.fromEntries(members)),
  ),
}));

/** Writes a value as the fast path does. Writes and discards another value before each item and member. */
function write(sink: ContentSink, value: JsonValue): number {
  if (typeof value === "string") return writeText(sink, value);
  if (isJsonArray(value)) return writeList(sink, value);
  if (!isJsonObject(value)) return sink.value(value);
  let members = sink.beginObject();
  const names = Object.keys(value);
  for (const [index, member] of (sink.isCanonical ? names.toSorted() : names).entries()) {
    const number = sink.nameOf(member);
    discard(sink, () => sink.beginMember(number, index === 0));
    sink.beginMember(number, index === 0);
    members = sink.withMember(members, number, write(sink, value[member] ?? null));
  }
  sink.endObject();
  return members;
}

function writeList(sink: ContentSink, list: readonly JsonValue[]): number {
  let items = sink.beginList();
  for (const [index, item] of list.entries()) {
    discard(sink, () => sink.beginItem(index === 0));
    sink.beginItem(index === 0);
    items = sink.withItem(items, write(sink, item));
  }
  sink.endList();
  return items;
}

function writeText(sink: ContentSink, value: string): number {
  const bytes = Buffer.from(`"${value}"`);
  const copied = sink.copied(bytes, 1, bytes.length - 1);
  return copied < 0 ? sink.value(value) : copied;
}

function discard(sink: ContentSink, begin: () => void): void {
  const place = sink.place();
  begin();
  sink.value("discarded");
  sink.undo(place);
}

test("a value that is written in parts has the same hash as the whole value", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(write(hashSink(), value)).toBe(hashOf(value));
    }),
  );
});

test("a value that is written in parts is output as canonical JSON, with the content number 0", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const list = createByteList();
      expect(write(jsonSink(list), value)).toBe(0);
      expect(decoder.decode(list.bytes())).toBe(canonicalJson(value));
    }),
  );
});

test("a payload that is written in parts keeps the given order, and has the same hash as the whole value", () => {
  const sink = payloadSink();
  fc.assert(
    fc.property(anyValue, (value) => {
      sink.clear();
      expect(write(sink, value)).toBe(hashOf(value));
      expect(JSON.stringify(sink.built())).toBe(JSON.stringify(value));
    }),
  );
});

test("a payload starts empty after an unfinished payload is cleared", () => {
  const sink = payloadSink();
  expect(sink.built()).toBeNull();
  const member = sink.nameOf("a");
  sink.beginObject();
  sink.beginList();
  sink.clear();
  sink.withItem(sink.value("lost"), 0);
  sink.withMember(0, member, 0);
  sink.endList();
  expect(sink.built()).toBeNull();
  sink.value("kept");
  sink.endObject();
  expect(sink.built()).toBeNull();
});

const EVERY_BYTE = Array.from({ length: 256 }, (_, byte) => byte);

test("canonical JSON copies a byte at any position only if a JSON string contains the byte unescaped", () => {
  const list = createByteList();
  const sink = jsonSink(list);
  for (const byte of EVERY_BYTE) {
    const isSame = byte < 0x7f && canonicalJson(String.fromCharCode(byte)).length === 3;
    for (let position = 1; position < 12; position += 1) {
      const bytes = Buffer.from('"abcdefghijk"');
      bytes[position] = byte;
      const copied = sink.copied(bytes, 1, 12);
      const json = Buffer.from(list.bytes()).toString("latin1");
      expect({ byte, copied, json }).toEqual({ byte, ...(isSame ? written(bytes) : NOT_WRITTEN) });
      list.clear();
    }
  }
});

const NOT_WRITTEN = { copied: -1, json: "" };

function written(bytes: Buffer): typeof NOT_WRITTEN {
  return { copied: 0, json: bytes.toString("latin1") };
}

test("hashes and payloads copy only ASCII text, and a payload keeps its last value after other text", () => {
  const payload = payloadSink();
  for (const byte of EVERY_BYTE) {
    const given = Buffer.of(0x61, byte, 0x62);
    const expected = byte < 0x80 ? hashOf(given.toString("latin1")) : -1;
    expect(hashSink().copied(given, 0, 3)).toBe(expected);
    expect(payload.copied(given, 0, 3)).toBe(expected);
    expect(payload.built()).toBe(`a${String.fromCharCode(Math.min(byte, 0x7f))}b`);
  }
});

test.each([
  ["hashes", () => hashSink()],
  ["payloads", () => payloadSink()],
  ["JSON", () => jsonSink(createByteList())],
])("values kept as %s can be reused through their slots", (_, create) => {
  const sink = create();
  const slots = sink.remember(3);
  for (const [slot, value] of [
    [2, "two"],
    [0, ["zero"]],
    [1, null],
    [2, "again"],
  ] as const) {
    const place = sink.place();
    slots.keep(slot, write(sink, value), place);
  }
  const expected = sink.isCanonical ? [0, 0, 0] : [["zero"], null, "again"].map(hashOf);
  expect([0, 1, 2].map((slot) => slots.use(slot))).toEqual(expected);
});

test("a kept value is written again after other values, in JSON and in payloads", () => {
  const list = createByteList();
  const payload = payloadSink();
  for (const sink of [jsonSink(list), payload]) {
    const slots = sink.remember(2);
    sink.value("before");
    const place = sink.place();
    slots.keep(1, write(sink, ["kept", 1]), place);
    sink.value("after");
    slots.use(1);
  }
  expect(payload.built()).toEqual(["kept", 1]);
  expect(decoder.decode(list.bytes())).toBe('"before"["kept",1]"after"["kept",1]');
});

test("a slot without a value, or with the content number -1, writes nothing", () => {
  const list = createByteList();
  const payload = payloadSink();
  for (const sink of [jsonSink(list), hashSink(), payload]) {
    const slots = sink.remember(2);
    slots.keep(1, -1, sink.place());
    expect([slots.use(0), slots.use(1)]).toEqual([0, -1]);
  }
  expect(payload.built()).toBeNull();
  expect(list.length()).toBe(0);
});
