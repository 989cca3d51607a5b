import type { Outcome } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import { formatCount } from "../../text/count.ts";
import { causeKey } from "./causes.ts";
import { plainText } from "../../text/plain-text.ts";
import { outcomesWithProblems, type Report, type Write } from "../report.ts";
import { describeProblem } from "../problems/problem-text.ts";

/** GitHub keeps 50 annotations per job, and shows the first 10 errors and 10 warnings per step. */
const MAX_ANNOTATIONS = 50;

/**
 * Writes GitHub workflow annotations on the lines of the source files. The first annotations belong to different
 * causes, because GitHub shows only the first errors and warnings. The other annotations follow, errors before
 * warnings. A notice states the number of omitted problems.
 */
export async function githubReporter(report: Report, write: Write): Promise<void> {
  const found: CollectedAnnotations = {
    errors: { first: [], more: [] },
    warnings: { first: [], more: [] },
    causes: new Set(),
    total: 0,
  };
  for await (const batch of outcomesWithProblems(report)) {
    for (const outcome of batch) for (const problem of outcome.problems) collect(found, outcome, problem);
  }
  const { errors, warnings, total } = found;
  const ordered = [...errors.first, ...warnings.first, ...errors.more, ...warnings.more];
  const shown = ordered.slice(0, MAX_ANNOTATIONS);
  const lines = shown.map((annotation) => annotationLine(annotation, report.showValues));
  if (total > shown.length) lines.push(closingLine(total - shown.length, report.folder));
  if (lines.length > 0) await write(`${lines.join("\n")}\n`);
}

interface Annotation {
  readonly problem: Problem;
  readonly place: Place;
}

interface CollectedAnnotations {
  readonly errors: AnnotationGroup;
  readonly warnings: AnnotationGroup;
  /**
   * The causes found so far: at most `MAX_ANNOTATIONS` causes of errors and at most `MAX_ANNOTATIONS` causes of
   * warnings.
   */
  readonly causes: Set<string>;
  total: number;
}

interface AnnotationGroup {
  readonly first: Annotation[];
  readonly more: Annotation[];
}

function collect(found: CollectedAnnotations, { source }: Outcome, problem: Problem): void {
  const { severity, place = source } = problem;
  found.total += 1 + (problem.unlisted ?? 0);
  const picked = severity === "error" ? found.errors : found.warnings;
  if (picked.first.length >= MAX_ANNOTATIONS) return;
  const cause = causeKey(problem);
  if (!found.causes.has(cause)) {
    found.causes.add(cause);
    picked.first.push({ problem, place });
  } else if (picked.more.length < MAX_ANNOTATIONS) picked.more.push({ problem, place });
}

/** Renders an annotation. Omits `col`, which counts characters; the message names the column of a CSV cell instead. */
function annotationLine({ problem, place }: Annotation, showValues: boolean): string {
  const { attr, code, severity, value } = problem;
  const file = place.file === "-" ? [] : [`file=${propertyText(place.file)}`, `line=${place.line}`];
  const title = `title=${propertyText(`${code} at ${attr}`)}`;
  const cell = place.column ?? place.pointer;
  const where = cell === undefined || cell === "" ? "" : ` (${place.column === undefined ? "at" : "column"} ${cell})`;
  const what = showValues && value !== undefined ? ` [${value}]` : "";
  return `::${severity} ${[...file, title].join(",")}::${messageText(describeProblem(problem) + what + where)}`;
}

function closingLine(left: number, folder: string | undefined): string {
  const where = folder === undefined ? "" : `: see errors.csv in ${folder}`;
  const omitted = left === 1 ? "1 more problem is" : `${formatCount(left)} more problems are`;
  return `::notice title=migrate::${messageText(`${omitted} not shown here${where}`)}`;
}

/** Escapes a message as GitHub's own toolkit does. `plainText` has already removed line breaks. */
function messageText(text: string): string {
  return plainText(text, MAX_TEXT_LENGTH).replaceAll("%", "%25");
}

/** Escapes a property as GitHub's own toolkit does. */
function propertyText(text: string): string {
  return messageText(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const MAX_TEXT_LENGTH = 1000;
