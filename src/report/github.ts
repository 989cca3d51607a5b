import type { Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import { causeKey } from "./causes.ts";
import { plainText } from "./plain-text.ts";
import type { Report, Write } from "./report.ts";
import { troubledOutcomes } from "./troubled-outcomes.ts";
import { wordsFor } from "./words.ts";

/** GitHub keeps 50 annotations of a job, and shows the first 10 errors and 10 warnings of a step. */
const MOST_ANNOTATIONS = 50;

/**
 * Annotations for a GitHub workflow, on the line of the source file: first one of every cause, so that the ten that
 * GitHub shows cover ten causes, then others, errors before warnings; a notice says how many were left out.
 */
export async function github(report: Report, write: Write): Promise<void> {
  const found: Found = {
    errors: { first: [], more: [] },
    warnings: { first: [], more: [] },
    causes: new Set(),
    total: 0,
  };
  for await (const batch of troubledOutcomes(report)) {
    for (const outcome of batch) for (const problem of outcome.problems) note(found, outcome, problem);
  }
  const { errors, warnings, total } = found;
  const ordered = [...errors.first, ...warnings.first, ...errors.more, ...warnings.more];
  const shown = ordered.slice(0, MOST_ANNOTATIONS);
  const lines = shown.map((annotation) => annotationLine(annotation, report.showValues));
  if (total > shown.length) lines.push(closingLine(total - shown.length, report.folder));
  if (lines.length > 0) await write(`${lines.join("\n")}\n`);
}

interface Annotation {
  readonly problem: Problem;
  readonly place: Place;
}

interface Found {
  readonly errors: Picked;
  readonly warnings: Picked;
  /** Causes met so far, as many as could ever be shown. */
  readonly causes: Set<string>;
  total: number;
}

interface Picked {
  readonly first: Annotation[];
  readonly more: Annotation[];
}

function note(found: Found, { source }: Outcome, problem: Problem): void {
  const { severity, place = source } = problem;
  found.total += 1;
  const picked = severity === "error" ? found.errors : found.warnings;
  if (picked.first.length >= MOST_ANNOTATIONS) return;
  const cause = causeKey(problem);
  if (!found.causes.has(cause)) {
    found.causes.add(cause);
    picked.first.push({ problem, place });
  } else if (picked.more.length < MOST_ANNOTATIONS) picked.more.push({ problem, place });
}

/** `col` is left out: it counts characters, while a CSV cell is known by its column, which the message names. */
function annotationLine({ problem, place }: Annotation, showValues: boolean): string {
  const { attr, code, severity, value } = problem;
  const file = place.file === "-" ? [] : [`file=${property(place.file)}`, `line=${place.line}`];
  const title = `title=${property(`${code} at ${attr}`)}`;
  const cell = place.column ?? place.pointer;
  const where = cell === undefined || cell === "" ? "" : ` (${place.column === undefined ? "at" : "column"} ${cell})`;
  const what = showValues && value !== undefined ? ` [${value}]` : "";
  return `::${severity} ${[...file, title].join(",")}::${message(wordsFor(problem) + what + where)}`;
}

function closingLine(left: number, folder: string | undefined): string {
  const where = folder === undefined ? "" : `: see errors.csv in ${folder}`;
  return `::notice title=migrate::${message(`${left.toLocaleString("en")} more problems are not shown here${where}`)}`;
}

/** As GitHub's own toolkit escapes the message of a command; `plainText` has left no line ends to escape. */
function message(text: string): string {
  return plainText(text, LONGEST_TEXT).replaceAll("%", "%25");
}

/** As GitHub's own toolkit escapes a property of a command. */
function property(text: string): string {
  return message(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const LONGEST_TEXT = 1000;
