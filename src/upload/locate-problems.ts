import { type AttrPath, NON_FIELD_ERRORS, parseAttr } from "../json/attr.ts";
import { type JsonObject, type JsonValue, memberAt } from "../json/json-value.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { limitProblems } from "../model/problem-limit.ts";
import { shapeOf } from "../text/shape.ts";
import { createValueMask } from "./mask-values.ts";
import type { RecordToSend } from "./upload-types.ts";

/** The parts of a record that the problems in a reply concern. */
export type ReportedRecord = Pick<RecordToSend, "payload" | "locate" | "steps" | "parameters" | "supplier">;

/**
 * Adds the source cell and the shape of the value to each platform problem. Platform messages often quote values of the
 * record, even of other fields. These values are replaced by their shapes in the detail, in the code, and in an attr
 * that the payload does not have.
 * @param codes the choices in the contract, which are not confidential
 */
export function locateProblems(
  problems: readonly PlatformProblem[],
  { payload, locate, steps, parameters = {}, supplier }: ReportedRecord,
  codes?: ReadonlySet<string>,
): readonly PlatformProblem[] {
  if (problems.length === 0) return problems;
  const isCode = (value: string): boolean => value === supplier || codes?.has(value) === true;
  const mask = createValueMask([payload, ...(steps?.values() ?? []), parameters], isCode);
  return limitProblems(problems).map((problem) => {
    const path = parseAttr(problem.attr).filter((segment) => segment !== NON_FIELD_ERRORS);
    const { node, reached } = descend(payload, path);
    const place = locate(path);
    return {
      ...problem,
      attr: reached ? problem.attr : mask(problem.attr),
      code: mask(problem.code),
      detail: mask(problem.detail, typeof node === "string" || typeof node === "number" ? String(node) : undefined),
      ...(place === undefined ? {} : { place }),
      ...(reached && path.length > 0 ? { shape: shapeOf(node) } : {}),
    };
  });
}

/** Returns the value at the path or, if there is none, at its longest existing prefix. */
function descend(payload: JsonObject, path: AttrPath): { readonly node: JsonValue; readonly reached: boolean } {
  let node: JsonValue = payload;
  for (const segment of path) {
    const next = memberAt(node, segment);
    if (next === undefined) return { node, reached: false };
    node = next;
  }
  return { node, reached: true };
}
