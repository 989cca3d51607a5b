import { Failure } from "../../model/failure.ts";
import { counted } from "../../text/count.ts";
import type { PlanPolicy } from "./planned-item.ts";

/**
 * Refuses two mappings that refer to each other. If each record waits for the record with the same key, a cycle can
 * come only from such mappings, not from the data.
 * @throws Failure `mapping_invalid`
 */
export function requireOneDirection(circular: number, { after, awaitsOwnKey }: PlanPolicy): void {
  if (circular === 0 || after === undefined || awaitsOwnKey !== true) return;
  throw new Failure(
    "mapping_invalid",
    `\`after\` of this mapping names ${after}, whose records wait for records of this mapping: ${counted(circular, "record")} would wait forever`,
    { hint: "nothing was sent. Remove `after` from the mapping whose records come first, and push that mapping again" },
  );
}
