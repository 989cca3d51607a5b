import { expect, test } from "vitest";
import type { ListType } from "../../../src/contract/types/field-type.ts";
import type { ChildRecords } from "../../../src/pipeline/bytes/child-records.ts";
import { hashSink, jsonSink } from "../../../src/pipeline/bytes/content-sink.ts";
import { eachEncoder } from "../../../src/pipeline/bytes/encode-node.ts";
import { ABSENT, type Encoder, UNCERTAIN } from "../../../src/pipeline/bytes/encode-leaf.ts";
import { type FastPathCells, withEncodingState } from "../../../src/pipeline/bytes/fast-path-cells.ts";
import { createFastContentHash } from "../../../src/json/fast-content-hash.ts";
import { newRecordCells } from "../../../src/read/csv/record-cells.ts";
import { createByteList } from "../../../src/text/byte-list.ts";

const TABLE = { kind: "csv", file: "a.csv", columns: ["A"], columnIndex: new Map([["A", 0]]) } as const;
const TYPE: ListType = {
  kind: "list",
  nullable: false,
  deprecated: false,
  validators: [],
  items: { kind: "any", nullable: false, deprecated: false, validators: [] },
  uniqueItems: false,
};

function newCells(): FastPathCells {
  return withEncodingState(newRecordCells(TABLE, ","));
}

/** Returns child records for each root record. A child record is identified by the index of its file. */
function recordsOf(filesOfRecords: readonly (readonly number[])[], cells: readonly FastPathCells[]): ChildRecords {
  let files: readonly number[] | undefined;
  return {
    name: "children",
    files: [],
    cells,
    load: () => undefined,
    begin(number) {
      files = filesOfRecords[number];
      return files?.length ?? -1;
    },
    selectChild: (index) => files?.[index] ?? -1,
  };
}

interface Encoded {
  readonly content: number;
  readonly json: string;
  readonly made: number;
}

/** Encodes the record `number` with one item per child record: "zero" for a record of file 0, and "one" for file 1. */
function encode(filesOfRecords: readonly (readonly number[])[], number: number, limits: Partial<ListType>): Encoded {
  const list = createByteList();
  const sink = jsonSink(list);
  const children = [newCells(), newCells()];
  const encoders = ["zero", "one"].map((text): Encoder => (cells) => {
    const isReset = cells.made === 0 && cells.keyStart === -1 && cells.keyText === undefined;
    Object.assign(cells, { made: cells.made + 2, keyStart: 5, keyText: "left from the last record" });
    return isReset ? sink.value(text) : UNCERTAIN;
  });
  const cells = Object.assign(newCells(), { number, made: 10 });
  const records = recordsOf(filesOfRecords, children);
  const content = eachEncoder({ records, encoders, sink }, { ...TYPE, ...limits })(cells);
  return { content, json: Buffer.from(list.bytes()).toString(), made: cells.made };
}

const RECORDS = [[0, 1, 0], [], [1], [0, 2], [0, -1]];

test.each([
  [
    "writes an item for each child record, with the encoder of its file",
    0,
    {},
    { content: 0, json: '["zero","one","zero"]', made: 17 },
  ],
  ["has no value without child records", 1, {}, { content: ABSENT, json: "", made: 10 }],
  ["writes a single item", 2, {}, { content: 0, json: '["one"]', made: 13 }],
  [
    "writes as many items as the type allows",
    0,
    { minItems: 3, maxItems: 3 },
    { content: 0, json: '["zero","one","zero"]', made: 17 },
  ],
  ["leaves too few items to the row path", 0, { minItems: 4 }, { content: UNCERTAIN, json: "", made: 10 }],
  ["leaves too many items to the row path", 0, { maxItems: 2 }, { content: UNCERTAIN, json: "", made: 10 }],
  [
    "leaves the list to the row path if its child records need the row path",
    9,
    {},
    { content: UNCERTAIN, json: "", made: 10 },
  ],
] as const)("%s", (_, number, limits, encoded) => {
  expect(encode(RECORDS, number, limits)).toEqual(encoded);
});

test.each([
  ["of an unknown file", 3],
  ["that cannot be read", 4],
])("leaves the list to the row path if the list has a child record %s", (_, number) => {
  expect(encode(RECORDS, number, {}).content).toBe(UNCERTAIN);
});

test.each([
  ["has no value", [newCells()], [() => ABSENT]],
  ["is uncertain", [newCells()], [() => UNCERTAIN]],
  ["has no cells", [], [() => 1]],
  ["has no encoder", [newCells()], []],
])("leaves the list to the row path if an item %s", (_, cells, encoders) => {
  const records = recordsOf([[0]], cells);
  expect(eachEncoder({ records, encoders, sink: hashSink() }, TYPE)(newCells())).toBe(UNCERTAIN);
});

test("the content of a list depends on its items and their order", () => {
  const hashOf = createFastContentHash();
  const sink = hashSink();
  const encoders = [0, 1].map(
    (item): Encoder =>
      () =>
        sink.value(item),
  );
  const records = recordsOf([[0, 1, 1]], [newCells(), newCells()]);
  expect(eachEncoder({ records, encoders, sink }, TYPE)(newCells())).toBe(hashOf([0, 1, 1]));
});
