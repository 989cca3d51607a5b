import type { JsonValue } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import type { Row } from "../../model/record.ts";
import type { CellContent, ConversionFailure } from "../leaf/conversion.ts";
import type { SourceColumn } from "../source-columns.ts";

/** A compiled entry of the mapping; the tree mirrors the payload. */
export type MappingNode = ObjectNode | VariantNode | ForeignNode | ItemsNode | EachNode | SplitNode | LeafNode;

export interface ObjectNode {
  readonly kind: "object";
  readonly fields: readonly FieldNode[];
  /** The names of the fields that the contract requires. */
  readonly required: readonly string[];
  /**
   * True if the contract does not require this object. Such an object is omitted if it is incomplete and has only
   * constants.
   */
  readonly optional: boolean;
  /** Set for a required object that the mapping defines as empty (`{}`). It is sent without fields. */
  readonly isEmpty?: true;
}

export interface FieldNode {
  readonly name: string;
  readonly node: MappingNode;
}

/** An object whose fields depend on the value of one field. */
export interface VariantNode {
  readonly kind: "variant";
  readonly discriminator: MappingNode | undefined;
  /** The objects by value of the discriminator, as text. */
  readonly variants: ReadonlyMap<string, ObjectNode>;
  readonly otherwise: ObjectNode;
}

/**
 * A field that the object's own type lacks, but another alternative of the union has. The payload contains the field
 * only if a cell has a value for it, so that validation can report it.
 */
export interface ForeignNode {
  readonly kind: "foreign";
  readonly node: MappingNode;
}

/** A list literal: the values of its entries in order, without empty values. */
export interface ItemsNode {
  readonly kind: "items";
  readonly entries: readonly ListEntry[];
}

/** The rows of a child source that the lists built from one parent row select. */
export interface RowSelection {
  readonly source: string;
  /** The different conditions, by their text. */
  readonly conditions: Map<string, RowCondition>;
  /** The holders of the parent row from which the conditions read columns. */
  readonly parents: Set<ParentRow>;
  /** Whether an entry selects all rows. */
  isComplete: boolean;
}

/** A compiled `when`. */
export interface RowCondition {
  readonly applies: (row: Row) => boolean;
  /** Returns the place of the cell that determines whether the condition applies. */
  readonly placeIn: (row: Row) => Place;
}

/** One item built from the current row, or one item for each row of a child source. */
export type ListEntry = SingleEntry | EachNode;

export interface SingleEntry {
  readonly kind: "single";
  /** False for rows without this item. */
  readonly applies: ((row: Row) => boolean) | undefined;
  readonly item: MappingNode;
}

/** A list with one item for each row of a child source. */
export interface EachNode {
  readonly kind: "each";
  readonly source: string;
  /** Selects the child rows that are items of this list; undefined if all of them are. */
  readonly condition: RowCondition | undefined;
  /** The rows that this list and other lists of the same parent row select; absent without a condition. */
  readonly selection?: RowSelection | undefined;
  readonly item: MappingNode;
  /** Holds the parent row while items are built; absent if no entry reads a column of the parent. */
  readonly parent?: ParentRow | undefined;
}

/** Holds the row whose child rows the builder is processing. */
export interface ParentRow {
  row: Row | undefined;
}

/** A list split from one cell. */
export interface SplitNode {
  readonly kind: "split";
  readonly leaf: LeafNode;
  readonly parts: (content: CellContent) => readonly CellContent[];
}

export interface LeafNode {
  readonly kind: "leaf";
  /** False for rows to which the leaf does not apply. These rows are mapped as if the leaf did not exist. */
  readonly applies: ((row: Row) => boolean) | undefined;
  /** Returns the content of the cell, or `undefined` if the cell is empty. Absent for a constant. */
  readonly read: ((row: Row) => CellContent | undefined) | undefined;
  /** Converts the content to a value. Returns `undefined` if the result is empty. */
  readonly finish: (content: CellContent, row: Row) => JsonValue | undefined | ConversionFailure;
  /** The constant, or the default. */
  readonly fallback: JsonValue | undefined;
  /** The origin of values from `finish`. */
  readonly origin: OriginKind;
  /** The columns on which the value depends; absent if it may depend on other data. */
  readonly columns?: readonly string[] | undefined;
  /** The columns that the entry names in `from`. */
  readonly from: readonly SourceColumn[];
  /** Whether the trimmed text of its only column is converted to the contract's type without other changes. */
  readonly isCopied: boolean;
  /** Returns the place of the value's cell, or undefined for a constant. */
  readonly placeIn: (row: Row) => Place | undefined;
  /** Returns the places of all columns. Absent unless the value comes from the first of them that is not blank. */
  readonly choicesIn?: ((row: Row) => readonly Place[]) | undefined;
}

/** The origin of a value. `payload`: the source contains payloads. */
export type OriginKind = "column" | "value" | "default" | "lookup" | "call" | "payload";
