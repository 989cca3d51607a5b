import type { AttrPath } from "../json/attr.ts";
import type { MappingDocument } from "./document/mapping-document.ts";
import type { Issues } from "./document/mapping-issues.ts";
import type { FunctionCalls, MappingFunctions } from "./leaf/function-calls.ts";
import type { SourceColumns } from "./source-columns.ts";

/** What a mapping takes from outside its own file. */
export interface MappingValues {
  /** What `${supplier}` stands for. */
  readonly supplier?: string;
  /** Lookup tables, by the path that the mapping writes. */
  readonly lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly functions: MappingFunctions;
}

/** What compiling any entry of a mapping needs. */
export interface MappingContext {
  readonly document: MappingDocument;
  readonly values: MappingValues;
  readonly issues: Issues;
  /** Of this mapping's functions. */
  readonly calls: FunctionCalls;
}

/** What compiling a leaf needs. */
export interface LeafContext extends MappingContext {
  /** Where the entry stands in the mapping file. */
  readonly path: AttrPath;
  /** The columns of the current source. */
  readonly columns: SourceColumns;
}
