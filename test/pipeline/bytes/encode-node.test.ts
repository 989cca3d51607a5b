import { expect, test } from "vitest";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { createFastContentHash } from "../../../src/json/fast-content-hash.ts";
import { childRecords } from "../../../src/pipeline/bytes/child-records.ts";
import { csvHeader } from "../../../src/read/csv/csv-header.ts";
import { compile } from "../../map/rows.ts";
import { boolean, decimal, integer, list, moment, object, text, union } from "../../validate/field-types.ts";
import { compiled, eachRecord, encoderOf, id, LINES, place, results, tagged } from "./encoding-scene.ts";

const required = { assertions: [{ schema: { required: ["town"] }, unevaluated: false }] };

const CASES: readonly (readonly [name: string, payload: string, body: FieldType])[] = [
  ["copied text", "id: REF, name: A", object({ id, name: text({ maxLength: 3 }) })],
  ["a copied decimal", "id: REF, name: A", object({ id, name: decimal({ maximum: { value: 12, exclusive: true } }) })],
  ["a required field that may be empty", "id: REF, name: A", object({ id, "name!": text() })],
  ["a required field without an entry", "id: REF", object({ id, "name!": text() })],
  ["names in another order", "z: A, id: REF, b: B, c: { value: C }", object({ id, z: text(), b: text(), c: text() })],
  ["a default", "id: REF, name: { from: A, default: none }", object({ id, "name!": text() })],
  [
    "a default for a value that is not copied",
    "id: REF, n: { from: A, upper: true, default: x }",
    object({ id, n: text() }),
  ],
  ["a constant", "id: REF, name: { value: N }", object({ id, name: text() })],
  ["only constants", "name: { value: N }, other: { value: M }", object({ name: text(), other: text() })],
  [
    "changed text",
    "id: REF, name: { from: A, upper: true, replace: { X: '' } }",
    object({ id, name: text({ maxLength: 3 }) }),
  ],
  ["untrimmed text", "id: REF, name: { from: A, trim: false }", object({ id, name: text() })],
  ["an integer", "id: REF, count: A", object({ id, count: integer() })],
  ["a boolean", "id: REF, is: { from: A, true: Y, false: '' }", object({ id, is: boolean() })],
  ["a date", "id: REF, on: A", object({ id, on: moment("date") })],
  ["a value of two cells", "id: REF, name: { from: [A, B], join: '-' }", object({ id, name: text({ maxLength: 4 }) })],
  ["a condition", "id: REF, name: { from: A, when: { column: B, in: [A, ''] } }", object({ id, name: text() })],
  ["a key that is changed", "id: { from: REF, upper: true }, name: A", object({ id, name: text() })],
  ["a key with a default", "id: { from: A, default: none }, name: B", object({ id, name: text() })],
  ["a key that is a number", "id: REF, name: A", object({ id: integer(), name: text() })],
  ["a key that is a boolean", "id: { from: A, true: Y, false: B }, name: A", object({ id: boolean(), name: text() })],
  ["a lookup that lacks cells", "id: REF, name: { from: A, lookup: { A: x } }", object({ id, name: text() })],
  ["a key that is a constant", "id: { value: K }, name: A", object({ id, name: text() })],
  ["an optional object", "id: REF, place: { street: A, town: B }", object({ id, place })],
  ["a required object", "id: REF, place: { street: A, town: B }", object({ id, "place!": place })],
  ["an optional object with a constant", "id: REF, place: { street: A, town: { value: Bath } }", object({ id, place })],
  [
    "a required object with a constant",
    "id: REF, place: { street: A, town: { value: Bath } }",
    object({ id, "place!": place }),
  ],
  [
    "an object with a constant and a cell",
    "id: REF, place: { street: A, town: { value: Bath }, floor: B }",
    object({ id, place }),
  ],
  ["an object without a required field", "id: REF, place: { town: B }", object({ id, place })],
  [
    "an object with assertions",
    "id: REF, place: { street: A, town: B }",
    object({ id, place: { ...place, ...required } }),
  ],
  ["a list of strings", "id: REF, all: [A, B]", object({ id, all: list(text({ maxLength: 3 })) })],
  ["an empty list", "id: REF, all: []", object({ id, all: list(text()) })],
  ["a required object that is empty", "id: REF, all: {}", object({ id, "all!": object({ a: text() }) })],
  ["an optional object that is empty", "id: REF, all: {}", object({ id, all: object({ a: text() }) })],
  ["an empty object that requires a field", "id: REF, all: {}", object({ id, "all!": object({ "a!": text() }) })],
  ["an empty list that requires an item", "id: REF, all: []", object({ id, all: list(text(), { minItems: 1 }) })],
  [
    "a list with limits",
    "id: REF, all: [A, B, { value: C }]",
    object({ id, all: list(text(), { minItems: 2, maxItems: 2 }) }),
  ],
  ["a list without repeated items", "id: REF, all: [A, B]", object({ id, all: list(text(), { uniqueItems: true }) })],
  [
    "a list with a condition",
    "id: REF, all: [A, { when: { column: B, in: [A] }, item: B }]",
    object({ id, all: list(text()) }),
  ],
  [
    "a list of objects",
    "id: REF, all: [{ street: A, town: B }, { street: B, floor: A }]",
    object({ id, all: list(place) }),
  ],
  [
    "a list with assertions",
    "id: REF, all: [A, B]",
    object({ id, all: list(text(), { assertions: [{ schema: { minItems: 2 }, unevaluated: false }] }) }),
  ],
  [
    "a list of the parts of a cell",
    "id: REF, all: { from: A, split: '-' }",
    object({ id, all: list(text({ maxLength: 3 })) }),
  ],
  ["an option that a constant selects", "id: REF, one: { tag: { value: B }, b: A }", object({ id, one: tagged })],
  ["an option that a cell selects", "id: REF, one: { tag: A, b: B }", object({ id, one: tagged })],
  [
    "an option that a constant with a condition selects",
    "id: REF, one: { tag: { value: B, when: { column: A, in: [A] } }, b: B }",
    object({ id, one: tagged }),
  ],
  [
    "an option that a default selects",
    "id: REF, one: { tag: { from: A, default: B }, b: B }",
    object({ id, one: tagged }),
  ],
  ["the name of a JavaScript property", "id: REF, in: { valueOf: A }", object({ id, in: object({ valueOf: text() }) })],
  [
    "text with assertions",
    "id: REF, name: A",
    object({ id, name: text({ assertions: [{ schema: { pattern: "^A" }, unevaluated: false }] }) }),
  ],
];

