import { type AttrPath, NON_FIELD_ERRORS, parseAttr } from "../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "../json/json-value.ts";
import type { PlatformProblem } from "../model/problem.ts";
import { limitProblems } from "../model/problem-limit.ts";
import { shapeOf } from "../text/shape.ts";
import type { RecordToSend } from "./upload-types.ts";

const MIN_MASKED_LENGTH = 3;

/**
 * Adds the source cell and the shape of the value to each platform problem. Platform messages often quote values, so
 * values at the attr or below it are replaced by their shapes.
 */
export function locateProblems(
  problems: readonly PlatformProblem[],
  { payload, locate }: Pick<RecordToSend, "payload" | "locate">,
): readonly PlatformProblem[] {
  const known = new Map<JsonValue, readonly string[]>();
  const scalarsOf = (node: JsonValue): readonly string[] => {
    const scalars = known.get(node) ?? scalarsUnder(node);
    known.set(node, scalars);
    return scalars;
  };
  return limitProblems(problems).map((problem) => {
    const path = parseAttr(problem.attr).filter((segment) => segment !== NON_FIELD_ERRORS);
    const { node, reached } = descend(payload, path);
    const place = locate(path);
    return {
      ...problem,
      detail: masked(problem.detail, node, scalarsOf),
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

/** Masks a scalar wherever it occurs in the text. Masks the values below an object or a list only as whole words. */
function masked(detail: string, node: JsonValue, scalarsOf: typeof scalarsUnder): string {
  if (typeof node === "string" || typeof node === "number") {
    const value = String(node);
    return value.length < MIN_MASKED_LENGTH ? detail : detail.replaceAll(value, () => shapeOf(value));
  }
  let text = detail;
  for (const value of scalarsOf(node)) {
    if (text.includes(value)) text = text.replaceAll(wholeWord(value), () => shapeOf(value));
  }
  return text;
}

function wholeWord(value: string): RegExp {
  const literal = value.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`, "gu");
}

/**
 * Returns the strings and numbers in a value that are long enough to mask. The longest value comes first, so that a
 * value that contains another value is masked completely.
 */
function scalarsUnder(node: JsonValue): readonly string[] {
  const found: string[] = [];
  const collect = (value: JsonValue): void => {
    if (isJsonArray(value)) value.forEach(collect);
    else if (isJsonObject(value)) Object.values(value).forEach(collect);
    else if (typeof value === "string" || typeof value === "number") found.push(String(value));
  };
  collect(node);
  return found.filter((value) => value.length >= MIN_MASKED_LENGTH).toSorted((a, b) => b.length - a.length);
}
