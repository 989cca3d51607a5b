import { Chalk } from "chalk";
import type { Check } from "../../commands/doctor/check.ts";
import type { Screen } from "../../job/dependencies.ts";
import { plainText } from "../../text/plain-text.ts";
import { wrapText } from "../../terminal/text-width.ts";
import { counted } from "../../text/count.ts";

const MARKS = { ok: "✓", warning: "!", failed: "✗", skipped: "-" } as const;
const COLOURS = { ok: "green", warning: "yellow", failed: "red", skipped: "dim" } as const;
const NAME_WIDTH = 15;
const INDENT = " ".repeat(NAME_WIDTH + 2);
const MIN_WIDTH = 20;

/** Renders one check: mark, name and result, with the suggested fix below. */
export function checkLine({ name, status, text, fix }: Check, { width, colour }: Screen): string {
  const style = new Chalk({ level: colour ? 1 : 0 });
  const room = Math.max(MIN_WIDTH, width - INDENT.length);
  const [first = "", ...more] = linesOf(text, 2000).flatMap((line) => wrapText(line, room));
  const fixes =
    fix === undefined || status === "ok" ? [] : linesOf(fix, 500).flatMap((line) => wrapText(`→ ${line}`, room));
  const mark = style[COLOURS[status]](MARKS[status]);
  const head = `${mark} ${plainText(name).padEnd(NAME_WIDTH - 1)} ${first}`;
  return [head, ...[...more, ...fixes].map((line) => INDENT + line)].map((line) => `${line.trimEnd()}\n`).join("");
}

function linesOf(text: string, limit: number): readonly string[] {
  return text.split("\n").map((line) => plainText(line.trim(), limit));
}

export function checkSummary(checks: readonly Check[], exitCode: number): string {
  const parts = (["failed", "warning", "skipped"] as const).flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count === 0 ? [] : [status === "warning" ? counted(count, "warning") : `${count} ${status}`];
  });
  return `\n${[counted(checks.length, "check"), ...parts].join(", ")}; exit code ${exitCode}\n`;
}
