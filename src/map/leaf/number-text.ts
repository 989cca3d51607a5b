import { isExactNumber } from "../../json/decimal-arithmetic.ts";
import { MAX_EXACT_LENGTH } from "../../json/exact-json.ts";

/** The number format of a source. */
export interface NumberSeparators {
  readonly decimal: string;
  /** Separates groups of three digits; absent if digits are not grouped. */
  readonly group?: string;
}

/** Whether the text is a plain decimal number: no exponent, no sign except a minus, no group separators. */
export function isDecimalText(text: string): boolean {
  return DECIMAL.test(text);
}

/** Whether the text is an integer without leading zeros, with any number of digits. */
export function isInteger(text: string): boolean {
  return INTEGER.test(text);
}

/** Whether the text is a JSON number, with any number of digits. */
export function isJsonNumber(text: string): boolean {
  return JSON_NUMBER.test(text);
}

/**
 * Returns the integer in a string. Returns undefined for leading zeros, a plus sign, an integer that is not safe
 * (`Number.isSafeInteger`), and any other text.
 */
export function integerFrom(text: string): number | undefined {
  if (!isInteger(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}

/** Returns the JSON number in a string. Returns undefined for any other text, or if a digit would be lost. */
export function numberFrom(text: string): number | undefined {
  if (!isJsonNumber(text)) return undefined;
  const value = Number(text);
  const isExact = text.length <= MAX_EXACT_LENGTH && isDecimalText(text);
  return isExact || isExactNumber(value, text) ? value + 0 : undefined;
}

/**
 * Creates a parser for numbers with a source's own separators: `1.234,50` -> `1234.50`. The parser removes a leading
 * plus and leading zeros, because the mapping declares the cell as a number; digits after the decimal separator are
 * kept. A minus may follow the number, as in SAP (`12,50-`). The parser returns undefined for any other text, including
 * a number whose first group consists of zeros: in `0,125`, the comma is probably the decimal separator.
 */
export function numberReader(separators: NumberSeparators): (text: string) => string | undefined {
  const shape = numberShape(separators);
  return (text) => {
    const found = shape.exec(text);
    if (found === null) return undefined;
    const [, sign = "", whole = "", fraction, trailing = ""] = found;
    if (sign !== "" && trailing !== "") return undefined;
    const all = separators.group === undefined ? whole : whole.replaceAll(/\D/g, "");
    const digits = all.startsWith("0") ? all.replace(/^0+(?=\d)/, "") : all;
    return `${sign === "-" || trailing === "-" ? "-" : ""}${digits}${fraction === undefined ? "" : `.${fraction}`}`;
  };
}

/** Returns an example of a number with the separators of a source: `1.234,50`. */
export function numberExample({ decimal, group = "" }: NumberSeparators): string {
  return `1${group}234${decimal}50`;
}

const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)$/;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

function numberShape({ decimal, group }: NumberSeparators): RegExp {
  const separator = group === undefined ? undefined : groupShape(group);
  const grouped = separator === undefined ? "" : `|(?!0+${separator})\\d{1,3}(?:${separator}\\d{3})+`;
  return new RegExp(`^([-+]?)(\\d+${grouped})(?:${escaped(decimal)}(\\d+))?(-?)$`, "u");
}

/** A space between groups also matches the no-break spaces that programs write. */
function groupShape(group: string): string {
  return group === " " ? "[ \\u00a0\\u202f]" : escaped(group);
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, "\\$&");
}
