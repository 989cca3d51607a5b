/**
 * A number in the companies register of a region; undefined for a region whose numbers are not known here. White space
 * and missing leading zeros do not count: platforms mend them.
 */
export function isCompanyNumber(text: string, region: string): boolean | undefined {
  const bare = text.replaceAll(/\s/g, "").toUpperCase();
  if (region === "GB") return isBritish(bare);
  return region === "AU" ? isAcn(bare) || isAbn(bare) : undefined;
}

/**
 * Eight characters: digits, or a prefix of two letters for the register's parts, such as SC and OC. Source: Companies
 * House, "Uniform Resource Identifiers for companies" (company number formats).
 */
function isBritish(text: string): boolean {
  return /^(?:\d{1,8}|[A-Z]{2}\d{1,6}|[A-Z]{2}\d{5}R)$/.test(text);
}

/**
 * Australian Company Number: nine digits, weights 8 to 1, the last digit what is missing to the next ten. Source: ASIC,
 * "Australian Company Number digit check".
 */
function isAcn(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = [8, 7, 6, 5, 4, 3, 2, 1].reduce((total, weight, index) => total + weight * Number(text.charAt(index)), 0);
  return (10 - (sum % 10)) % 10 === Number(text.charAt(8));
}

/**
 * Australian Business Number: eleven digits; 1 taken off the first, times their weights, the sum a multiple of 89.
 * Source: Australian Business Register, "Format of the ABN".
 */
function isAbn(text: string): boolean {
  if (!/^[1-9]\d{10}$/.test(text)) return false;
  const weights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
  const sum = weights.reduce((total, weight, index) => total + weight * Number(text.charAt(index)), -10);
  return sum % 89 === 0;
}
