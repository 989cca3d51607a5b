import { STATUSES, type Status, type Summary } from "../model/outcome.ts";
import { jsonText } from "./json-text.ts";

/** The summary as one JSON object: records, every status, `errors` (and `warnings`, if any) by code, `exitCode`. */
export function summaryJson(summary: Summary): string {
  const { records, counts, errors, warnings, exitCode } = summary;
  const members = [`"records":${records}`, ...STATUSES.map((status) => `"${status}":${counts[status] ?? 0}`)];
  members.push(`"errors":${countsJson(errors)}`);
  if (Object.keys(warnings).length > 0) members.push(`"warnings":${countsJson(warnings)}`);
  return `{${members.join(",")},"exitCode":${exitCode}}`;
}

function countsJson(counts: Readonly<Record<string, number>>): string {
  const members = Object.entries(counts).map(([code, count]) => `${jsonText(code)}:${count}`);
  return `{${members.join(",")}}`;
}

/**
 * Every status adds up to `records`.
 * @throws Error (a bug) when they do not: a report that does not add up must not be shown
 */
export function assertAddsUp({ records, counts }: Pick<Summary, "records" | "counts">): void {
  const total = STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  if (total !== records) throw new Error(`the report does not add up: ${total} outcomes of ${records} records`);
}

/** How many records have one of the statuses. */
export function countOf(summary: Summary, statuses: Iterable<Status>): number {
  return [...statuses].reduce((sum, status) => sum + (summary.counts[status] ?? 0), 0);
}
