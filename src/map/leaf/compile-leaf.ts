import type { FieldType, ListType } from "../../contract/types/field-type.ts";
import { type JsonValue, cellTextOf, isJsonArray, isJsonObject } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import type { Row } from "../../model/record.ts";
import { type CellContent, constantOf } from "./conversion.ts";
import type { LeafContext } from "../compile-context.ts";
import { type Condition, type LeafOptions, readLeafOptions } from "./leaf-options.ts";
import { type CompiledTransform, compileTransform } from "./leaf-transform.ts";
import { didYouMean } from "../document/mapping-issues.ts";
import type { LeafNode, RowCondition, SplitNode } from "../node/mapping-node.ts";
import { checkCellLength } from "../node/payload-size.ts";
import type { Column } from "../source-columns.ts";

/**
 * Compiles a leaf for a scalar of the contract. Adds an issue for each error. Returns undefined if the entry is neither
 * a column nor an object of options.
 */
export function compileLeaf(entry: JsonValue, type: FieldType, context: LeafContext): LeafNode | undefined {
  const options = readLeafOptions(entry, context);
  if (options === undefined) return undefined;
  if (options.split !== undefined) {
    context.issues.add([...context.path, "split"], "produces a list from a cell, but the contract has no list here");
  }
  return leafOf(options, type, context);
}

/** Compiles a leaf that splits one cell into a list of scalars. */
export function compileSplit(entry: JsonValue, type: ListType, context: LeafContext): SplitNode | undefined {
  const options = readLeafOptions(entry, context);
  if (options?.split === undefined) return undefined;
  const { split } = options;
  if (split === "") context.issues.add([...context.path, "split"], "must be the text between the parts");
  const prepare = preparation(options);
  const leaf = leafOf(options, type.items, context);
  return { kind: "split", leaf, parts: (content) => partsOf(content, split, prepare) };
}

function leafOf(options: LeafOptions, type: FieldType, context: LeafContext): LeafNode {
  const line = context.document.lineOf(options.path);
  const columns = options.from.map((name) => context.columns.column(name, line));
  const transform = compileTransform(options, type, context);
  noteCellChoices(options, type, context);
  if (options.keepEmpty && !KEEPS_EMPTY.has(type.kind)) {
    context.issues.add([...options.path, "keepEmpty"], "sends empty text, but the contract does not allow text here");
  }
  return {
    kind: "leaf",
    applies: options.when && compileCondition(options.when, context, line).applies,
    read: options.value === undefined ? readerOf(options, columns, transform) : undefined,
    finish: options.keepEmpty ? keepingEmpty(transform) : transform.finish,
    fallback: fallbackOf(options, type, context),
    origin: transform.origin,
    placeIn: (row) => placeBehind(columns, row, options),
    choicesIn: columns.length > 1 && options.join === undefined ? (row) => placesOf(columns, row) : undefined,
    columns: columnsRead(options),
    from: columns.flatMap((column) => column.columns),
    isCopied: isCopied(options),
  };
}

/** Converts every cell that is empty, or counts as empty after its conversion, to empty text. */
function keepingEmpty({ finish, takesEmpty }: CompiledTransform): LeafNode["finish"] {
  return (content, row) => {
    const value = content === "" && !takesEmpty ? "" : finish(content, row);
    return value === undefined ? "" : value;
  };
}

/** Returns the columns on which the value depends, or undefined for a function, which may read the whole row. */
function columnsRead({ from, when, transform }: LeafOptions): readonly string[] | undefined {
  if (transform?.kind === "call") return undefined;
  return [...new Set(when === undefined ? from : [...from, when.column])];
}

/** Whether the trimmed text of one cell is converted without other changes. */
function isCopied(options: LeafOptions): boolean {
  const { from, when, transform, trim, keepEmpty, split } = options;
  const isChanged = transform !== undefined || !trim || keepEmpty || split !== undefined || when !== undefined;
  return from.length === 1 && !isChanged && preparation(options) === undefined;
}

const KEEPS_EMPTY: ReadonlySet<FieldType["kind"]> = new Set(["text", "choice", "any", "union"]);

export function compileCondition(when: Condition, { columns }: LeafContext, line: number): RowCondition {
  const { read, placeIn } = columns.column(when.column, line);
  const wanted = new Set(when.in);
  const applies = (row: Row): boolean => {
    const content = read(row);
    return typeof content === "string" && wanted.has(content.trim());
  };
  return { applies, placeIn };
}

/**
 * Returns the place of the first column with a value, or of the first column if all cells are empty. The place of a
 * joined value also lists all of its cells.
 */
function placeBehind(columns: readonly Column[], row: Row, options: LeafOptions): Place | undefined {
  const isJoined = options.join !== undefined;
  const isFilled = ({ read }: Column): boolean => (isJoined ? trimmed(read(row), options) !== "" : !isBlank(read(row)));
  const place = (columns.find(isFilled) ?? columns[0])?.placeIn(row);
  if (place === undefined || !isJoined || columns.length === 1) return place;
  return { ...place, cells: placesOf(columns, row) };
}

function placesOf(columns: readonly Column[], row: Row): readonly Place[] {
  return columns.map((column) => column.placeIn(row));
}

/** Whether another column of `from` is used instead of the cell. */
function isBlank(content: CellContent): boolean {
  return typeof content === "string" ? content.trim() === "" : isJsonArray(content) && content.length === 0;
}

function trimmed(content: CellContent, { trim }: LeafOptions): CellContent {
  return trim && typeof content === "string" ? content.trim() : content;
}

