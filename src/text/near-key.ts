/**
 * A key without what people and spreadsheets change by accident: case, spaces, leading zeros, the `.0` of a decimal,
 * scientific notation (`1.2E+05`), and characters that only look different (Unicode NFKC). Two keys are near when these
 * are the same. Undefined where nothing changes.
 */
export function nearKey(key: string): string | undefined {
  if (PLAIN_KEY.test(key)) return undefined;
  const near = key
    .normalize("NFKC")
    .toUpperCase()
    .replace(/\s+/gu, "")
    .replace(/^(\d+)\.0+$/u, "$1")
    .replace(/^(\d)(?:\.(\d{1,15}))?E\+?(\d{1,2})$/u, withoutExponent)
    .replace(/^0+(?=.)/u, "");
  return near === key ? undefined : near;
}

/** Whole numbers alone: a key has no decimals. */
function withoutExponent(written: string, whole: string, decimals: string | undefined, exponent: string): string {
  const zeros = Number(exponent) - (decimals ?? "").length;
  return zeros < 0 ? written : whole + (decimals ?? "") + "0".repeat(zeros);
}

/** Most keys: capitals and digits. Capitals, because a key in capitals then needs no second text. */
const PLAIN_KEY = /^(?!\d+(?:\.0+|(?:\.\d+)?E\+?\d+)$)[A-Z1-9][A-Z0-9._/-]*$/;

/** Whether `nearKey` leaves the key alone that these bytes are: true only if it does. */
export function isPlainKey(bytes: Uint8Array, from: number, to: number): boolean {
  const first = KEY_BYTES[bytes[from] ?? 0];
  if (from >= to || (first !== DIGIT && first !== LETTER)) return false;
  let digits = 0;
  for (let at = from; at < to; at += 1) {
    const kind = KEY_BYTES[bytes[at] ?? 0];
    if (kind === OTHER) return false;
    if (kind === DIGIT || kind === ZERO) digits += 1;
  }
  return first === LETTER || digits === to - from;
}

const [OTHER, DIGIT, LETTER, ZERO, MARK] = [0, 1, 2, 3, 4];
const KEY_BYTES = new Uint8Array(256);
KEY_BYTES.fill(DIGIT, 0x31, 0x3a);
KEY_BYTES.fill(LETTER, 0x41, 0x5b);
KEY_BYTES[0x30] = ZERO;
for (const mark of "._/-") KEY_BYTES[mark.charCodeAt(0)] = MARK;
