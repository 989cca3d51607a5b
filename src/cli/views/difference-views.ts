import type { Change, ChangesSummary } from "../../commands/changes/changes.ts";
import type { Comparison, CompareSummary } from "../../commands/proof/compare.ts";
import type { Screen } from "../../job/dependencies.ts";
import { renderTable, streamedTable } from "../../terminal/text-table.ts";
import { counted, formatCount } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import { type BatchWriter, csvTable, jsonLines, type ListFormat } from "./record-writers.ts";

const MAX_LISTED = 50;
const COLUMNS = ["key", "result", "place", "attrs"];

/**
 * Creates the writer for a format. Text shows the counts and the first differences. CSV and NDJSON list every record.
 */
export function changesWriter(format: ListFormat, screen: Screen): BatchWriter<Change, ChangesSummary> {
  if (format === "ndjson") return jsonLines((one) => one);
  if (format === "csv") {
    return csvTable(["key", "result", "attrs", "file", "line"], ({ key, result, attrs = [], source }) => {
      return [key, result, attrs.join("; "), source.file, String(source.line ?? "")];
    });
  }
  const rows: (readonly string[])[] = [];
  return {
    add(batch) {
      for (const one of batch) if (one.result !== "same" && rows.length < MAX_LISTED) rows.push(textRow(one));
      return "";
    },
    end: (summary) =>
      summaryText(summary, rows.length) + (rows.length === 0 ? "" : `\n${renderTable(rows, COLUMNS, screen)}`),
  };
}

function summaryText({ counts, ...found }: ChangesSummary, listed: number): string {
  const { same, removed, mapping, duplicate, ...others } = counts;
  const total = others.new + others.changed + mapping + same;
  const shown = [
    `${formatCount(others.new)} new`,
    `${formatCount(others.changed)} changed`,
    `${formatCount(mapping)} changed by the mapping or contract alone`,
    `${formatCount(same)} same`,
    found.hasRemoved ? `${formatCount(removed)} removed` : "not checked for removed records",
  ].join(", ");
  const different = total - same + removed + duplicate;
  return [
    `${counted(total, "record")} compared: ${shown}\n`,
    found.invalid === 0 ? "" : `${counted(found.invalid, "record")} with errors: see \`migrate validate\`\n`,
    duplicate === 0
      ? ""
      : `${counted(duplicate, "record")} not compared, because an earlier record has the same key: see \`migrate validate\`\n`,
    found.withoutKey === 0 ? "" : `${counted(found.withoutKey, "record")} not compared, because the key is missing\n`,
    found.unknownAttrs === 0
      ? ""
      : `The changed attrs of ${counted(found.unknownAttrs, "record")} are unknown. Possible reasons: the earlier extract has changed or no longer exists, its records are in a different order, the ledger does not name the run that sent them, or their earlier payloads come from too many runs\n`,
    different > listed
      ? `The first ${formatCount(listed)} of ${formatCount(different)} differences; to list all, use --format csv or ndjson\n`
      : "",
  ].join("");
}

function textRow({ key = "-", result, attrs = [], source }: Change | Comparison): readonly string[] {
  return [key, result, `${source.file}:${source.line ?? ""}`, attrs.join(", ")];
}

/**
 * Creates the writer for a format. Text lists only records with differences, and counts unknown results by reason. CSV
 * and NDJSON list all records.
 */
export function compareWriter(format: ListFormat, screen: Screen): BatchWriter<Comparison, CompareSummary> {
  if (format === "ndjson") return jsonLines((one) => one);
  if (format === "csv") return csvTable(["key", "result", "attrs", "reason", "file", "line", "run"], comparisonCells);
  const table = streamedTable(COLUMNS, screen);
  const unknown = new Map<string, number>();
  return {
    add: (batch) => {
      for (const { result, reason = "" } of batch)
        if (result === "unknown") unknown.set(reason, (unknown.get(reason) ?? 0) + 1);
      const listed = batch.filter(({ result }) => result === "different" || result === "absent");
      return listed.length === 0 ? "" : table(listed.map(textRow));
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
        replaced === 0
          ? ""
          : `${counted(replaced, "record")} not compared, because a later run has replaced the content\n`,
        verified === 0 ? "" : `${counted(verified, "record")} skipped: already compared\n`,
        isComplete ? "" : "Stopped. To continue, run the command again with --unverified.\n",
      ].join("");
    },
  };
}

function comparisonCells({ key = "", result, attrs = [], reason = "", source, run }: Comparison): readonly string[] {
  return [key, result, attrs.join("; "), reason, source.file, String(source.line ?? ""), run];
}
