import type { Place } from "../../model/place.ts";
import type { LocalProblem, Severity } from "../../model/problem.ts";
import type { PlanPolicy } from "./planned-item.ts";

/** Returns the place of an item's key: the item's line, and the key's column if the file has one. */
export function keyPlace(policy: Pick<PlanPolicy, "keyColumns">, file: string, line: number): Place {
  return { file, line, ...policy.keyColumns.get(file) };
}

type KeyProblem<S extends Severity> = Pick<LocalProblem, "attr" | "by" | "place"> & { readonly severity: S };

/**
 * Returns the common part of all problems that a comparison of items can find. All of these problems concern the key.
 */
export function keyProblem<S extends Severity>(
  severity: S,
  { file, line }: { readonly file: string; readonly line: number },
  policy: Pick<PlanPolicy, "keyAttr" | "keyColumns">,
): KeyProblem<S> {
  return { attr: policy.keyAttr, severity, by: "local", place: keyPlace(policy, file, line) };
}
