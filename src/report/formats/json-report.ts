import type { Outcome } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import { jsonText } from "../../terminal/safe-json.ts";
import { describeProblem } from "../problems/problem-text.ts";
import { allInColumns, isOutcome, type Report, summaryJson, type Write } from "../report.ts";
import { createOutcomeLines, type Separators } from "./outcome-lines.ts";

/** Writes one document: the same summary as in `summary.json`, and each outcome on a separate line. */
export async function jsonReporter(report: Report, write: Write): Promise<void> {
  await write(`{"summary":${summaryJson(report.summary)},\n"outcomes":[`);
  await writeLines(report, write, { before: "\n", between: ",\n", after: "" });
  await write("\n]}\n");
}

/** Writes one line per record (docs/errors.md, "Outcome lines"). */
export async function ndjsonReporter(report: Report, write: Write): Promise<void> {
  await writeLines(report, write, { before: "", between: "\n", after: "\n" });
}

async function writeLines(
  report: Report,
  write: Write,
  { after, ...separators }: Separators & { readonly after: string },
): Promise<void> {
  const lines = createOutcomeLines(separators);
  for await (const batch of allInColumns(report)) {
    for (const part of batch) {
      if (isOutcome(part)) lines.add(outcomeLine(part, report));
      else lines.addValid(part);
    }
    const bytes = lines.take();
    if (bytes !== undefined) await write(bytes);
  }
  await write(lines.end(after));
}

/**
 * Renders an outcome as a JSON object on one line, without the line break at the end. Keys have a fixed order
 * (docs/errors.md), and are absent if they do not apply. Concatenates strings for speed, because every record of the
 * input has a line.
 */
export function outcomeLine(outcome: Outcome, options: { readonly showValues: boolean }): string {
  const { record, key, source, status, problems } = outcome;
  let line = `{"record":${record}`;
  if (key !== undefined) line += `,"key":${jsonText(key)}`;
  line += `,"source":${placeJson(source)},"status":"${status}"`;
  if (problems.length > 0) {
    line += `,"errors":[${problems.map((problem) => problemJson(problem, options)).join(",")}]`;
  }
  return `${line}${replyJson(outcome)}}`;
}

function replyJson({ http, attempts, account, durationMs }: Outcome): string {
  let members = "";
  if (http !== undefined) members += `,"http":${http}`;
  if (attempts !== undefined) members += `,"attempts":${attempts}`;
  if (account !== undefined) members += `,"account":${jsonText(account)}`;
  if (durationMs !== undefined) members += `,"durationMs":${durationMs}`;
  return members;
}

/** Renders one entry of the outcome's `errors`. */
export function problemJson(problem: Problem, options: { readonly showValues: boolean }): string {
  const { attr, code, severity, by, place, value } = problem;
  let object = `{"attr":${jsonText(attr)},"code":${jsonText(code)},"detail":${jsonText(describeProblem(problem))}`;
  object += `,"severity":"${severity}","by":"${by}"`;
  if (place !== undefined) object += `,"source":${placeJson(place)}`;
  if (options.showValues && value !== undefined) object += `,"value":${jsonText(value)}`;
  return `${object}}`;
}

function placeJson({ file, line, column, columnNumber, pointer }: Place): string {
  let object = `{"file":${jsonText(file)},"line":${line}`;
  if (column !== undefined) object += `,"column":${jsonText(column)}`;
  if (columnNumber !== undefined) object += `,"columnNumber":${columnNumber}`;
  if (pointer !== undefined) object += `,"pointer":${jsonText(pointer)}`;
  return `${object}}`;
}
