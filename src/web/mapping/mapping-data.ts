import type { AttrPath } from "../../json/attr.ts";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import type { ErrorDetails } from "../../model/failure.ts";

export interface SourceColumn {
  readonly source: string;
  readonly column: string;
}

/** A source of the mapping, with its columns and its join. */
export interface SourceData {
  readonly name: string;
  readonly files: readonly string[];
  readonly rows: number;
  readonly columns: readonly ColumnData[];
  /** Candidates for the key: columns whose values each identify one row. */
  readonly keys: readonly string[];
  /** The options of the source in the mapping, except its files. */
  readonly options: JsonObject;
}

export interface ColumnData {
  readonly name: string;
  /** The type of the values, such as `date`, `number` or `e-mail`. */
  readonly type: string;
  readonly filled: number;
  readonly empty: number;
  /** The number of distinct values; absent if unknown. */
  readonly distinct?: number;
  /** The most frequent shapes of the values. */
  readonly shapes: readonly string[];
  /** Date patterns that match cells, best first, each with the share of matching cells (0 to 1). */
  readonly dates: readonly { readonly pattern: string; readonly share: number }[];
  /** Some distinct values; empty if values are hidden. */
  readonly samples: readonly string[];
  /** Every distinct value, most frequent first; absent if there are many or if values are hidden. */
  readonly codes?: readonly { readonly code: string; readonly rows: number }[];
}

/** A field of the contract, or a part of the mapping, with the entry that fills it. */
export interface FieldData {
  /**
   * The path of the field in the mapping file. `*` represents the item of a list that the mapping does not have yet.
   * The path of a part is the same whether the part is an item or an entry `{ each, when, item }`.
   */
  readonly path: AttrPath;
  /** The attr of the field, such as `customers.*.mobile`. */
  readonly attr: string;
  readonly name: string;
  /**
   * - `part`: one of several parts of a list
   * - `value`: one value
   * - `values`: a list of values
   * - `hand`: an entry that this page cannot edit
   */
  readonly kind: "object" | "list" | "part" | "value" | "values" | "hand";
  readonly required: boolean;
  readonly type: string;
  /** Only for values: the kind of the contract's type, such as `date` or `choice`. */
  readonly valueKind?: string;
  /** Constraints, such as `at most 30 characters`. */
  readonly rules: readonly string[];
  readonly description?: string;
  readonly choices?: readonly string[];
  /** The source whose row fills the field; absent inside a list that the mapping does not have yet. */
  readonly row?: string;
  /**
   * Where the items of a list or of a part come from. Absent for other fields, and for items that only a text editor
   * can change.
   */
  readonly items?: ItemsData | undefined;
  /** The condition of a list or of a part; null if there is none. Absent if the page cannot edit the condition. */
  readonly condition?: PartCondition | null;
  readonly entry?: EntryData;
  /** Columns that can fill the field, best first. */
  readonly suggestions: readonly SuggestionData[];
  readonly children: readonly FieldData[];
}

/**
 * Where the items of a list, or of a part of a list, come from:
 * - `none`: the mapping does not have the list
 * - `row`: one item, built from the row of the list
 * - `rows`: one item for each row of a source
 * - `parts`: the items of the parts of the list
 */
export type ItemsData = (
  | { readonly kind: "none" | "row" | "parts" }
  | { readonly kind: "rows"; readonly source: string }
) & {
  /** The source whose row contains the list; absent inside a list that the mapping does not have yet. */
  readonly parent?: string;
};

export interface SuggestionData extends SourceColumn {
  /** How well the column fits, from 0 to 1. */
  readonly score: number;
}

/** The entry of the mapping that fills a field. */
export interface EntryData {
  /** The entry on one line, cut off if it is long. */
  readonly text: string;
  readonly columns: readonly SourceColumn[];
  /** How well the first column fits, from 0 to 1; absent if the entry uses no known column. */
  readonly score?: number;
  /** The options of the entry; absent if only a text editor can change the entry. */
  readonly leaf?: JsonObject;
  /** The 1-based line of the entry in the mapping. */
  readonly line: number;
}

/** A mapping as the page shows it. */
export interface MappingData {
  readonly text: string;
  readonly sources: readonly SourceData[];
  readonly fields: readonly FieldData[];
  /** Absent if the mapping names no module with functions. */
  readonly functions?: FunctionsData;
  /** Parts of the mapping that can only be changed in an editor, as text. */
  readonly otherParts: readonly { readonly name: string; readonly text: string; readonly line: number }[];
  /** Time zone of times without an offset. */
  readonly zone: string;
  /** Set if the mapping has an error and cannot be used. */
  readonly error?: ErrorDetails;
}

/** The module with the functions of a mapping. */
interface FunctionsData {
  /** The path of the module, as written in the mapping. */
  readonly module: string;
  /** The functions that the module exports; empty if the module cannot be loaded. */
  readonly names: readonly string[];
}

