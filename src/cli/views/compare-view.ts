import type { CompareSummary, Comparison } from "../../commands/proof/compare.ts";
import type { Screen } from "../../job/dependencies.ts";
import { streamedTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import { type BatchWriter, csvTable, jsonLines } from "./record-writers.ts";

/**
 * The text format lists only records with differences, and counts unknown results by reason. CSV and NDJSON list all
 * records.
 */
export function compareWriter(
  format: "text" | "csv" | "ndjson",
  screen: Screen,
): BatchWriter<Comparison, CompareSummary> {
  if (format === "ndjson") return jsonLines((one) => one);
  if (format === "csv") return csvTable(["key", "result", "attrs", "reason", "file", "line", "run"], comparisonCells);
  const table = streamedTable([{ title: "key" }, { title: "result" }, { title: "place" }, { title: "attrs" }], screen);
  const unknown = new Map<string, number>();
  return {
    add: (batch) => {
      for (const { result, reason = "" } of batch)
        if (result === "unknown") unknown.set(reason, (unknown.get(reason) ?? 0) + 1);
      const listed = batch.filter(({ result }) => result === "different" || result === "absent");
      return listed.length === 0 ? "" : table(listed.map(comparisonRow));
    },
    end: ({ counts, isComplete }) => {
      const { replaced, verified, ...compared } = counts;
      const total = Object.values(compared).reduce((sum, count) => sum + count, 0);
      const parts = Object.entries(compared).filter(([, count]) => count > 0);
      const shown = parts.map(([name, count]) => `${formatCount(count)} ${name}`).join(", ");
      const reasons = [...unknown].map(([reason, count]) => `  ${formatCount(count)} unknown: ${plainText(reason)}\n`);
      return [
        `${counted(total, "accepted record")} compared${shown === "" ? "" : `: ${shown}`}\n`,
        ...reasons,
        replaced === 0 ? "" : `${counted(replaced, "record")} not compared: a later run has replaced the content\n`,
        verified === 0 ? "" : `${counted(verified, "record")} skipped: already compared\n`,
        isComplete ? "" : "Stopped. To continue, run the command again with --unverified.\n",
      ].join("");
    },
  };
}

function comparisonCells({ key = "", result, attrs = [], reason = "", source, run }: Comparison): readonly string[] {
  return [key, result, attrs.join("; "), reason, source.file, String(source.line ?? ""), run];
}

function comparisonRow({ key = "-", result, attrs = [], source }: Comparison): readonly string[] {
  return [key, result, `${source.file}:${source.line ?? ""}`, attrs.join(", ")];
}
