/**
 * Whether the text is the core of a GB electricity Meter Point Administration Number: 13 digits. The first two digits
 * identify the distributor. They must not start with zero, but are not checked otherwise, because new distributors are
 * added every year. The last digit is the check digit: the sum of the other twelve, each multiplied by a prime
 * (excluding 11), modulo 11, modulo 10. Source: Elexon, "MPAN core" in the market's data catalogue (data item J0003).
 */
export function isMpan(text: string): boolean {
  if (!/^[1-9]\d{12}$/.test(text)) return false;
  return (weighted(text.slice(0, 12), MPAN_WEIGHTS) % 11) % 10 === Number(text.charAt(12));
}

const MPAN_WEIGHTS = [3, 5, 7, 13, 17, 19, 23, 29, 31, 37, 41, 43];

/**
 * Whether the text is a GB gas Meter Point Reference Number: 6 to 10 digits. The last two are the check digits: the sum
 * of the other digits, each multiplied by its position from the right, modulo 11. Source: Xoserve's description of the
 * check digits.
 */
export function isMprn(text: string): boolean {
  if (!/^\d{6,10}$/.test(text)) return false;
  const body = text.slice(0, -2);
  const weights = Array.from(body, (_digit, index) => body.length - index);
  return weighted(body, weights) % 11 === Number(text.slice(-2));
}

/**
 * Whether the text is an Australian National Metering Identifier: 10 upper-case letters and digits (no I or O), or 11
 * characters with the check digit. Source: AEMO, "MSATS Procedures: National Metering Identifier", section on the
 * checksum.
 */
export function isNmi(text: string): boolean {
  if (!/^[A-HJ-NP-Z0-9]{10}\d?$/.test(text)) return false;
  return text.length === 10 || meteringCheckDigit(text.slice(0, 10)) === Number(text.charAt(10));
}

/**
 * Whether the text is an Australian gas Meter Installation Registration Number: 10 digits starting with 5, or 11 digits
 * with the check digit. The check digit is not verified: AEMO's reports include it (MIBB INT337, "mirn checksum"), but
 * its algorithm is not published.
 */
export function isMirn(text: string): boolean {
  return /^5\d{9,10}$/.test(text);
}

/**
 * Calculates the check digit. Doubles the ASCII code of every second character, starting with the last. The check digit
 * is the difference between the sum of the digits of all codes and the next multiple of ten.
 */
function meteringCheckDigit(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index) * ((text.length - index) % 2 === 1 ? 2 : 1);
    for (const digit of String(code)) sum += Number(digit);
  }
  return (10 - (sum % 10)) % 10;
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits.charAt(index)), 0);
}

/**
 * Whether the text is a valid company number in the region; undefined if the region's company numbers are not
 * supported. Ignores whitespace, case and, in British numbers, missing leading zeros, because platforms correct them.
 */
export function isCompanyNumber(text: string, region: string): boolean | undefined {
  const bare = text.replaceAll(/\s/g, "").toUpperCase();
  if (region === "GB") return isBritish(bare);
  return region === "AU" ? isAcn(bare) || isAbn(bare) : undefined;
}

/**
 * Whether the text is a British company number. It has eight characters: digits, or a two-letter prefix for a part of
 * the register, such as SC or OC, and digits. Leading zeros may be missing, and a number with a prefix may end in R.
 * Source: Companies House, "Uniform Resource Identifiers for companies" (company number formats).
 */
function isBritish(text: string): boolean {
  return /^(?:\d{1,8}|[A-Z]{2}\d{1,6}|[A-Z]{2}\d{5}R)$/.test(text);
}

/**
 * Whether the text is an Australian Company Number: nine digits. The first eight digits have the weights 8 to 1. The
 * last digit is the difference between their weighted sum and the next multiple of ten. Source: ASIC, "Australian
 * Company Number digit check".
 */
function isAcn(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = weighted(text.slice(0, 8), [8, 7, 6, 5, 4, 3, 2, 1]);
  return (10 - (sum % 10)) % 10 === Number(text.charAt(8));
}

/**
 * Whether the text is an Australian Business Number: eleven digits whose weighted sum is a multiple of 89 after 1 is
 * subtracted from the first digit. Source: Australian Business Register, "Format of the ABN".
 */
function isAbn(text: string): boolean {
  if (!/^[1-9]\d{10}$/.test(text)) return false;
  return (weighted(text, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0;
}
