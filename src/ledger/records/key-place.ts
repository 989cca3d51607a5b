import type { Place } from "../../model/place.ts";
import type { Severity } from "../../model/problem.ts";
import type { KeyPolicy } from "./planned-item.ts";

/** Returns the place of an item's key: the item's line, and the key's column if the file has one. */
export function keyPlace(policy: KeyPolicy, file: string, line: number): Place {
  return { file, line, ...policy.keyColumns.get(file) };
}

/**
 * Returns the common part of all problems that a comparison of items can find. All of these problems concern the key.
 */
export function keyProblem<S extends Severity>(
  severity: S,
  { file, line }: { readonly file: string; readonly line: number },
  policy: KeyPolicy,
): { readonly attr: string; readonly severity: S; readonly by: "local"; readonly place: Place } {
  return { attr: policy.keyAttr, severity, by: "local", place: keyPlace(policy, file, line) };
}
