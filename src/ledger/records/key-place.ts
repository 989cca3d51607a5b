import type { Place } from "../../model/place.ts";
import type { Severity } from "../../model/problem.ts";
import type { KeyPolicy, PlannedPlace } from "./planned-item.ts";

/**
 * Returns the place of an item's cell with the business key, the date of the content, or the reference to another
 * record. If the value may come from several cells, returns the item's line with all of these cells.
 */
export function cellPlace(
  { fileCells }: KeyPolicy,
  { file, line, record }: PlannedPlace,
  name: "key" | "asOf" | "awaited" = "key",
): Place {
  const found = fileCells.get(file);
  const element = found?.firstElement === undefined ? "" : `/${record - found.firstElement}`;
  const cells = (found?.[name] ?? []).map(({ pointer, ...cell }): Place => ({
    file,
    line,
    ...cell,
    ...(pointer !== undefined && { pointer: element + pointer }),
  }));
  const [only = { file, line }, ...others] = cells;
  return others.length === 0 ? only : { file, line, cells };
}

export interface KeyProblem<S extends Severity> {
  readonly attr: string;
  readonly severity: S;
  readonly by: "local";
  readonly place: Place;
}

/**
 * Returns the common part of all problems that a comparison of items can find. All of these problems concern the key.
 */
export function keyProblem<S extends Severity>(severity: S, planned: PlannedPlace, policy: KeyPolicy): KeyProblem<S> {
  return { attr: policy.keyAttr, severity, by: "local", place: cellPlace(policy, planned) };
}
