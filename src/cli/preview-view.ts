import type { PreviewedRecord } from "../commands/preview.ts";
import { formatPlace } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import { printableJson } from "../report/json-text.ts";
import { plainText } from "../report/plain-text.ts";
import { wordsFor } from "../report/words.ts";
import { originData, originText } from "./origin-view.ts";

/** Records one after the other: where they start, their values' origins, what is wrong with them. */
export function previewText(records: readonly PreviewedRecord[], showValues: boolean): string {
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

/** One JSON object a record; the payload itself only when values may be shown. */
export function previewJson(records: readonly PreviewedRecord[], showValues: boolean): string {
  return records
    .map(({ payload, origins, problems, ...record }) => {
      const errors = problems.map((problem) => ({ attr: problem.attr, code: problem.code, detail: wordsFor(problem) }));
      return `${printableJson({ ...record, ...(showValues && { payload }), origins: originData(origins, showValues), errors })}\n`;
    })
    .join("");
}

/** `error  customers.0.mobile  invalid: not a valid date (customers.csv:9, column DOB)` */
export function problemLine(problem: Problem): string {
  const place = problem.place === undefined ? "" : ` (${formatPlace(problem.place)})`;
  return `${problem.severity}  ${plainText(problem.attr)}  ${plainText(problem.code)}: ${plainText(wordsFor(problem))}${plainText(place)}\n`;
}