function readerOf(
  options: LeafOptions,
  columns: readonly Column[],
  transform: CompiledTransform,
): (row: Row) => CellContent | undefined {
  const raw = rawReader(options, columns);
  const takesEmpty = options.keepEmpty || transform.takesEmpty;
  const prepare = options.split === undefined ? preparation(options) : undefined;
  return (row) => {
    const read = raw(row);
    const content = typeof read === "string" && prepare !== undefined ? prepare(read) : read;
    return content === "" && !takesEmpty ? undefined : content;
  };
}

/**
 * Returns a function that reads the cell. If there are several columns, it joins their cells, or selects the first cell
 * that is not blank. It trims each cell, unless `trim` is false.
 */
function rawReader(options: LeafOptions, columns: readonly Column[]): (row: Row) => CellContent {
  const read = (column: Column, row: Row): CellContent => trimmed(column.read(row), options);
  const [only] = columns;
  if (only === undefined) return () => "";
  if (columns.length === 1) return (row) => read(only, row);
  const { join } = options;
  if (join === undefined) return (row) => firstFilled(columns.map((column) => read(column, row)));
  return (row) => joined(columns, (column) => read(column, row), join);
}

/** Omits empty cells. Returns a list or an object unchanged, because it has no text to join. */
function joined(columns: readonly Column[], read: (column: Column) => CellContent, between: string): CellContent {
  const parts: string[] = [];
  let characters = 0;
  for (const column of columns) {
    const content = read(column);
    if (content === "") continue;
    if (typeof content !== "string") return content;
    characters += content.length + (parts.length === 0 ? 0 : between.length);
    checkCellLength(characters, "join");
    parts.push(content);
  }
  return parts.join(between);
}

function firstFilled(contents: readonly CellContent[]): CellContent {
  return contents.find((content) => !isBlank(content)) ?? contents[0] ?? "";
}

/** Returns a function that changes a string before its conversion, or undefined if there is nothing to change. */
function preparation(options: LeafOptions): ((text: string) => string) | undefined {
  const steps = [...options.replace];
  if (options.letters === "upper") steps.push((text) => text.toUpperCase());
  if (options.letters === "lower") steps.push((text) => text.toLowerCase());
  if (steps.length === 0) return undefined;
  return (text) => steps.reduce((changed, step) => step(changed), text);
}

/** Omits empty parts. A JSON list is already split. */
function partsOf(
  content: CellContent,
  split: string,
  prepare: ((text: string) => string) | undefined,
): readonly CellContent[] {
  const parts = typeof content === "string" ? content.split(split) : isJsonArray(content) ? content : [content];
  const prepared: CellContent[] = [];
  for (const part of parts) {
    const text = typeof part === "object" && part !== null ? part : cellTextOf(part).trim();
    const kept = typeof text === "string" && prepare !== undefined ? prepare(text) : text;
    if (kept !== "") prepared.push(kept);
  }
  return prepared;
}

function fallbackOf(options: LeafOptions, type: FieldType, context: LeafContext): JsonValue | undefined {
  const name = options.value === undefined ? "default" : "value";
  const written = options[name];
  if (written === undefined) return undefined;
  const path = [...options.path, name];
  const value = typeof written === "string" ? filledIn(written, path, context) : written;
  if (value === undefined) return undefined;
  const constant = constantOf(type, value);
  if ("value" in constant) return constant.value;
  return context.issues.add(path, constant.fault);
}

/** Replaces `${supplier}` with the supplier's code. Returns undefined if the code or a placeholder is unknown. */
function filledIn(text: string, path: LeafContext["path"], context: LeafContext): string | undefined {
  const { supplier } = context.values;
  let isKnown = true;
  const filled = text.replaceAll(/\$\{([^}]*)\}/g, (written, name: string) => {
    if (name.trim() !== "supplier") {
      context.issues.add(path, `${written} is not a known placeholder`, didYouMean(name.trim(), ["supplier"]));
    } else if (supplier === undefined) {
      const hint = "use --supplier <code>, or set `supplier` in the configuration file";
      context.issues.add(path, "requires the import supplier", hint);
    }
    if (name.trim() === "supplier" && typeof supplier === "string") return supplier;
    isKnown = false;
    return written;
  });
  return isKnown ? filled : undefined;
}

/**
 * Records which strings a leaf's cell can contain, if the mapping and the contract list all of them: the codes of a
 * lookup, the words for true and false, or the contract's choices. Does nothing if there are several columns, or if the
 * cell is split or changed by `replace`. With `upper` or `lower`, the case of the cell can differ from the case of the
 * string.
 */
function noteCellChoices(options: LeafOptions, type: FieldType, { columns, values }: LeafContext): void {
  const { from, join, split, replace } = options;
  const [column] = from;
  if (column === undefined || from.length > 1 || (join ?? split) !== undefined || replace.length > 0) return;
  const texts = knownTexts(options, type, values);
  if (texts !== undefined) {
    columns.limit(
      column,
      texts.filter((text) => text !== ""),
    );
  }
}

function knownTexts(
  { transform }: LeafOptions,
  type: FieldType,
  { lookups }: LeafContext["values"],
): readonly string[] | undefined {
  if (transform === undefined) return type.kind === "choice" ? type.choices.map(String) : undefined;
  if (transform.kind === "boolean") return [...transform.true, ...transform.false];
  if (transform.kind !== "lookup" || transform.otherwise === "keep") return undefined;
  const { table } = transform;
  return isJsonObject(table) ? Object.keys(table) : [...(lookups.get(table)?.keys() ?? [])];
}
