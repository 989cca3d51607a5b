import { compareDecimals } from "../json/decimal-arithmetic.ts";
import { plainText } from "../text/plain-text.ts";
import { wrapText } from "../terminal/text-width.ts";

interface ChartBar {
  /** `HH:MM` in local time. */
  readonly clock: string;
  /** `GMT` or `BST`; shown on the day when the clocks show some times twice. */
  readonly zone: string;
  /** Decimal number as a string; absent if the rate is unknown. */
  readonly value: string | undefined;
}

export interface RateChart {
  readonly title: string;
  readonly bars: readonly ChartBar[];
  readonly width: number;
}

/** Approximate total height of the bars in rows, above and below zero. */
const CHART_ROWS = 15;

/**
 * Renders the rates of a day as bars, one per half hour. Bars of negative rates extend below the axis. A line below the
 * chart states the highest and the lowest rate. Uses no colours. The chart fits on a terminal of 80 columns, even on a
 * day of 25 hours.
 */
export function rateChart({ title, bars, width }: RateChart): string {
  const timeOf = ({ clock, zone }: ChartBar): string =>
    bars.length > HALF_HOURS_OF_A_DAY ? `${clock} ${zone}` : clock;
  const known = bars.flatMap((bar) => (bar.value === undefined ? [] : [{ text: bar.value, time: timeOf(bar) }]));
  const head = [...wrapText(plainText(title), width), ""];
  if (known.length === 0) return textOf([...head, "no rates"]);
  const scale = scaleOf(known.map(({ text }) => Number(text)));
  if (!isDrawable(scale)) return textOf([...head, UNDRAWABLE, ...summaryLines(known, bars.length)]);
  const values = bars.map(({ value }) => (value === undefined ? undefined : Number(value)));
  const labelWidth = Math.max(...rowLevels(scale).map((level) => label(level, scale).length));
  const barWidth = Math.max(1, Math.min(MAX_BAR_WIDTH, Math.floor((width - labelWidth - 2) / bars.length)));
  const lines = rowLevels(scale).map((level) => {
    const cells = values.map((value) => barCell(value, level, scale).repeat(barWidth)).join("");
    const shown = level % 2 === 0 ? label(level, scale) : "";
    return `${shown.padStart(labelWidth)} ${level === 0 ? "┼" : "│"}${cells}`.trimEnd();
  });
  const hours = hourLine(bars, barWidth, labelWidth + 2);
  return textOf([...head, ...lines, hours, "", ...summaryLines(known, bars.length)]);
}

const UNDRAWABLE = "The rates are too large or too small for a chart.";

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

const MAX_BAR_WIDTH = 3;

/**
 * The rows of the chart. Row 0 is the axis, with `up` rows above it and `down` rows below it. Each row represents one
 * `step`.
 */
interface Scale {
  readonly step: number;
  readonly up: number;
  readonly down: number;
}

function scaleOf(values: readonly number[]): Scale {
  const highest = values.reduce((one, other) => Math.max(one, other), 0);
  const lowest = values.reduce((one, other) => Math.min(one, other), 0);
  const step = niceStep((highest - lowest) / CHART_ROWS);
  return { step, up: Math.ceil(highest / step), down: Math.ceil(-lowest / step) };
}

/** Whether all labels are finite numbers. Beyond this range, the calculation overflows or underflows. */
function isDrawable({ step }: Scale): boolean {
  return step > 1e-300 && step < 1e300;
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
function niceStep(minimum: number): number {
  if (minimum === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(minimum));
  return power * ([1, 2, 2.5, 5].find((nice) => nice * power >= minimum) ?? 10);
}

function rowLevels({ up, down }: Scale): readonly number[] {
  return Array.from({ length: up + down + 1 }, (_, index) => up - index);
}

function label(level: number, { step }: Scale): string {
  return String(Number((level * step).toPrecision(6)));
}

const RISING = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;
const HANGING = [" ", "▔", "▀", "█"] as const;

function barCell(value: number | undefined, level: number, { step }: Scale): string {
  if (level === 0) return value === undefined ? " " : "─";
  if (value === undefined || value === 0 || value > 0 !== level > 0) return " ";
  const filled = Math.min(1, Math.max(0, Math.abs(value) / step - Math.abs(level) + 1));
  const marks = level > 0 ? RISING : HANGING;
  const mark = Math.round(filled * (marks.length - 1));
  return marks[Math.abs(level) === 1 ? Math.max(1, mark) : mark] ?? " ";
}

/** Returns the line below the bars, with every third hour below its first bar. */
function hourLine(bars: readonly ChartBar[], barWidth: number, indent: number): string {
  let line = " ".repeat(indent);
  for (const [index, { clock }] of bars.entries()) {
    const [hour = "", minute] = clock.split(":");
    const at = indent + index * barWidth;
    if (minute !== "00" || Number(hour) % 3 !== 0 || at < line.length) continue;
    line = line.padEnd(at) + hour;
  }
  return line;
}

interface KnownRate {
  readonly text: string;
  readonly time: string;
}

const HALF_HOURS_OF_A_DAY = 48;

function summaryLines(known: readonly KnownRate[], bars: number): readonly string[] {
  const byValue = known.toSorted((left, right) => compareDecimals(left.text, right.text));
  const [lowest] = byValue;
  const highest = byValue.at(-1);
  const missing = bars - known.length;
  return [
    `highest ${atTime(highest)}, lowest ${atTime(lowest)}`,
    ...(bars === HALF_HOURS_OF_A_DAY
      ? []
      : [`${bars} half hours, because the clocks go ${bars < HALF_HOURS_OF_A_DAY ? "forward" : "back"} on this day`]),
    ...(missing === 0 ? [] : [`without a rate: ${missing} of ${bars}`]),
  ];
}

function atTime(known: KnownRate | undefined): string {
  return known === undefined ? "" : `${plainText(known.text)} at ${known.time}`;
}
