export interface DecimalRule {
  readonly maxDigits?: number;
  readonly maxDecimalPlaces?: number;
  readonly maxWholeDigits?: number;
  /** A pattern that says more than digits. */
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

/** What `DecimalField` finds wrong with a decimal sent as text; undefined when nothing. */
export function decimalCode(text: string, rule: DecimalRule): string | undefined {
  const [, whole = "", fraction = ""] = /^-?(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === "" && fraction === "") return "invalid";
  if (rule.pattern !== undefined && !new RegExp(rule.pattern, "u").test(text)) return "invalid";
  return digitsCode(whole.replace(/^0+/, ""), fraction, rule) ?? limitCode(text, rule);
}

/** The order of `DecimalField.validate_precision`: the first limit that is broken is the only one reported. */
function digitsCode(whole: string, fraction: string, rule: DecimalRule): string | undefined {
  const significant = whole === "" ? Math.max(fraction.length, 1) : whole.length + fraction.length;
  if (significant > (rule.maxDigits ?? Infinity)) return "max_digits";
  if (fraction.length > (rule.maxDecimalPlaces ?? Infinity)) return "max_decimal_places";
  return whole.length > (rule.maxWholeDigits ?? Infinity) ? "max_whole_digits" : undefined;
}

function limitCode(text: string, rule: DecimalRule): string | undefined {
  const value = Number(text);
  if (value < (rule.minimum ?? -Infinity) || value <= (rule.exclusiveMinimum ?? -Infinity)) return "min_value";
  if (value > (rule.maximum ?? Infinity) || value >= (rule.exclusiveMaximum ?? Infinity)) return "max_value";
  return undefined;
}
