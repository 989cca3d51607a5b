import type { PreviewedRecord } from "../../commands/check/preview.ts";
import type { Origin } from "../../map/mapping.ts";
import { formatPlace } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import { printableJson } from "../../terminal/safe-json.ts";
import { plainText } from "../../text/plain-text.ts";
import { describeProblem } from "../../report/problems/problem-text.ts";
import { shapeOf } from "../../text/shape.ts";
import type { View, ViewOptions } from "./view.ts";

/**
 * Shows one block per record: its place, the origins of its values, and its problems. As data, one JSON object per
 * record. The payload is included only if values may be shown.
 */
export const previewView: View<readonly PreviewedRecord[]> = { text: previewText, json: previewJson };

function previewText(records: readonly PreviewedRecord[], { showValues }: ViewOptions): string {
  return records
    .map(({ record, key, source, origins, problems }) =>
      [
        `Record ${record}${key === undefined ? "" : ` (${plainText(key)})`}, ${plainText(formatPlace(source))}\n`,
        origins.length === 0 ? "" : `\n${originText(origins, showValues)}`,
        problems.length === 0 ? "" : `\n${problems.map(problemLine).join("")}`,
      ].join(""),
    )
    .join("\n");
}

function previewJson(records: readonly PreviewedRecord[], { showValues }: ViewOptions): string {
  return records
    .map(({ payload, origins, problems, ...record }) => {
      const errors = problems.map((one) => ({ attr: one.attr, code: one.code, detail: describeProblem(one) }));
      return `${printableJson({ ...record, ...(showValues && { payload }), origins: originData(origins, showValues), errors })}\n`;
    })
    .join("");
}

/**
 * Renders a problem in one line:
 * `error  customers.0.mobile  required: A value is required here. (customers.csv:9, column MOBILE)`
 */
export function problemLine(problem: Problem): string {
  const place = problem.place === undefined ? "" : ` (${formatPlace(problem.place)})`;
  return `${problem.severity}  ${plainText(problem.attr)}  ${plainText(problem.code)}: ${plainText(describeProblem(problem))}${plainText(place)}\n`;
}

/**
 * Renders each value of a payload with its origin below. Shows only the shape of a value, unless values may be shown.
 */
export function originText(origins: readonly Origin[], showValues: boolean): string {
  return origins
    .map((origin) => {
      const shown = showValues ? JSON.stringify(origin.value) : shapeOf(origin.value);
      return `  ${plainText(origin.attr)}\n      ${plainText(shown)}  ${plainText(sourceOf(origin))}\n`;
    })
    .join("");
}

/** Returns the origins as data. Includes values only if they may be shown. */
export function originData(origins: readonly Origin[], showValues: boolean): readonly object[] {
  return origins.map(({ value, ...origin }) => {
    return { ...origin, ...(showValues ? { value } : { shape: shapeOf(value) }) };
  });
}

function sourceOf({ from, place, isCorrected }: Origin): string {
  if (place === undefined) return `(${from})`;
  const how = from === "column" || from === "payload" ? "" : ` (${from})`;
  return `from ${formatPlace(place)}${how}${isCorrected ? " (corrected)" : ""}`;
}
