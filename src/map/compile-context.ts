import type { AttrPath } from "../json/attr.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { MappingDocument } from "./document/mapping-document.ts";
import type { Issues } from "./document/mapping-issues.ts";
import type { SourceColumns } from "./source-columns.ts";

/** What a mapping takes from outside its own file. */
export interface MappingValues {
  /** What `${supplier}` stands for. */
  readonly supplier?: string;
  /** Lookup tables, by the path that the mapping writes. */
  readonly lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The functions that leaves may call, by name. */
  readonly functions: ReadonlyMap<string, MappingFunction>;
}

/**
 * Gets the cell's text after `trim`, `replace`, `upper` and `lower`, and the row: by column (CSV) or as the object it
 * is (JSON). What it gives back goes through the contract's type; nothing or "" is an empty cell. Has to be quick, and
 * may not be asynchronous.
 */
export type MappingFunction = (value: string, row: Readonly<Record<string, JsonValue>>) => unknown;

/** What compiling any entry of a mapping needs. */
export interface MappingContext {
  readonly document: MappingDocument;
  readonly values: MappingValues;
  readonly issues: Issues;
}

/** What compiling a leaf needs. */
export interface LeafContext extends MappingContext {
  /** Where the entry stands in the mapping file. */
  readonly path: AttrPath;
  /** The columns of the current source. */
  readonly columns: SourceColumns;
}
