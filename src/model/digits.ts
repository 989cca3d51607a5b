/** `1200` -> `12`. A regular expression for it (`/0+$/`) takes a minute where 200,000 zeros are followed by a 1. */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  return digits.slice(0, end);
}

const ZERO = 48;
