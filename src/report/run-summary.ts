import { Chalk, type ChalkInstance } from "chalk";
import { NEEDS_WORK, type RecordCounts, STATUSES, type Status, type Summary } from "../model/outcome.ts";
import { plainText } from "../text/plain-text.ts";
import { counted, formatCount } from "../text/count.ts";
import { countRecords, type Report, WITHOUT_ERRORS } from "./report.ts";
import { textWidth } from "../terminal/text-width.ts";

const MEANINGS: Readonly<Record<Status, string>> = {
  valid: "no errors",
  invalid: "not sent: the data has errors",
  accepted: "on the platform",
  rejected: "rejected by the platform: the data has errors",
  ambiguous: "outcome unknown: the platform may have received it",
  blocked: "stopped by the platform for a reason other than the data",
  pending: "not sent, or not finished on the platform",
  skipped: "already accepted: not sent again",
  duplicate: "repeats another record: sent only once",
  existing: "already on the platform: content not compared",
  stale: "older than content already sent: not sent",
  excluded: "excluded from the migration: not sent",
};

const WAITS = "waits for a record that has not been accepted";
const STOPPED_OR_WAITS = "stopped by the platform, or waits for another record";

/** The counts of a run. Without `errors`, the reasons why records are blocked are unknown. */
export interface StatusCounts extends RecordCounts {
  readonly errors?: Summary["errors"];
}

/** Describes the meaning of a status, to display next to its count. */
export function statusMeaning(status: Status, { counts, errors }: StatusCounts): string {
  if (status !== "blocked" || (errors !== undefined && errors["account_not_found"] === undefined))
    return MEANINGS[status];
  // The platform may also reject records with this code, so the counts can only be compared if none were rejected.
  const isWaiting = errors?.["account_not_found"] === counts.blocked && (counts.rejected ?? 0) === 0;
  return isWaiting ? WAITS : STOPPED_OR_WAITS;
}

/** Summarises a finished run in a few lines for stderr: records per status, the report folder, and the next command. */
export function summaryText(report: Report): string {
  const { summary, title, folder, next } = report;
  const style = new Chalk({ level: report.colour ? 1 : 0 });
  const records = counted(summary.records, "record");
  const lines = [`${style.bold(plainText(title))}: ${records}`, ...statusLines(report, style)];
  const ways: string[] = [];
  if (folder !== undefined) ways.push(`Report  ${plainText(folder)}${rejectsNote(report)}`);
  if (next !== undefined) ways.push(`Next    ${style.cyan(plainText(next, 2000))}`);
  return `${[...lines, ...(ways.length > 0 ? ["", ...ways] : [])].join("\n")}\n`;
}

function statusLines({ summary, width }: Report, style: ChalkInstance): readonly string[] {
  const present = STATUSES.filter((status) => (summary.counts[status] ?? 0) > 0);
  const counts = new Map(present.map((status) => [status, formatCount(summary.counts[status] ?? 0)]));
  const countWidth = Math.max(0, ...[...counts.values()].map((count) => count.length));
  const nameWidth = Math.max(0, ...present.map((status) => status.length));
  return present.map((status) => {
    const start = `  ${(counts.get(status) ?? "").padStart(countWidth)}  `;
    const name = status.padEnd(nameWidth);
    const meaning = statusMeaning(status, summary);
    const fits = textWidth(start + name) + 2 + meaning.length <= width;
    return start + colourOf(status, style)(fits ? name : status) + (fits ? `  ${style.dim(meaning)}` : "");
  });
}

function colourOf(status: Status, style: ChalkInstance): ChalkInstance {
  if (WITHOUT_ERRORS.has(status)) return style.green;
  return NEEDS_WORK.has(status) ? style.red : style.yellow;
}

function rejectsNote({ summary, leftOut }: Report): string {
  const count = countRecords(summary, NEEDS_WORK);
  if (count === 0 || leftOut === undefined) return "";
  const missing =
    leftOut === 0
      ? ""
      : `; ${counted(leftOut, "record")} cannot be copied unchanged: see errors.csv, and fix ${leftOut === 1 ? "it" : "them"} in the extract`;
  return ` (rejects: ${counted(count, "record")} to fix${missing})`;
}
