import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from "yaml";
import { isDecimalText, isExactNumber, isLongNumber, isNumberText } from "../../json/decimal-arithmetic.ts";
import { isJsonArray, type JsonScalar, type JsonValue } from "../../json/json-value.ts";
import type { Refuse } from "./yaml-tokens.ts";

export interface ScalarContext {
  readonly refuse: Refuse;
  /**
   * Whether an integer that would lose digits, or a number greater than any JavaScript number, remains text. If false,
   * it is rejected.
   */
  readonly keepsDigits: boolean;
}

/** Replaces a scalar, or the scalars in a list, with the text as written: `TRUE` is not `true`, `1.10` is not `1.1`. */
export function textsOf(value: JsonValue, node: Node | null): JsonValue {
  if (isScalar(node)) return value === null ? value : (keyText(node) ?? value);
  if (!isSeq(node) || !isJsonArray(value)) return value;
  return value.map((item, index) => keyText(nodeOf(node.items[index])) || item);
}

/**
 * Returns a name as written, without quotes: `null`, `True` and `00123` are names, not values. Returns undefined if the
 * key is not a scalar.
 */
export function keyText(key: Node | null): string | undefined {
  if (!isScalar(key)) return undefined;
  const { value, source } = key;
  if (typeof value === "string") return value;
  return value === null || typeof value === "number" || typeof value === "boolean"
    ? (source ?? String(value))
    : undefined;
}

export function scalarOf(scalar: Scalar, context: ScalarContext): JsonScalar {
  const { value } = scalar;
  if (typeof value === "number") return numberOf(value, scalar, context);
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  throw context.refuse("JSON does not allow this kind of value", offsetIn(scalar), "write it as text in quotes");
}

export const NUMERIC_LIMITS: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
]);

/** Returns a limit as a number, or as text if it has too many digits or too large an exponent for a number. */
export function limitOf(scalar: Scalar, context: ScalarContext): JsonScalar {
  const { value, source = "" } = scalar;
  return typeof value === "number" && isLongNumber(source) ? source : scalarOf(scalar, context);
}

function numberOf(value: number, scalar: Scalar, context: ScalarContext): JsonScalar {
  const text = scalar.source ?? String(value);
  if (/^[-+]?0\d+$/.test(text)) return text;
  const isWhole = /^[-+]?\d+$/.test(text);
  // An integer that would lose digits, or a number greater than any JavaScript number.
  const isBeyond = Number.isFinite(value) ? isWhole && isLongNumber(text) : isNumberText(text);
  if (context.keepsDigits && isBeyond) return text;
  if (!Number.isFinite(value)) throw context.refuse("JSON does not allow this number", offsetIn(scalar));
  if (isWhole && isDecimalText(text) && !isExactNumber(value, text)) {
    const message = "this number has too many digits to be kept exactly";
    throw context.refuse(message, offsetIn(scalar), "write it as text in quotes");
  }
  return value;
}

export function offsetIn(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}

/** The library types keys, values and items as `unknown`. In a composed document, they are nodes. */
export function nodeOf(part: unknown): Node | null {
  return isAlias(part) || isMap(part) || isSeq(part) || isScalar(part) ? part : null;
}
