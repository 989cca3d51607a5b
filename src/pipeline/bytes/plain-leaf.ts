import type { FieldType } from "../../contract/types/field-type.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { buildValue, newBuildState } from "../../map/node/build-payload.ts";
import { TooLarge, unlessTooLarge } from "../../map/node/payload-size.ts";
import type { LeafNode, MappingNode } from "../../map/node/mapping-node.ts";
import { compileByteCheck, compileValueCheck } from "../../validate/compile-validator.ts";
import { createCellMemory, SLOTS } from "./cell-memory.ts";
import type { ContentForm } from "./content-form.ts";
import type { PlainCells } from "./plain-cells.ts";

/**
 * What an entry of the mapping makes of a record, as the part of its content: `ABSENT` when that is nothing, `UNSURE`
 * when it has to be looked at more closely, because it may be wrong.
 */
export type PlainMaker = (cells: PlainCells) => number;

export const ABSENT = -1;
export const UNSURE = -2;

export interface PlainContext {
  readonly form: ContentForm;
  /** The content of values of a type; `UNSURE` where one is not sent as it is. */
  readonly contentOf: (type: FieldType) => (value: JsonValue) => number;
  /** Where documents lie; the same for all records. */
  readonly documentRoot: string | undefined;
  /** The position of a column; undefined where the file has no such column. */
  readonly columnAt: (name: string) => number | undefined;
}

/** Any entry, by way of the value that it makes. */
export function valueMaker(node: MappingNode, type: FieldType, context: PlainContext): PlainMaker {
  return makerOf(node, type, context, () => undefined);
}

/** The business key, by way of its value. */
function keyValueMaker(node: MappingNode, type: FieldType, context: PlainContext): PlainMaker {
  return makerOf(node, type, context, (value, cells) => {
    cells.keyText = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  });
}

function makerOf(
  node: MappingNode,
  type: FieldType,
  { contentOf, documentRoot }: PlainContext,
  note: (value: JsonValue, cells: PlainCells) => void,
): PlainMaker {
  const contentOfValue = contentOf(type);
  const isRight = compileValueCheck(type, { keepValues: false, ...(documentRoot !== undefined && { documentRoot }) });
  return (cells) => {
    const build = newBuildState();
    const value = unlessTooLarge(() => buildValue(node, cells.row(), build));
    if (value instanceof TooLarge || build.problems.length > 0) return UNSURE;
    cells.made += build.cells;
    if (value === undefined) return ABSENT;
    note(value, cells);
    return isRight(value) ? contentOfValue(value) : UNSURE;
  };
}

/** An entry that is one value. `isKey`: the record is known by it. */
export function leafMaker(
  leaf: LeafNode,
  type: FieldType,
  context: PlainContext,
  isKey: boolean,
): PlainMaker | undefined {
  const closely = isKey ? keyValueMaker(leaf, type, context) : valueMaker(leaf, type, context);
  const { form } = context;
  if (leaf.cell === undefined) return leaf.read === undefined && !isKey ? constantMaker(leaf, closely, form) : closely;
  const column = context.columnAt(leaf.cell.column);
  if (column === undefined) return undefined;
  const isCopied = leaf.cell.isCopied ? compileByteCheck(type) : undefined;
  if (isCopied !== undefined)
    return copyMaker(
      { column, isCopied, isKey, whenEmpty: emptyCellMaker(leaf, closely, context, isKey), form },
      closely,
    );
  return isKey ? closely : rememberingMaker(column, closely, form);
}

/** The value of a copied leaf whose cell is empty: none, or the default. The record's key is noted each time. */
function emptyCellMaker(leaf: LeafNode, closely: PlainMaker, { form }: PlainContext, isKey: boolean): PlainMaker {
  if (leaf.fallback === undefined) return () => ABSENT;
  return isKey ? closely : constantMaker(leaf, closely, form);
}

/** The same for every record, so that one tells it. */
function constantMaker({ applies }: LeafNode, closely: PlainMaker, form: ContentForm): PlainMaker {
  if (applies !== undefined) return closely;
  const written = form.remember(1);
  let isKnown = false;
  return (cells) => {
    if (isKnown) return written.use(0);
    const place = form.place();
    const content = closely(cells);
    written.keep(0, content, place);
    isKnown = true;
    return content;
  };
}

interface CopiedCell {
  readonly column: number;
  readonly isCopied: (bytes: Buffer, from: number, to: number) => boolean;
  readonly isKey: boolean;
  readonly whenEmpty: PlainMaker;
  readonly form: ContentForm;
}

/** The text of a cell, without the white space around it. */
function copyMaker({ column, isCopied, isKey, whenEmpty, form }: CopiedCell, closely: PlainMaker): PlainMaker {
  return (cells) => {
    const { bytes, starts, ends } = cells;
    let from = starts[column] ?? 0;
    let to = ends[column] ?? 0;
    while (from < to && isBlank(bytes[from])) from += 1;
    while (to > from && isBlank(bytes[to - 1])) to -= 1;
    if (from === to) return whenEmpty(cells);
    const content = isCopied(bytes, from, to) ? form.copied(bytes, from, to) : UNSURE;
    if (content < 0) return closely(cells);
    cells.made += 1;
    if (isKey) {
      cells.keyStart = from;
      cells.keyEnd = to;
    }
    return content;
  };
}

/** Space, and what of ASCII is white space and may stand in a cell of a record that is read without a problem. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** What comes of one cell alone comes of another one like it, too. */
function rememberingMaker(column: number, closely: PlainMaker, form: ContentForm): PlainMaker {
  const memory = createCellMemory();
  const written = form.remember(SLOTS);
  return (cells) => {
    const slot = memory.find(cells.bytes, cells.starts[column] ?? 0, cells.ends[column] ?? 0);
    if (slot >= 0) {
      cells.made += memory.madeAt(slot);
      return written.use(slot);
    }
    const before = cells.made;
    const place = form.place();
    const content = closely(cells);
    const kept = content === UNSURE ? -1 : memory.keep(cells.made - before);
    if (kept >= 0) written.keep(kept, content, place);
    return content;
  };
}
