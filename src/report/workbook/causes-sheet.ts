import { formatPlace } from "../../model/place.ts";
import { plainLines } from "../../text/plain-text.ts";
import { adviceFor } from "../advice.ts";
import { type Cause, collectCauses } from "../formats/causes.ts";
import { describeKind } from "../problem-text.ts";
import { outcomesWithProblems, type Report } from "../report.ts";
import type { FinishedSheet, SheetCell, SheetWriter } from "./sheet-writer.ts";

const HEADER = [
  "count",
  "severity",
  "code",
  "field",
  "what is wrong",
  "what to do",
  "shape of the values",
  "first place",
];

/** Writes the causes of the problems, most frequent first, with advice on how to fix them. Contains no values. */
export async function writeCausesSheet(writer: SheetWriter, report: Report): Promise<FinishedSheet> {
  const { causes, others } = await collectCauses(outcomesWithProblems(report));
  writer.add(HEADER.map((value) => ({ value, style: "header" })));
  for (const cause of causes) writer.add(causeCells(cause));
  if (others > 0) writer.add(textCells([others, "", "", "", "with other causes: see errors.csv"]));
  return writer.finish();
}

function causeCells(cause: Cause): readonly SheetCell[] {
  const { count, severity, code, attr, by, first, shapes } = cause;
  const words = by === "platform" ? `The platform: ${describeKind(first)}` : describeKind(first);
  const [shape] = shapes;
  const place = shape === undefined ? "" : formatPlace(shape.example.place);
  return textCells([count, severity, code, attr, words, adviceFor(first), shape?.shape ?? "", place]);
}

function textCells(values: readonly (string | number)[]): readonly SheetCell[] {
  return values.map((value) =>
    typeof value === "number" ? { value, style: "number" } : { value: plainLines(value), style: "wrapped" },
  );
}
