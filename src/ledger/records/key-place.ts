import type { Place } from "../../model/place.ts";
import type { PlanPolicy } from "../ledger.ts";

/** Where an item's key stands: its line, and the key's column where the file has one. */
export function keyPlace(policy: Pick<PlanPolicy, "keyColumns">, file: string, line: number): Place {
  return { file, line, ...policy.keyColumns.get(file) };
}
