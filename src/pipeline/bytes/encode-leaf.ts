import type { FieldType } from "../../contract/types/field-type.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { buildValue, newBuildState, resetBuildState } from "../../map/node/build-payload.ts";
import type { LeafNode, MappingNode } from "../../map/node/mapping-node.ts";
import type { Row } from "../../model/record.ts";
import { compileByteCheck, compileValueCheck } from "../../validate/compile-validator.ts";
import { createCellMemory, SLOTS } from "./cell-memory.ts";
import type { ContentSink } from "./content-sink.ts";
import type { FastPathCells } from "./fast-path-cells.ts";

/**
 * Encodes a mapping entry for one record. Returns the content (`ContentSink`), `ABSENT` if the entry has no value, or
 * `UNCERTAIN` if the value may be invalid, so that the record needs the row path.
 */
export type Encoder = (cells: FastPathCells) => number;

export const ABSENT = -1;
export const UNCERTAIN = -2;

export interface EncoderContext {
  readonly sink: ContentSink;
  /**
   * Returns the encoder for the values of a type. The encoder may return `UNCERTAIN` for a value that is converted
   * before it is sent.
   */
  readonly contentOf: (type: FieldType) => (value: JsonValue) => number;
  /** The root location for document paths, which is the same for all records. */
  readonly documentRoot: string | undefined;
  /** Returns the zero-based index of a column; undefined if the file does not have it. */
  readonly columnAt: (name: string) => number | undefined;
}

/**
 * Returns an encoder that works for any entry, because it builds the value.
 * @param isKey whether to store the value as the business key in `keyText`
 */
export function valueEncoder(
  node: MappingNode,
  type: FieldType,
  { contentOf, documentRoot, columnAt }: EncoderContext,
  isKey = false,
): Encoder {
  const contentOfValue = contentOf(type);
  const rowOf = rowReader(node, columnAt);
  const isRight = compileValueCheck(type, { keepValues: false, ...(documentRoot !== undefined && { documentRoot }) });
  const build = newBuildState();
  return (cells) => {
    resetBuildState(build);
    const value = buildValue(node, rowOf(cells), build);
    if (build.problems.length > 0) return UNCERTAIN;
    cells.made += build.cells;
    if (value === undefined) return ABSENT;
    if (isKey) cells.keyText = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
    return isRight(value) ? contentOfValue(value) : UNCERTAIN;
  };
}

/** Returns a function that reads a row with at least the cells that the entry needs. */
function rowReader(node: MappingNode, columnAt: EncoderContext["columnAt"]): (cells: FastPathCells) => Row {
  const { columns } = node.kind === "leaf" ? node : node.kind === "split" ? node.leaf : {};
  const own = columns?.map(columnAt).filter((column) => column !== undefined);
  // Columns that the file lacks may be columns of joined rows.
  if (own === undefined || own.length !== columns?.length) return (cells) => cells.row();
  return (cells) => cells.rowOf(own);
}

/** Returns an encoder for an entry with a single value; undefined if the file lacks the entry's only column. */
export function leafEncoder(
  leaf: LeafNode,
  type: FieldType,
  context: EncoderContext,
  isKey: boolean,
): Encoder | undefined {
  const { sink } = context;
  const columns = leaf.columns?.map(context.columnAt);
  const byValue = valueEncoder(leaf, type, context, isKey);
  if (columns?.length === 0 && !isKey) return constantEncoder(byValue, sink);
  if (columns?.length !== 1) return byValue;
  const [column] = columns;
  if (column === undefined) return undefined;
  const isCopied = leaf.isCopied ? compileByteCheck(type) : undefined;
  if (isCopied !== undefined)
    return copyEncoder(
      { column, isCopied, isKey, whenEmpty: emptyCellEncoder(leaf, byValue, context, isKey), sink },
      byValue,
    );
  return isKey ? byValue : cachingEncoder(column, byValue, sink);
}

/**
 * Returns the encoder for empty cells. It writes the default, or returns `ABSENT` if the entry has none. The default of
 * a business key is not cached, because the plan stores the key with each record.
 */
function emptyCellEncoder(leaf: LeafNode, byValue: Encoder, { sink }: EncoderContext, isKey: boolean): Encoder {
  if (leaf.fallback === undefined) return () => ABSENT;
  return isKey ? byValue : constantEncoder(byValue, sink);
}

/** Encodes the value only once, because it is the same for all records. */
function constantEncoder(byValue: Encoder, sink: ContentSink): Encoder {
  const written = sink.remember(1);
  let isKnown = false;
  return (cells) => {
    if (isKnown) return written.use(0);
    const place = sink.place();
    const content = byValue(cells);
    written.keep(0, content, place);
    isKnown = true;
    return content;
  };
}

interface CopiedCell {
  readonly column: number;
  readonly isCopied: (bytes: Buffer, from: number, to: number) => boolean;
  readonly isKey: boolean;
  readonly whenEmpty: Encoder;
  readonly sink: ContentSink;
}

/** Returns an encoder that copies the trimmed text of a cell. */
function copyEncoder({ column, isCopied, isKey, whenEmpty, sink }: CopiedCell, byValue: Encoder): Encoder {
  return (cells) => {
    const { bytes, starts, ends } = cells;
    let from = starts[column] ?? 0;
    let to = ends[column] ?? 0;
    while (from < to && isBlank(bytes[from])) from += 1;
    while (to > from && isBlank(bytes[to - 1])) to -= 1;
    if (from === to) return whenEmpty(cells);
    const content = isCopied(bytes, from, to) ? sink.copied(bytes, from, to) : UNCERTAIN;
    if (content < 0) return byValue(cells);
    cells.made += 1;
    if (isKey) {
      cells.keyStart = from;
      cells.keyEnd = to;
    }
    return content;
  };
}

/** Whether the byte is a space or other ASCII whitespace that is not a problem in a cell. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Returns an encoder that caches results by cell, because equal cells have equal results. */
function cachingEncoder(column: number, byValue: Encoder, sink: ContentSink): Encoder {
  const memory = createCellMemory();
  const written = sink.remember(SLOTS);
  return (cells) => {
    const slot = memory.find(cells.bytes, cells.starts[column] ?? 0, cells.ends[column] ?? 0);
    if (slot >= 0) {
      cells.made += memory.valueCountAt(slot);
      return written.use(slot);
    }
    const before = cells.made;
    const place = sink.place();
    const content = byValue(cells);
    const kept = content === UNCERTAIN ? -1 : memory.keep(cells.made - before);
    if (kept >= 0) written.keep(kept, content, place);
    return content;
  };
}