/** Files of the project. Paths are relative to the mapping, except the paths in `sources`. */
export interface FilesData {
  /** Files that may be extracts. Paths are relative to the folder of the project. */
  readonly sources: readonly string[];
  /** Files that may be lookup tables. */
  readonly tables: readonly string[];
  /** JavaScript modules. */
  readonly modules: readonly string[];
}

/** A change to a mapping. `path` is the path of a field in the mapping file, from `FieldData`. */
export type MappingEdit =
  | { readonly kind: "connect"; readonly path: AttrPath; readonly source: string; readonly column: string }
  | { readonly kind: "disconnect"; readonly path: AttrPath }
  /** Replaces all options of an entry. */
  | { readonly kind: "set"; readonly path: AttrPath; readonly leaf: JsonObject }
  /**
   * Sets the source whose rows become the items of a list or of a part; null: one item, built from the row of the list.
   */
  | { readonly kind: "rows"; readonly path: AttrPath; readonly source: string | null }
  /** Adds a part to a list: one item for each row of a source, or one item built from the row of the list. */
  | {
      readonly kind: "addPart";
      readonly path: AttrPath;
      readonly source?: string | undefined;
      readonly when?: PartCondition | undefined;
    }
  /** Sets the condition of a list or of a part; null removes the condition. */
  | { readonly kind: "part"; readonly path: AttrPath; readonly when: PartCondition | null }
  | { readonly kind: "removePart"; readonly path: AttrPath }
  /** Sets the module with the functions; null removes the option. */
  | { readonly kind: "functions"; readonly module: string | null }
  /** Adds a source that is joined to another source by one column from each. */
  | ({ readonly kind: "addSource" } & NewSource)
  /** Sets options of a source; null removes an option. */
  | { readonly kind: "source"; readonly name: string; readonly options: JsonObject };

/** A condition that limits items to rows with one of these values in the column. */
export interface PartCondition {
  readonly column: string;
  readonly in: readonly string[];
}

interface SourceFile {
  readonly name: string;
  /** The path of the file, as written in the mapping. */
  readonly file: string;
}

interface SourceJoin {
  readonly parent: string;
  readonly column: string;
  readonly parentColumn: string;
}

export interface NewSource extends SourceFile, SourceJoin {
  /** The column that identifies the rows of the source. */
  readonly key?: string | undefined;
}

/** A file that can become a source, with the join whose values match best. */
export interface NewSourceData extends SourceFile {
  readonly rows: number;
  readonly columns: readonly string[];
  /** Candidates for the key: columns whose values each identify one row. */
  readonly keys: readonly string[];
  readonly join?: SourceJoin;
}

/** The result of a trial run on the first records. */
export interface CheckData {
  readonly records: number;
  readonly valid: number;
  /** Whether the input has more records than were checked. */
  readonly more: boolean;
  readonly causes: readonly { readonly code: string; readonly attr: string; readonly records: number }[];
  readonly payloads: readonly PayloadData[];
}

export interface PayloadData {
  readonly record: number;
  /** The place of the record, such as `accounts.csv:2`. */
  readonly place: string;
  /** If values are hidden, each value is replaced by its shape. */
  readonly payload: JsonValue;
  readonly problems: readonly { readonly attr: string; readonly text: string }[];
}

/** The files and settings from which a first mapping is created. Paths are relative to the folder of the project. */
export interface SetupData {
  /** The OpenAPI document and its overlays. */
  readonly contract: readonly string[];
  readonly operation?: string | undefined;
  readonly sources: readonly string[];
  readonly supplier?: string | undefined;
  /** The encoding of sources that do not declare one. */
  readonly encoding?: string | undefined;
}

export interface MappingState {
  readonly file: string;
  /** Absent if the project has no mapping yet. */
  readonly saved?: { readonly text: string; readonly hash: string };
  /** The files from which a first mapping can be created; set only without a mapping. */
  readonly start?: StartData;
}

/** Files that may be extracts, contracts and overlays, and the initial selection. */
export interface StartData extends SetupFiles {
  readonly chosen: SetupData;
}

interface SetupFiles {
  readonly sources: readonly string[];
  readonly contracts: readonly string[];
  readonly overlays: readonly string[];
}

export interface FoundData extends SetupFiles {
  /** JavaScript modules. */
  readonly modules: readonly string[];
}

/** An operation that accepts a payload. */
export interface OperationData {
  readonly id: string;
  readonly address: string;
  readonly summary?: string;
}

/** The body of requests about an unsaved mapping. */
export interface DraftRequest {
  readonly text: string;
  readonly showValues: boolean;
  /** The setup of a first mapping. */
  readonly setup?: SetupData | undefined;
}

export interface GuessData {
  readonly text: string;
  /** The setup with the encoding of the sources. */
  readonly setup: SetupData;
}

export interface SaveData {
  readonly hash: string;
  /** The files that were written. */
  readonly written: readonly string[];
}
