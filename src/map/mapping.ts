import type { AttrPath } from "../json/attr.ts";
import { type JsonObject, type JsonValue, valueAt } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import type { LocalProblem } from "../model/problem.ts";
import type { Row } from "../model/record.ts";
import type { MappingNode, OriginKind } from "./node/mapping-node.ts";

/** A mapping, compiled against a contract: rows in, payloads out. */
export interface Mapping {
  /**
   * Never throws for data. Throws a Failure `mapping_invalid` at the first row of a CSV file that lacks a column, and
   * when a user's function fails. Rows have to be prepared first, where the mapping has `prepare`.
   */
  readonly map: (row: Row) => Mapped;
  /**
   * Evaluates the user's functions for rows that are about to be mapped; undefined for a mapping that calls none. What a
   * call throws is thrown when its row is mapped.
   * @throws Failure when a function ended or blocked its thread, or the run was stopped meanwhile
   */
  readonly prepare?: ((rows: readonly Row[]) => Promise<void>) | undefined;
  /** Ends what the user's functions run in. */
  readonly close?: (() => Promise<void>) | undefined;
  /** The cell behind an attr, or the nearest thing to it: the row it would come from, the parent's row. */
  readonly locate: (row: Row, path: AttrPath) => Place | undefined;
  /** Every value of the payload, of what steps are given and of parameters (`parameters.companyId`), with what it was made from, in payload order. */
  readonly origins: (row: Row) => readonly Origin[];
  readonly keyAttr: AttrPath | undefined;
  /** The compiled payload, where that is all that a record has (no fields of steps, no parameters) and no function of the user has a say. */
  readonly payloadNode?: MappingNode | undefined;
  /** True when every payload has the same value there, whatever its rows hold. */
  readonly isConstant: (path: AttrPath) => boolean;
  /** Columns (CSV) or paths (JSON) that the payload is made from, by source. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
  /** By source and column: the texts that a cell can have, where mapping and contract name all of them. */
  readonly choices: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Attrs that the contract requires and that nothing in the mapping fills (`customers.*.given_name`). */
  readonly unmappedRequired: readonly string[];
}

interface Mapped {
  /** The business key as text; absent when the payload has none. */
  readonly key?: string;
  readonly payload: JsonObject;
  /** What the mapping gives to the bodies of steps, by the step's name; absent where it gives nothing. */
  readonly steps?: ReadonlyMap<string, JsonObject>;
  /** The values of parameters, by their names; absent where the operation has none. */
  readonly parameters?: JsonObject;
  /**
   * Cells that cannot be converted as the contract or the mapping asks. Their text stays in the payload, so
   * validation may report the same attr again: these problems hold more detail and come first.
   */
  readonly problems: readonly LocalProblem[];
}

export interface Origin {
  readonly attr: string;
  /** Absent for a constant. */
  readonly place?: Place;
  readonly from: OriginKind;
  readonly value: JsonValue;
}

/** A payload with its business key, as text, where it has one. */
export function mappedOf(
  payload: JsonObject,
  keyAttr: AttrPath | undefined,
  problems: readonly LocalProblem[],
): Mapped {
  const value = keyAttr && valueAt(payload, keyAttr);
  const hasKey = (typeof value === "string" && value !== "") || typeof value === "number";
  return hasKey ? { key: String(value), payload, problems } : { payload, problems };
}
