import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { createFastContentHash } from "../../../src/json/fast-content-hash.ts";
import { canonicalJson, type JsonValue, valueAt } from "../../../src/json/json-value.ts";
import { buildValue, newBuildState } from "../../../src/map/node/build-payload.ts";
import type { Mapping } from "../../../src/map/mapping.ts";
import { type ChildRecords } from "../../../src/pipeline/bytes/child-records.ts";
import { type ContentSink, hashSink, jsonSink } from "../../../src/pipeline/bytes/content-sink.ts";
import { ABSENT, type Encoder, UNCERTAIN } from "../../../src/pipeline/bytes/encode-leaf.ts";
import { nodeEncoder } from "../../../src/pipeline/bytes/encode-node.ts";
import { type FastPathCells, startRecord, withEncodingState } from "../../../src/pipeline/bytes/fast-path-cells.ts";
import { payloadSink } from "../../../src/pipeline/bytes/payload-sink.ts";
import { csvReader } from "../../../src/pipeline/bytes/record-reader.ts";
import { csvHeader } from "../../../src/read/csv/csv-header.ts";
import { byteKinds, findRecordBoundaries } from "../../../src/read/csv/record-boundaries.ts";
import { createByteList } from "../../../src/text/byte-list.ts";
import { compileValueCheck } from "../../../src/validate/compile-validator.ts";
import { choice, integer, object, text, union } from "../../validate/field-types.ts";

const COLUMNS = ["REF", "A", "B"];
const HEADER = csvHeader({ file: "a.csv", line: 1 }, COLUMNS, new Map());
const FILE = { kind: "csv", keys: [], layout: { header: HEADER, delimiter: ",", headerByte: 0 } } as const;

/** The result of encoding a record: the written data, and the facts that are known about the record. */
interface Encoded {
  readonly line: string;
  readonly content: number;
  readonly written: string | undefined;
  readonly made: number | undefined;
  readonly key: string | undefined;
}

interface Form {
  readonly sink: ContentSink;
  /** Returns the payload that was written last. */
  readonly take: () => string;
  readonly contentOf: (value: JsonValue) => number;
  readonly writtenAs: (value: JsonValue) => string;
}

const hashOf = createFastContentHash();

function forms(): readonly Form[] {
  const written = createByteList();
  const payload = payloadSink();
  return [
    { sink: hashSink(), take: () => "", contentOf: hashOf, writtenAs: () => "" },
    {
      sink: jsonSink(written),
      take: () => Buffer.from(written.take()).toString(),
      contentOf: () => 0,
      writtenAs: canonicalJson,
    },
    {
      sink: payload,
      take: () => JSON.stringify(payload.built()),
      contentOf: hashOf,
      writtenAs: (value) => JSON.stringify(value),
    },
  ];
}

interface Settings {
  readonly sink?: ContentSink;
  readonly columns?: readonly string[];
  readonly documentRoot?: string;
  readonly children?: ChildRecords;
}

interface Compiled {
  readonly encoder: Encoder | undefined;
  readonly isKeyKnown: boolean;
  /** The kinds of the compound types whose values are built as a whole. */
  readonly whole: readonly string[];
  /** The names of the sources whose records the encoder reads. */
  readonly sources: readonly string[];
  /** Returns the number of values built so far. */
  readonly built: () => number;
}

export function compiled({ payloadNode, keyAttr }: Mapping, body: FieldType, settings: Settings): Compiled {
  const { sink = hashSink(), columns = COLUMNS, documentRoot, children } = settings;
  const [whole, sources]: [string[], string[]] = [[], []];
  let isKeyKnown = false;
  let built = 0;
  if (payloadNode === undefined) throw new Error("the mapping has no payload");
  const encoder = nodeEncoder(payloadNode, body, [], {
    sink,
    contentOf({ kind }) {
      if (kind === "object" || kind === "list" || kind === "union") whole.push(kind);
      return (value) => {
        built += 1;
        return sink.value(value);
      };
    },
    documentRoot,
    columnAt: (name) => (columns.includes(name) ? columns.indexOf(name) : undefined),
    keyAttr,
    onKey: () => (isKeyKnown = true),
    childrenOf(name) {
      sources.push(name);
      return children;
    },
  });
  return { encoder, isKeyKnown, whole, sources, built: () => built };
}

