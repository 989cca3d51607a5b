import { allOutcomes } from "./all-outcomes.ts";
import { outcomeLine } from "./outcome-line.ts";
import type { Report, Write } from "./report.ts";
import { summaryJson } from "./summary-json.ts";

/** One document: the summary as in `summary.json`, and every outcome, one a line. */
export async function json(report: Report, write: Write): Promise<void> {
  await write(`{"summary":${summaryJson(report.summary)},\n"outcomes":[`);
  let separator = "\n";
  for await (const batch of allOutcomes(report)) {
    if (batch.length === 0) continue;
    await write(separator + batch.map((outcome) => outcomeLine(outcome, report)).join(",\n"));
    separator = ",\n";
  }
  await write("\n]}\n");
}
