import type { Formatter } from "slickgrid";
import type { FixMark, FixRow } from "../../../fix/fix-types.ts";
import { columnIndex } from "./slick-grid.ts";

/** Shows the key of a row, or its line if it has no key, with the problems that do not belong to a cell. */
export const nameCell: Formatter<FixRow> = (...[, , , , { marks, key, line, locked, state }]) => {
  const own = marks.filter(({ column }) => column === undefined);
  const html = document.createElement("span");
  html.append(...own.slice(0, 1).map(symbolOf), key || `line ${line}`, ...own.map(hiddenMessage));
  const classes = [...classesOf(own), ...(locked === undefined ? [] : ["locked"]), state];
  return { html, addClasses: classes.join(" "), toolTip: tipOf(own) };
};

export const valueCell: Formatter<FixRow> = (...[, , , column, { marks, edited, cells, cut }]) => {
  const index = columnIndex(column) ?? -1;
  const own = marks.filter((mark) => mark.column === index);
  const isCorrected = edited.some((each) => each.column === index);
  const html = document.createElement("span");
  html.append(...own.slice(0, 1).map(symbolOf));
  if (isCorrected) html.append(symbol("corrected", "✎"), hidden("Corrected. "));
  html.append(cells[index] ?? "", cut?.includes(index) === true ? "…" : "", ...own.map(hiddenMessage));
  const classes = [...classesOf(own), ...(isCorrected ? ["corrected"] : [])];
  return { html, addClasses: classes.join(" "), toolTip: tipOf(own) };
};

function classesOf(marks: readonly FixMark[]): readonly string[] {
  if (marks.length === 0) return [];
  return [marks.some(({ severity }) => severity === "error") ? "faulty" : "doubtful"];
}

/** Returns the symbol of a problem and the name of its style. */
export function symbolFor({ severity, by }: FixMark): readonly [style: string, text: string] {
  if (severity === "warning") return ["warning", "△"];
  return by === "platform" ? ["refusal", "⊘"] : ["error", "▲"];
}

function symbolOf(mark: FixMark): HTMLElement {
  return symbol(...symbolFor(mark));
}

function symbol(style: string, text: string): HTMLElement {
  const element = document.createElement("span");
  element.className = `symbol ${style}`;
  element.ariaHidden = "true";
  element.textContent = text;
  return element;
}

function hiddenMessage({ severity, message, by }: FixMark): HTMLElement {
  const who = by === "platform" ? "The platform: " : "";
  return hidden(`. ${severity === "error" ? "Error" : "Warning"}: ${who}${message}`);
}

function hidden(text: string): HTMLElement {
  const element = document.createElement("span");
  element.className = "quiet";
  element.textContent = text;
  return element;
}

function tipOf(marks: readonly FixMark[]): string {
  return marks.map(({ message }) => message).join("\n");
}