export function eachRecord(lines: readonly string[], use: (cells: FastPathCells) => void): void {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const boundaries = findRecordBoundaries(bytes, byteKinds(","), true);
  const reader = csvReader(FILE);
  const cells = withEncodingState(reader.cells);
  const begin = reader.begin({ bytes, boundaries, line: 1, from: 0, rowsAt: () => [] }, 0);
  for (const number of lines.keys()) {
    if (!begin(number) || !reader.read()) continue;
    startRecord(cells);
    use(cells);
  }
}

function keyIn({ bytes, keyStart, keyEnd, keyText }: FastPathCells): string | undefined {
  return keyStart < 0 ? keyText : bytes.toString("latin1", keyStart, keyEnd);
}

/** Returns the expected result, which is derived from the payload that the mapping builds. */
function expectedOf(
  { payloadNode, keyAttr }: Mapping,
  isValid: (value: JsonValue) => boolean,
  cells: FastPathCells,
  form: Form,
): Encoded {
  const build = newBuildState();
  const value = payloadNode && buildValue(payloadNode, cells.row(), build);
  const line = lineOf(cells);
  if (build.problems.length > 0) return { ...NOTHING, line, content: UNCERTAIN };
  if (value === undefined) return { ...NOTHING, line, content: ABSENT };
  if (!isValid(value)) return { ...NOTHING, line, content: UNCERTAIN };
  const key = keyAttr && valueAt(value, keyAttr);
  return {
    line,
    content: form.contentOf(value),
    written: form.writtenAs(value),
    made: build.cells,
    key: typeof key === "string" || typeof key === "number" ? String(key) : undefined,
  };
}

const NOTHING = { written: undefined, made: undefined, key: undefined };

function lineOf({ bytes, start, end }: FastPathCells): string {
  return bytes.toString("utf8", start, end);
}

function actual(encoder: Encoder, cells: FastPathCells, { take }: Form): Encoded {
  const content = encoder(cells);
  const written = take();
  const line = lineOf(cells);
  return content < 0 ? { ...NOTHING, line, content } : { line, content, written, made: cells.made, key: keyIn(cells) };
}

interface Results {
  readonly encoded: readonly string[];
  readonly expected: readonly string[];
}

/** Returns the encoder's result and the expected result for each record in each form, as JSON. */
export function results(mapping: Mapping, body: FieldType, documentRoot?: string): Results {
  const [expected, encoded]: [string[], string[]] = [[], []];
  const root = documentRoot === undefined ? {} : { documentRoot };
  const isValid = compileValueCheck(body, { keepValues: false, ...root });
  for (const form of forms()) {
    const encoder = encoderOf(compiled(mapping, body, { sink: form.sink, ...root }));
    eachRecord(LINES, (cells) => {
      encoded.push(JSON.stringify(actual(encoder, cells, form)));
      expected.push(JSON.stringify(expectedOf(mapping, isValid, cells, form)));
    });
  }
  return { encoded, expected };
}

export function encoderOf({ encoder }: Compiled): Encoder {
  if (encoder === undefined) throw new Error("the file has the columns");
  return encoder;
}

const REFS = ["1", "2", "", "Z\u00eb", "1"];
const CELLS = [
  ["", " ", '""', "\u00a0"],
  ["A", " A ", '"A"', "\u00a0A\t", "B"],
  ["12", "1.50", "x-y", '"1,2"', "\u00e9"],
  ["long text of more than 32 characters", "Y", "2024-02-29"],
].flat();
const OTHERS = ["", "A", "x-y", " B ", "12", '"\u00e9"', "B"];
/** Records with every pair of cells. */
export const LINES = CELLS.flatMap((one, row) =>
  OTHERS.map((other, column) => [REFS[(row + column) % REFS.length], one, other].join(",")),
);

export const id = text({ maxLength: 5 });
export const place = object({ "street!": text(), town: text({ maxLength: 4 }), floor: integer() });
const optionB = object({ "tag!": choice(["B"]), b: text({ minLength: 2 }) });
export const tagged = union([object({ "tag!": choice(["A"]), a: text() }), optionB], {
  discriminator: {
    property: "tag",
    mapping: new Map([
      ["A", object({ "tag!": choice(["A"]), a: text() })],
      ["B", optionB],
    ]),
  },
});
