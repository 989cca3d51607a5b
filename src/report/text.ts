import { Chalk, type ChalkInstance } from "chalk";
import { formatPlace } from "../model/place.ts";
import { type Cause, collectCauses, type Causes, type ShapeCount } from "./causes.ts";
import { plainText } from "./plain-text.ts";
import type { Report, Write } from "./report.ts";
import { textWidth, wrapText } from "./text-width.ts";
import { troubledOutcomes } from "./troubled-outcomes.ts";
import { wordsFor } from "./words.ts";

/** Shapes shown of one cause; the others are counted. */
const MOST_SHAPES = 3;
/** Columns for the counts: room for 99,999,999. */
const COUNT_WIDTH = 10;
const INDENT = " ".repeat(COUNT_WIDTH + 2);

/** The causes of what went wrong, most frequent first, each with its words and one example place; nothing when all is well. */
export async function text(report: Report, write: Write): Promise<void> {
  const { errors, warnings } = report.summary;
  if (Object.keys(errors).length + Object.keys(warnings).length === 0) return;
  const causes = await collectCauses(troubledOutcomes(report));
  await write(causesText(causes, report));
}

function causesText({ causes, others }: Causes, report: Report): string {
  const style = new Chalk({ level: report.colour ? 1 : 0 });
  const screen: Screen = { style, width: Math.max(report.width, 40), showValues: report.showValues };
  const blocks = [
    ...section("error", causes, screen),
    ...section("warning", causes, screen),
    ...(others > 0 ? [`${countText(others, screen)}  in other causes`] : []),
  ];
  return `${blocks.join("\n\n")}\n`;
}

interface Screen {
  readonly style: ChalkInstance;
  readonly width: number;
  readonly showValues: boolean;
}

function section(severity: Cause["severity"], all: readonly Cause[], screen: Screen): readonly string[] {
  const causes = all.filter((cause) => cause.severity === severity);
  if (causes.length === 0) return [];
  const total = causes.reduce((sum, { count }) => sum + count, 0);
  const title = `${number(total)} ${plural(severity, total)}, ${number(causes.length)} ${plural("cause", causes.length)}`;
  return [screen.style.bold(title), ...causes.map((cause) => causeText(cause, screen).join("\n"))];
}

function causeText(cause: Cause, screen: Screen): readonly string[] {
  const { style } = screen;
  const code = plainText(cause.code, 60);
  const attr = plainText(cause.attr, 200);
  const paint = cause.severity === "error" ? style.red : style.yellow;
  const fits = INDENT.length + textWidth(code) + 2 + textWidth(attr) <= screen.width;
  const count = countText(cause.count, screen);
  const head = fits ? [`${count}  ${paint(code)}  ${attr}`] : [`${count}  ${paint(code)}`, INDENT + attr];
  const words = cause.by === "platform" ? `The platform: ${wordsFor(cause.first)}` : wordsFor(cause.first);
  return [
    ...head,
    ...wrapText(words, screen.width - INDENT.length).map((line) => INDENT + line),
    ...shapesText(cause, screen),
  ];
}

function shapesText(cause: Cause, screen: Screen): readonly string[] {
  const { shapes, otherShapes } = cause;
  const shown = shapes.slice(0, MOST_SHAPES);
  const counted = shapes.length > 1 || otherShapes > 0;
  const width = counted ? number(shown[0]?.count ?? 0).length : 0;
  const lines = shown.flatMap((shape) => shapeText(shape, width, screen));
  const rest = shapes.slice(MOST_SHAPES).reduce((sum, { count }) => sum + count, otherShapes);
  return rest === 0
    ? lines
    : [...lines, `${INDENT}${screen.style.dim(`${number(rest).padStart(width)} of other shapes`)}`];
}

/** `like 9{9}, e.g. customers.csv:9, column MOBILE`, in as many lines as it needs. */
function shapeText({ shape, count, example }: ShapeCount, width: number, screen: Screen): readonly string[] {
  const parts = [`e.g. ${plainText(formatPlace(example.place), 200)}`];
  if (screen.showValues && example.value !== undefined) parts.unshift(`"${plainText(example.value, 60)}"`);
  if (shape !== undefined) parts.unshift(shape === "(empty)" ? "empty" : `like ${plainText(shape)}`);
  const counted = width === 0 ? "" : `${number(count).padStart(width)} `;
  const lines = packed(parts, screen.width - INDENT.length - counted.length);
  return lines.map((line, at) => INDENT + screen.style.dim((at === 0 ? counted : " ".repeat(counted.length)) + line));
}

/** The parts with commas between them, in lines of at most so many columns. */
function packed(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last}, ${part}`) <= width) lines[lines.length - 1] = `${last}, ${part}`;
    else lines.push(part);
  }
  return lines;
}

function countText(count: number, { style }: Screen): string {
  return style.bold(number(count).padStart(COUNT_WIDTH));
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}
