export interface DecimalRule {
  readonly maxDigits?: number;
  readonly maxDecimalPlaces?: number;
  readonly maxWholeDigits?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
}

/** What `DecimalField` finds wrong with a decimal sent as text. */
export function decimalCodes(text: string, rule: DecimalRule): readonly string[] {
  const [, whole = "", fraction = ""] = /^[-+]?(?=\.?\d)(\d*)(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === "" && fraction === "") return ["invalid"];
  const precision = digitsCode(whole.replace(/^0+/, "").length, fraction.length, rule);
  if (precision !== undefined) return [precision];
  const formed = rule.pattern === undefined || new RegExp(rule.pattern).test(text);
  return [...(formed ? [] : ["invalid"]), ...limitCodes(text, rule)];
}

/** The order of `DecimalField.validate_precision`: the first limit that is broken is the only one reported. */
function digitsCode(whole: number, places: number, rule: DecimalRule): string | undefined {
  if (whole + places > (rule.maxDigits ?? Infinity)) return "max_digits";
  if (places > (rule.maxDecimalPlaces ?? Infinity)) return "max_decimal_places";
  return whole > (rule.maxWholeDigits ?? Infinity) ? "max_whole_digits" : undefined;
}

function limitCodes(text: string, rule: DecimalRule): readonly string[] {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = rule;
  const value = Number(text);
  const steps = value / (rule.multipleOf ?? value);
  return [
    ...(value < minimum || value <= exclusiveMinimum ? ["min_value"] : []),
    ...(value > maximum || value >= exclusiveMaximum ? ["max_value"] : []),
    ...(rule.multipleOf !== undefined && Math.abs(steps - Math.round(steps)) > 1e-9 ? ["invalid"] : []),
  ];
}