test.each(CASES)("a payload with %s is encoded as the mapping builds it", (_, payload, body) => {
  const { encoded, expected } = results(compile(`payload: { ${payload} }`, body), body);
  expect(encoded.length).toBe(3 * LINES.length);
  expect(encoded).toEqual(expected);
});

test("a payload with a nested key is encoded as the mapping builds it", () => {
  const body = object({ id, place });
  const { encoded, expected } = results(
    compile("key: place.street\npayload: { id: B, place: { street: A, town: REF } }", body),
    body,
  );
  expect(encoded).toEqual(expected);
});

test.each([undefined, "A", "other/"])(
  "a document path below the root location %s is encoded if it is valid",
  (root) => {
    const body = object({ id, path: text({ documentPath: true }) });
    const mapping = compile("payload: { id: REF, path: { from: A, replace: { B: A } } }", body);
    const { encoded, expected } = results(mapping, body, root);
    expect(encoded).toEqual(expected);
  },
);

test("an entry that may depend on data outside its columns is built from the whole row", () => {
  const body = object({ id, name: text() });
  const mapping = compile("payload: { id: REF, name: { from: A, upper: true } }", body);
  const { payloadNode } = mapping;
  if (payloadNode?.kind !== "object") throw new Error("the payload is an object");
  const fields = payloadNode.fields.map(({ name, node }) => ({
    name,
    node: { ...node, columns: undefined, isCopied: false },
  }));
  const { encoded, expected } = results({ ...mapping, payloadNode: { ...payloadNode, fields } }, body);
  expect(encoded).toEqual(expected);
});

