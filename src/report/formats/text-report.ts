import { Chalk, type ChalkInstance } from "chalk";
import type { Outcome, Status } from "../../model/outcome.ts";
import { formatPlace, type Place } from "../../model/place.ts";
import { counted, formatCount, plural } from "../../text/count.ts";
import { type Cause, collectCauses, type Causes, type ShapeCount } from "./causes.ts";
import { plainLine, plainText } from "../../text/plain-text.ts";
import { outcomesWithProblems, type Report, totalOf, type Write } from "../report.ts";
import { textWidth, wrapText } from "../../terminal/text-width.ts";
import { describeReported } from "../problems/problem-text.ts";

/** Maximum number of causes shown per severity. Further causes are only counted. */
const MAX_CAUSES = 20;
const MAX_SHAPES = 3;
const MAX_LISTED = 5;

/**
 * Writes the most frequent causes of errors, then those of warnings. Each cause has a description and one example place
 * for each of its most frequent shapes. The first ambiguous, pending and existing records follow. A blank line at the
 * end separates the report from the summary.
 */
export async function textReporter(report: Report, write: Write): Promise<void> {
  const { errors, warnings } = report.summary;
  const hasProblems = Object.keys(errors).length + Object.keys(warnings).length > 0;
  const causes = hasProblems ? await collectCauses(outcomesWithProblems(report)) : { causes: [], others: 0 };
  const screen = textLayout(report);
  const blocks = [
    ...section("error", causes, report, screen),
    ...section("warning", causes, report, screen),
    ...(await recordList(report, "ambiguous", "outcome unknown", screen)),
    ...(await recordList(report, "pending", "not sent, or not finished on the platform", screen)),
    ...(await recordList(report, "existing", "already on the platform, content not compared", screen)),
  ];
  await write(blocks.map((block) => `${block}\n\n`).join(""));
}

interface TextLayout {
  readonly style: ChalkInstance;
  readonly width: number;
  /** Width of the counts of the causes, in columns. */
  readonly countWidth: number;
  /** Indentation of the lines below a count. */
  readonly indent: string;
  readonly showValues: boolean;
}

function textLayout({ colour, width, showValues, summary }: Report): TextLayout {
  const highest = Math.max(100, totalOf(summary.errors), totalOf(summary.warnings));
  const countWidth = 2 + formatCount(highest).length;
  const style = new Chalk({ level: colour ? 1 : 0 });
  return { style, width: Math.max(width, 40), countWidth, indent: " ".repeat(countWidth + 2), showValues };
}

function section(
  severity: Cause["severity"],
  { causes, others }: Causes,
  { summary, folder }: Report,
  screen: TextLayout,
): readonly string[] {
  const total = totalOf(severity === "error" ? summary.errors : summary.warnings);
  const all = causes.filter((cause) => cause.severity === severity);
  if (total === 0) return [];
  const shown = all.slice(0, MAX_CAUSES);
  const rest = shown.reduce((left, { count }) => left - count, total);
  const howMany = `${formatCount(all.length)}${others > 0 ? "+" : ""} ${plural(all.length, "cause")}`;
  const title = screen.style.bold(`${counted(total, severity)}, ${howMany}`);
  const where = folder === undefined ? "add --out <dir> for a list" : "see errors.csv";
  const more = rest > 0 ? [`${countText(rest, screen)}  with other causes: ${where}`] : [];
  return [title, ...shown.map((cause) => causeText(cause, screen).join("\n")), ...more];
}

function causeText(cause: Cause, screen: TextLayout): readonly string[] {
  const { style, indent } = screen;
  const code = plainText(cause.code, 60);
  const attr = plainText(cause.attr, 200);
  const paint = cause.severity === "error" ? style.red : style.yellow;
  const fits = indent.length + textWidth(code) + 2 + textWidth(attr) <= screen.width;
  const count = countText(cause.count, screen);
  const head = fits ? [`${count}  ${paint(code)}  ${attr}`] : [`${count}  ${paint(code)}`, ...attrLines(attr, screen)];
  return [
    ...head,
    ...wrapText(describeReported(cause.first), screen.width - indent.length).map((line) => indent + line),
    ...shapesText(cause, screen),
  ];
}

