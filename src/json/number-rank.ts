import { compareDecimals, isDecimalText } from "./decimal-arithmetic.ts";
import { MAX_EXACT_LENGTH } from "./exact-json.ts";

/** The sort key of a number. Includes its text if a JavaScript number may not hold all of its digits. */
export type NumberRank = number | LongNumber;

interface LongNumber {
  readonly value: number;
  readonly text: string;
}

/** Returns undefined for text that is not a number with digits on both sides of an optional point: `0x9`, `1e3`. */
export function numberRank(text: string): NumberRank | undefined {
  if (!PLAIN_NUMBER.test(text)) return undefined;
  const value = Number(text);
  const digits = text.replace(/^\+/, "");
  return digits.length > MAX_EXACT_LENGTH && isDecimalText(digits) ? { value, text: digits } : value;
}

const PLAIN_NUMBER = /^[-+]?\d+(?:\.\d+)?$/;

/** Compares exactly: negative if `one < other`, zero if equal, positive if `one > other`. */
export function compareNumberRanks(one: NumberRank, other: NumberRank): number {
  if (typeof one === "number" && typeof other === "number") return one < other ? -1 : Number(one > other);
  const [a, b] = [valueOf(one), valueOf(other)];
  return a === b ? compareDecimals(textOf(one), textOf(other)) : a < b ? -1 : 1;
}

function valueOf(rank: NumberRank): number {
  return typeof rank === "number" ? rank : rank.value;
}

function textOf(rank: NumberRank): string {
  return typeof rank === "number" ? String(rank) : rank.text;
}
