import type { AttrPath } from "../json/attr.ts";
import { type JsonObject, type JsonValue, valueAt } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import type { LocalProblem } from "../model/problem.ts";
import type { Row } from "../model/record.ts";
import { canonicalKey } from "../text/canonical-key.ts";
import type { SourceColumn } from "./source-columns.ts";
import type { MappingNode, OriginKind } from "./node/mapping-node.ts";

/** The conversion of single rows to payloads. */
export interface RowMapping {
  /**
   * Never throws for invalid data. If the mapping has `prepare`, rows must be prepared first.
   * @throws Failure `mapping_invalid` at the first row of a file that lacks a column or the date of its content, or if
   * a user's function fails; `source_too_large` if a payload is too large; `usage` for a CSV row if the sources must
   * contain payloads (`passThrough`)
   */
  readonly map: (row: Row) => Mapped;
  /**
   * Returns the place of an attr's cell. If the attr has no cell, returns the place of the row from which its value is
   * built. Returns undefined only for a CSV row that `map` refuses.
   */
  readonly locate: (row: Row, path: AttrPath) => Place | undefined;
  /**
   * Returns every value of the payload, of the fields for steps and of the parameters (`parameters.companyId`), with
   * its origin, in payload order.
   */
  readonly origins: (row: Row) => readonly Origin[];
  readonly keyAttr: AttrPath | undefined;
  /** The columns that the business key comes from. */
  readonly keyColumns: readonly SourceColumn[];
  /** Returns the cells from which the value at a path may come. They are in the same columns in every row of a file. */
  readonly cellsBehind: (row: Row, path: AttrPath) => readonly Place[];
  /** True if the value at this path is the same in every payload and does not depend on rows. */
  readonly isConstant: (path: AttrPath) => boolean;
}

/** A mapping, compiled against a contract, that converts rows to payloads. */
export interface Mapping extends RowMapping {
  /**
   * Evaluates the user's functions for rows before they are mapped; undefined for a mapping without calls. An error in
   * a call is thrown when its row is mapped.
   * @throws Failure if a function ended or blocked its thread, or if the run was stopped before all calls ended
   */
  readonly prepare?: ((rows: readonly Row[]) => Promise<void>) | undefined;
  /** Stops the thread that runs the user's functions. */
  readonly close?: (() => Promise<void>) | undefined;
  /** Present if the sources state the date of their content; `column`: the column with the date. */
  readonly asOf?: { readonly column: string | undefined };
  /**
   * The compiled payload. Absent if a record also has fields for steps, parameters or a date (`asOf`), or if the
   * mapping names a module of functions.
   */
  readonly payloadNode?: MappingNode | undefined;
  /** The names of the steps to whose bodies the mapping adds fields. Absent if there are none. */
  readonly stepNames?: readonly string[];
  /** Columns (CSV) or paths (JSON) that the entries of the mapping read, by source. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** The strings that a cell can have, by source and column, if the mapping and the contract list all of them. */
  readonly choices: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Attrs that the contract requires but the mapping does not fill (`customers.*.given_name`). */
  readonly unmappedRequired: readonly string[];
}

export interface Mapped {
  /** The business key as text; absent if the payload has none. */
  readonly key?: string;
  readonly payload: JsonObject;
  /** The fields that the mapping adds to the bodies of steps, by step name; absent if there are none. */
  readonly steps?: ReadonlyMap<string, JsonObject>;
  /** The values of parameters, by name; absent if the operation has none. */
  readonly parameters?: JsonObject;
  /** The date of the content, in milliseconds since 1970; absent if the source does not state it. */
  readonly asOf?: number;
  /**
   * Problems with cells that cannot be converted as the contract or the mapping requires. The text of such a cell stays
   * in the payload, so validation may report the same attr again. These problems are more detailed than the problems of
   * validation, and precede them.
   */
  readonly problems: readonly LocalProblem[];
}

export interface Origin {
  readonly attr: string;
  /** Absent for a constant. */
  readonly place?: Place;
  readonly from: OriginKind;
  readonly value: JsonValue;
  /** Set if a correction has replaced the text of the cell. */
  readonly isCorrected?: true;
}

/** Returns a payload with its business key as text, if it has one. */
export function mappedOf(
  payload: JsonObject,
  keyAttr: AttrPath | undefined,
  problems: readonly LocalProblem[],
): Mapped {
  const value = keyAttr && valueAt(payload, keyAttr);
  const hasKey = (typeof value === "string" && canonicalKey(value) !== "") || typeof value === "number";
  return hasKey ? { key: String(value), payload, problems } : { payload, problems };
}
