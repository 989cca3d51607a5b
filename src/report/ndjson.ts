import { allOutcomes } from "./all-outcomes.ts";
import { outcomeLine } from "./outcome-line.ts";
import type { Report, Write } from "./report.ts";

/** One line a record (docs/errors.md, "Outcome lines"). */
export async function ndjson(report: Report, write: Write): Promise<void> {
  for await (const batch of allOutcomes(report)) {
    await write(batch.map((outcome) => `${outcomeLine(outcome, report)}\n`).join(""));
  }
}
