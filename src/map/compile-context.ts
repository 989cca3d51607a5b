import type { AttrPath } from "../json/attr.ts";
import type { MappingDocument } from "./document/mapping-document.ts";
import type { Issues } from "./document/mapping-issues.ts";
import type { FunctionCalls, MappingFunctions } from "./leaf/function-calls.ts";
import type { SourceColumns } from "./source-columns.ts";

/** Represents the code of any import supplier. */
export const ANY_SUPPLIER: unique symbol = Symbol("any supplier");

/** Values that a mapping uses but that are not in the mapping file. */
export interface MappingValues {
  /** Value of `${supplier}`; `ANY_SUPPLIER` if only the mapping is checked, and the value is unknown. */
  readonly supplier?: string | typeof ANY_SUPPLIER;
  /** Lookup tables, by path as written in the mapping. */
  readonly lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly functions: MappingFunctions;
  /**
   * Whether the rows are re-imported rejects. The name and date of a file of rejects do not state the date of its
   * content.
   */
  readonly isReimport?: boolean;
}

/** The context for compiling any entry of a mapping. */
export interface MappingContext {
  readonly document: MappingDocument;
  readonly values: MappingValues;
  readonly issues: Issues;
  readonly calls: FunctionCalls;
}

export interface LeafContext extends MappingContext {
  /** Path of the entry in the mapping file. */
  readonly path: AttrPath;
  /** The columns of the current source. */
  readonly columns: SourceColumns;
}
