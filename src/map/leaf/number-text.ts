import { sameDecimal } from "../../json/number-precision.ts";

/** How a source writes numbers. */
export interface NumberSeparators {
  readonly decimal: string;
  /** Stands between groups of three digits; absent when digits are not grouped. */
  readonly group?: string;
}

/** Exactly a decimal number: no exponent, no sign but a minus, no group marks. */
export function isDecimalText(text: string): boolean {
  return DECIMAL.test(text);
}

/** The integer that a text is; undefined for leading zeros, signs other than a minus, and more than 2^53. */
export function integerFrom(text: string): number | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** The JSON number that a text is; undefined when a digit would be lost. */
export function numberFrom(text: string): number | undefined {
  if (!JSON_NUMBER.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) && sameDecimal(text, String(value)) ? value + 0 : undefined;
}

/**
 * A reader of numbers with a source's own separators: `1.234,50` -> `1234.50`. A leading plus and leading zeros go, because
 * the mapping says that the cell is a number; digits after the decimal separator stay as they are. Undefined for anything else.
 */
export function numberReader(separators: NumberSeparators): (text: string) => string | undefined {
  const shape = numberShape(separators);
  return (text) => {
    const found = shape.exec(text);
    if (found === null) return undefined;
    const [, sign = "", whole = "", fraction] = found;
    const digits = whole.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, "");
    return `${sign === "-" ? "-" : ""}${digits}${fraction === undefined ? "" : `.${fraction}`}`;
  };
}

/** `1.234,50`: how a number looks in a source's own marks. */
export function numberExample({ decimal, group = "" }: NumberSeparators): string {
  return `1${group}234${decimal}50`;
}

const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

function numberShape({ decimal, group }: NumberSeparators): RegExp {
  const grouped = group === undefined ? "" : `|\\d{1,3}(?:${groupShape(group)}\\d{3})+`;
  return new RegExp(`^([-+]?)(\\d+${grouped})(?:${escaped(decimal)}(\\d+))?$`, "u");
}

/** A blank between groups may be any of the blanks that programs put there. */
function groupShape(group: string): string {
  return group === " " ? "[ \\u00a0\\u202f]" : escaped(group);
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&");
}