test.each([
  ["copied cells", "id: REF, name: A", 0],
  ["copied cells with a default", "id: REF, name: { from: A, default: none }", 0],
  ["a constant", "id: REF, name: { value: N }", 1],
  ["changed cells", "id: REF, name: { from: A, upper: true }", 2],
  ["two cells", "id: REF, name: { from: [A, B], join: '-' }", 4],
  ["a changed key", "id: { from: REF, upper: true }, name: A", 4],
  ["parts of cells", "id: REF, all: { from: B, split: '-' }", 4],
])("values from %s are built only as often as necessary, and without the whole row", (_, payload, count) => {
  const body = object({ id, name: text(), all: list(text()) });
  const made = compiled(compile(`payload: { ${payload} }`, body), body, {});
  const encode = encoderOf(made);
  const contents: number[] = [];
  eachRecord(["1,A,x-y", '2,"A",x-y', "3,B,x-y", "4,A,x-y"], (cells) => {
    contents.push(encode(Object.assign(cells, { row: wholeRow })));
  });
  expect(new Set(contents.map((content) => content >= 0))).toEqual(new Set([true]));
  expect(made.built()).toBe(count);
});

function wholeRow(): never {
  throw new Error("the whole row is not necessary");
}

test("copied and empty cells need no row at all", () => {
  const body = object({ id, name: text(), other: text() });
  const encode = encoderOf(compiled(compile("payload: { id: REF, name: A, other: B }", body), body, {}));
  const contents = new Set<number>();
  const lines = ["1, A , ", '1,"\tA\r\n",\t', '1,"\r\nA\t"," "', '1,A,"\n"', "1,A,", '1,"A ",""', '1,"\nA",\t '];
  eachRecord(lines, (cells) => {
    contents.add(encode(Object.assign(cells, { row: wholeRow, rowOf: wholeRow })));
  });
  expect([...contents]).toEqual([createFastContentHash()({ id: "1", name: "A" })]);
});

test("the default of an empty cell is built once", () => {
  const body = object({ id, name: text() });
  const made = compiled(compile("payload: { id: REF, name: { from: A, default: none } }", body), body, {});
  eachRecord(["1,,x", "1, ,x", "1,A,x", '1,"",x'], encoderOf(made));
  expect(made.built()).toBe(1);
});

const inner = object({ a: text(), b: text() });

test.each([
  ["an object", "in: { a: A, b: B }", []],
  ["an object with a field that the contract does not name", "open: { x: A }", ["object"]],
  ["an object with a field named like a JavaScript property", "names: { a: A, valueOf: B }", ["object"]],
  ["an object with assertions", "strict: { a: A }", ["object"]],
  ["a list", "all: [A, B]", []],
  ["a list of objects", "objects: [{ a: A, b: B }]", []],
  ["a list with a condition", "all: [A, { when: { column: B, in: [A] }, item: B }]", ["list"]],
  ["a list without repeated items", "unique: [A, B]", ["list"]],
  ["the parts of a cell", "all: { from: A, split: '-' }", ["list"]],
  ["an option that a constant selects", "one: { tag: { value: B }, b: A }", []],
  ["an option that is selected after other fields", "one: { b: A, tag: { value: B } }", []],
  ["an option that a cell selects", "one: { tag: A, b: B }", ["union"]],
  ["an option that a default selects", "one: { tag: { from: A, default: B }, b: B }", ["union"]],
  ["an option that a condition selects", "one: { tag: { value: B, when: { column: A, in: [A] } }, b: B }", ["union"]],
  ["an option of a union with assertions", "sure: { tag: { value: B }, b: A }", ["union"]],
  ["an option that nothing selects", "one: { b: A }", ["union"]],
  ["an option without a discriminator", "either: { a: A }", ["union"]],
])("the content of %s is written in parts unless it must be built as a whole", (_, payload, whole) => {
  const body = object({
    id,
    in: inner,
    open: object({}, { additional: text() }),
    names: object({ a: text(), valueOf: text() }),
    strict: object({ a: text() }, { assertions: [{ schema: { minProperties: 1 }, unevaluated: false }] }),
    all: list(text()),
    objects: list(inner),
    unique: list(text(), { uniqueItems: true }),
    one: tagged,
    sure: { ...tagged, assertions: [{ schema: { minProperties: 1 }, unevaluated: false }] },
    either: union([inner]),
  });
  expect(compiled(compile(`payload: { id: REF, ${payload} }`, body), body, {}).whole).toEqual(whole);
});

