import type { CountryCode, MetadataJson } from "libphonenumber-js/max";

/** Returns true only if the text is certainly a valid number of the kind and therefore needs no parsing. */
export type CertainPhone = (text: string, kind: "phone" | "mobile" | "landline") => boolean;

/**
 * Creates a fast test for numbers in the usual formats of a country: national with the prefix 0, or international with
 * `+`. Both may contain spaces and parentheses. Parsing a number takes a hundred times as long, because libphonenumber
 * compiles its patterns for each number. The patterns come from the metadata of the library. Returns undefined for a
 * country whose national prefix is not 0 or whose numbering plan has special rules. Also returns undefined for a
 * country that shares its calling code with other countries, unless it is the first of these countries.
 */
export function certainPhone(country: CountryCode, metadata: MetadataJson): CertainPhone | undefined {
  const plan = readPlan(metadata.countries[country]);
  if (plan === undefined || metadata.country_calling_codes[plan.callingCode]?.[0] !== country) return undefined;
  const { callingCode, outgoingPrefix, general, lengths, prefix, types } = plan;
  const [fixed, mobile] = types;

  /** Returns the digits after the prefix, or undefined if it is uncertain where the prefix ends. */
  function nationalDigits(digits: string): string | undefined {
    if (digits.startsWith("+")) {
      if (!digits.startsWith(callingCode, 1)) return undefined;
      const national = digits.slice(1 + callingCode.length);
      return prefix.test(national) ? undefined : national;
    }
    if (outgoingPrefix.test(digits) || general.test(digits) || prefix.exec(digits)?.[0] !== "0") return undefined;
    return digits.slice(1);
  }

  return (text, kind) => {
    if (!USUAL_FORM.test(text)) return false;
    const national = nationalDigits(text.replaceAll(SEPARATORS, ""));
    if (national === undefined || !lengths.includes(national.length) || !general.test(national)) return false;
    const isOf = (type: NumberType | undefined): boolean =>
      type !== undefined && type.lengths.includes(national.length) && type.pattern.test(national);
    if (kind === "phone") return isOf(mobile) || types.some(isOf);
    return isOf(kind === "mobile" ? mobile : fixed);
  };
}

const USUAL_FORM = /^(?:\+|\(?0)[\d ()]+$/;
const SEPARATORS = /[ ()]/g;

interface Plan {
  readonly callingCode: string;
  readonly outgoingPrefix: RegExp;
  /** Matches every number of the country. */
  readonly general: RegExp;
  readonly lengths: readonly number[];
  /** Matches the national (trunk) prefix at the start of a number. */
  readonly prefix: RegExp;
  /**
   * In this order: fixed lines, mobile telephones, other types. An entry is undefined if the country has no such
   * numbers, or if they have the same pattern as the previous type.
   */
  readonly types: readonly (NumberType | undefined)[];
}

interface NumberType {
  readonly pattern: RegExp;
  readonly lengths: readonly number[];
}

/** Reads the members by their positions in version 4 of the metadata. */
function readPlan(plan: readonly unknown[] | undefined): Plan | undefined {
  if (plan === undefined) return undefined;
  const [callingCode, outgoingPrefix, general, lengths, , nationalPrefix, , prefix, transform, , leading, types] = plan;
  if (typeof callingCode !== "string" || typeof outgoingPrefix !== "string" || typeof general !== "string") {
    return undefined;
  }
  const isSimple = nationalPrefix === "0" && !isSet(transform) && !isSet(leading);
  if (!isSimple || !Array.isArray(types) || !isNumbers(lengths)) return undefined;
  return {
    callingCode,
    outgoingPrefix: new RegExp(`^(?:${outgoingPrefix})`),
    general: new RegExp(`^(?:${general})$`),
    lengths,
    prefix: new RegExp(`^(?:${typeof prefix === "string" ? prefix : nationalPrefix})`),
    types: types.map((type: unknown) => readType(type, lengths)),
  };
}

function readType(type: unknown, planLengths: readonly number[]): NumberType | undefined {
  if (!Array.isArray(type)) return undefined;
  const [pattern, lengths]: readonly unknown[] = type;
  if (typeof pattern !== "string" || pattern === "") return undefined;
  return { pattern: new RegExp(`^(?:${pattern})$`), lengths: isNumbers(lengths) ? lengths : planLengths };
}

function isSet(member: unknown): boolean {
  return member !== undefined && member !== 0 && member !== "";
}

function isNumbers(list: unknown): list is readonly number[] {
  return Array.isArray(list) && list.every((item) => typeof item === "number");
}