/** Breaks the attr at its dots if it does not fit on one line. */
function attrLines(attr: string, { width, indent }: TextLayout): readonly string[] {
  const lines = wrapText(attr.replaceAll(".", " ."), width - indent.length);
  return lines.map((line) => indent + line.replaceAll(" .", "."));
}

function shapesText(cause: Cause, screen: TextLayout): readonly string[] {
  const { shapes, otherShapes } = cause;
  const shown = shapes.slice(0, MAX_SHAPES);
  const rest = shapes.slice(MAX_SHAPES).reduce((total, { count }) => total + count, otherShapes);
  const several = shapes.length > 1 || rest > 0;
  const width = several ? formatCount(Math.max(rest, shown[0]?.count ?? 0)).length : 0;
  const lines = shown.flatMap((shape) => shapeText(shape, width, screen));
  if (rest === 0) return lines;
  return [...lines, screen.indent + screen.style.dim(`${formatCount(rest).padStart(width)} with other shapes`)];
}

/** Renders a shape as `like 9{9}, e.g. customers.csv:9, column MOBILE`, wrapped if necessary. */
function shapeText({ shape, count, example }: ShapeCount, width: number, screen: TextLayout): readonly string[] {
  const label = width === 0 ? "" : `${formatCount(count).padStart(width)} `;
  const room = screen.width - screen.indent.length - label.length;
  const parts: string[] = [...placeParts(example.place, room)];
  if (screen.showValues && example.value !== undefined) parts.unshift(`"${plainText(example.value, 60)}"`);
  if (shape !== undefined) parts.unshift(shapeLabel(shape));
  return packParts(parts, room).map(
    (line, at) => screen.indent + screen.style.dim((at === 0 ? label : " ".repeat(label.length)) + line),
  );
}

function shapeLabel(shape: string): string {
  if (shape === "(empty)") return "empty";
  return shape.startsWith('"') ? plainText(shape) : `like ${plainText(shape)}`;
}

/**
 * Returns the example as one part if it fits on one line. Otherwise, the parts are file and line, then column or
 * pointer.
 */
function placeParts(place: Place, room: number): readonly string[] {
  const whole = `e.g. ${plainText(formatPlace(place), 200)}`;
  const start = `e.g. ${plainText(formatPlace({ file: place.file, line: place.line }), 200)}`;
  const cell = whole.slice(start.length + ", ".length);
  return cell === "" || textWidth(whole) <= room ? [whole] : [start, cell];
}

/** Joins the parts with commas, in lines of at most `width` columns. */
function packParts(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last}, ${part}`) <= width) lines[lines.length - 1] = `${last}, ${part}`;
    else lines.push(part);
  }
  return lines;
}

/**
 * Lists the first records with a status, by key and place, because the user must find them on the platform. Lists only
 * those pending records whose requests have failed: for the others, there is nothing to explain.
 */
async function recordList(
  report: Report,
  status: Status,
  meaning: string,
  { style, indent }: TextLayout,
): Promise<readonly string[]> {
  const count = report.summary.counts[status] ?? 0;
  if (count === 0) return [];
  const lines = [style.bold(`${formatCount(count)} ${status} ${plural(count, "record")} (${meaning})`), ""];
  let listed = 0;
  for (const outcome of await firstRecords(report, status)) {
    const { key, source, record } = outcome;
    const reason = status === "existing" ? undefined : await report.reasonOf?.(outcome);
    if (status === "pending" && reason === undefined) continue;
    listed += 1;
    const name = style.yellow(plainText(key ?? `record ${record}`, 80));
    lines.push(`${indent}${name}  ${plainText(formatPlace(source), 200)}`);
    if (reason !== undefined) lines.push(`${indent}  ${plainLine(reason)}`);
  }
  if (listed === 0) return [];
  if (count > listed) lines.push(`${indent}and ${formatCount(count - listed)} more`);
  return [lines.join("\n")];
}

async function firstRecords({ outcomes }: Report, status: Status): Promise<readonly Outcome[]> {
  const first: Outcome[] = [];
  for await (const batch of outcomes([status])) {
    const wanted = status === "pending" ? batch.filter(({ attempts = 0 }) => attempts > 0) : batch;
    first.push(...wanted.slice(0, MAX_LISTED - first.length));
    if (first.length === MAX_LISTED) break;
  }
  return first;
}

function countText(count: number, { style, countWidth }: TextLayout): string {
  return style.bold(formatCount(count).padStart(countWidth));
}