const PARTS = ["first", "second"].map((file) => {
  const header = csvHeader({ file, line: 1 }, file === "first" ? ["ON", "P", "Q"] : ["ON", "P"], new Map());
  return { kind: "csv", keys: [], layout: { header, delimiter: ",", headerByte: 0 } } as const;
});

test.each([
  ["of objects", "all: { each: parts, item: { a: P } }", ["parts"], [], true],
  ["of objects with a column that one file lacks", "all: { each: parts, item: { a: P, b: Q } }", ["parts"], [], false],
  ["with a condition", "all: { each: parts, when: { column: P, in: [x] }, item: { a: P } }", [], ["list"], true],
  ["with a column of the parent", "all: { each: parts, item: { a: parent.A } }", [], ["list"], true],
  ["without repeated items", "unique: { each: parts, item: { a: P } }", [], ["list"], true],
  ["of strings", "texts: { each: parts, item: P }", [], ["list"], true],
  ["with another item", "all: [{ a: A }, { each: parts, item: { a: P } }]", [], ["list"], true],
] as const)("the encoder reads the child records of a list itself if possible: a list %s", (...given) => {
  const [, payload, sources, whole, hasEncoder] = given;
  const body = object({
    id,
    all: list(inner),
    unique: list(inner, { uniqueItems: true }),
    texts: list(text()),
  });
  const mapping = compile(
    `sources: { things: { key: REF }, parts: { parent: things, on: REF } }\npayload: { id: REF, ${payload} }`,
    body,
  );
  const children = childRecords({ name: "parts", files: PARTS, orderBy: undefined });
  const made = compiled(mapping, body, { children });
  expect([made.sources, made.whole, made.encoder !== undefined]).toEqual([sources, whole, hasEncoder]);
  const unjoined = compiled(mapping, body, {});
  expect(unjoined.whole).toEqual(sources.length > 0 ? ["list"] : whole);
});

test("the key of a record is unknown if the mapping has no key", () => {
  const body = object({ id });
  const mapping = compile("payload: { id: REF }", body);
  expect(compiled({ ...mapping, keyAttr: undefined }, body, {}).isKeyKnown).toBe(false);
});

const NESTED = object({ id, name: text(), place, in: object({ id }) });

test.each([
  ["an entry for the key", "payload: { id: REF, name: A }", true],
  ["no entry for the key", "payload: { name: A }", false],
  ["an entry for a nested key", "key: place.street\npayload: { id: REF, place: { street: A } }", true],
  ["only a nested entry with the name of the key", "payload: { name: A, in: { id: REF } }", false],
])("the key of a record is known only if the mapping has an entry for it: %s", (_, mapping, isKeyKnown) => {
  expect(compiled(compile(mapping, NESTED), NESTED, {}).isKeyKnown).toBe(isKeyKnown);
});

test.each([
  ["in a field", "id: REF, name: A", false],
  ["as one of two cells", "id: REF, name: { from: [A, B] }", true],
  ["as the column of a condition", "id: REF, name: { from: B, when: { column: A, in: [x] } }", true],
  ["in an object", "id: REF, place: { street: B, town: A }", false],
  ["in a list", "id: REF, all: [B, A]", false],
  ["in a list that is built as a whole", "id: REF, all: [B, { when: { column: B, in: [x] }, item: A }]", true],
  ["nowhere", "id: REF, name: B", true],
])(
  "a file that lacks a column has an encoder unless an entry requires the column: column read %s",
  (_, payload, hasEncoder) => {
    const body = object({ id, name: text(), place, all: list(text()) });
    const mapping = compile(`payload: { ${payload} }`, body);
    expect(compiled(mapping, body, { columns: ["REF", "B"] }).encoder !== undefined).toBe(hasEncoder);
  },
);
