import type { JsonValue } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import type { Row } from "../../model/record.ts";
import type { CellContent, ConversionFailure } from "../leaf/conversion.ts";

/** A compiled entry of the mapping; the tree mirrors the payload. */
export type MappingNode = ObjectNode | VariantNode | ForeignNode | ItemsNode | EachNode | SplitNode | LeafNode;

export interface ObjectNode {
  readonly kind: "object";
  readonly fields: readonly FieldNode[];
  /** Names that the contract requires here. */
  readonly required: readonly string[];
  /** The contract can do without this object, so constants alone are no reason to send it incomplete. */
  readonly optional: boolean;
}

export interface FieldNode {
  readonly name: string;
  readonly node: MappingNode;
}

/** An object whose fields depend on the value of one of them. */
export interface VariantNode {
  readonly kind: "variant";
  readonly discriminator: MappingNode | undefined;
  /** The discriminator's value as text -> the fields then. */
  readonly variants: ReadonlyMap<string, ObjectNode>;
  readonly otherwise: ObjectNode;
}

/**
 * What an object's own type lacks and another type that the contract has there knows: given only where a cell gives it,
 * so that validation can say that it has no place.
 */
export interface ForeignNode {
  readonly kind: "foreign";
  readonly node: MappingNode;
}

/** A list literal: what its entries give, one after the other; those left with nothing are omitted. */
export interface ItemsNode {
  readonly kind: "items";
  readonly entries: readonly ListEntry[];
}

/** One item built from the current row, or an item for each row of a child source. */
export type ListEntry = SingleEntry | EachNode;

export interface SingleEntry {
  readonly kind: "single";
  /** False for rows that have no such item. */
  readonly applies: ((row: Row) => boolean) | undefined;
  readonly item: MappingNode;
}

/** A list with one item for each row of a child source. */
export interface EachNode {
  readonly kind: "each";
  readonly source: string;
  /** False for child rows that are no items of this list. */
  readonly applies: ((child: Row) => boolean) | undefined;
  readonly item: MappingNode;
  /** Filled while items are built; absent where they read no column of the parent. */
  readonly parent?: ParentRow | undefined;
}

/** The row whose child rows an entry is built from at the moment. */
export interface ParentRow {
  row: Row | undefined;
}

/** A list made of one cell. */
export interface SplitNode {
  readonly kind: "split";
  readonly leaf: LeafNode;
  readonly parts: (content: CellContent) => readonly CellContent[];
}

export interface LeafNode {
  readonly kind: "leaf";
  /** False for rows that the leaf does not apply to: there it is as if it were not in the mapping. */
  readonly applies: ((row: Row) => boolean) | undefined;
  /** What the cell holds, `undefined` when it is empty; absent for a constant. */
  readonly read: ((row: Row) => CellContent | undefined) | undefined;
  /** Makes the value; `undefined` when it comes to nothing. */
  readonly finish: (content: CellContent, row: Row) => JsonValue | undefined | ConversionFailure;
  /** The constant, or the default. */
  readonly fallback: JsonValue | undefined;
  /** What `finish` makes a value from. */
  readonly origin: OriginKind;
  /** Where nothing but one cell of its row decides the value. */
  readonly cell?: OneCell | undefined;
  /** The cell behind the value; undefined for a constant. */
  readonly placeIn: (row: Row) => Place | undefined;
}

export interface OneCell {
  readonly column: string;
  /** Its text, without the white space around it, goes through the contract's type as it is. */
  readonly isCopied: boolean;
}

/** What a value is made from. `payload`: the source is a payload already. */
export type OriginKind = "column" | "value" | "default" | "lookup" | "call" | "payload";
