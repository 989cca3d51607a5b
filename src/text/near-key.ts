/**
 * Returns the normal form of a key: the key without the changes that people and spreadsheets make by accident. Ignores
 * case, whitespace, leading zeros, dashes, a leading `+`, trailing zeros of decimals, thousands separators, scientific
 * notation (`1.2E+05`), a leading apostrophe, the formula `="00123"`, and characters that only look different (Unicode
 * NFKC). Keys with different normal forms are never considered similar, except dates and long numbers (`otherMatches`).
 * For two keys with the same normal form, `findKeyCorruption` decides whether they are similar.
 */
export function normalKey(key: string): string {
  const plain = PLAIN_KEY.test(key) ? key : KEY_FORMS.reduce((text, { undo }) => undo(text), key);
  return plain.includes("-") ? withoutDashes(plain) : plain;
}

/**
 * Returns the normal form of a key; undefined if the normal form is the key without dashes, because a ledger computes
 * that form itself (`SQL_NORMAL_KEY`).
 */
export function storedNormalKey(key: string): string | undefined {
  if (PLAIN_KEY.test(key)) return undefined;
  const normal = normalKey(key);
  return normal === key.replaceAll("-", "") ? undefined : normal;
}

/** SQL for the normal form of a key in the table `items`; valid in every ledger. */
export const SQL_NORMAL_KEY = "coalesce(items.near, replace(items.key, '-', ''))";

/** Number of digits that a spreadsheet keeps. It replaces further digits with zeros. */
export const KEPT_DIGITS: number = 15;

/**
 * SQL for the `keptDigits` of a normal form that is longer than `KEPT_DIGITS`; null for any other normal form. Valid in
 * every ledger.
 */
export const SQL_KEPT_DIGITS: string = `case when length(${SQL_NORMAL_KEY}) > ${KEPT_DIGITS} then substr(${SQL_NORMAL_KEY}, 1, ${KEPT_DIGITS}) || '~' end`;

/** Returns the value of `SQL_KEPT_DIGITS`. The `~` distinguishes it from the normal form of a number. */
export function keptDigits(normal: string): string {
  return `${normal.slice(0, KEPT_DIGITS)}~`;
}

/** How two notations of the same key can differ. */
export type KeyForm =
  | "characters"
  | "case"
  | "spaces"
  | "formula"
  | "apostrophe"
  | "thousands"
  | "decimals"
  | "fraction"
  | "scientific"
  | "plus"
  | "dash"
  | "zeros";

/**
 * Notations of a key, in the order in which `normalKey` undoes them. `undo` returns keys in any other notation
 * unchanged.
 */
export const KEY_FORMS: readonly { readonly kind: KeyForm; readonly undo: (key: string) => string }[] = [
  { kind: "characters", undo: (key) => key.normalize("NFKC").replace(/\p{Pd}|\u2212/gu, "-") },
  { kind: "case", undo: (key) => key.toUpperCase() },
  { kind: "spaces", undo: (key) => key.replace(/[\s\p{Cf}]+/gu, "") },
  { kind: "formula", undo: (key) => key.replace(/^="(.*)"$/u, "$1") },
  { kind: "apostrophe", undo: (key) => key.replace(/^['’](?=.)/u, "") },
  { kind: "thousands", undo: (key) => key.replace(THOUSANDS, (text) => text.replaceAll(",", "")) },
  { kind: "decimals", undo: (key) => key.replace(/^(\d+)(?:\.0+|,0{1,2})$/u, "$1") },
  { kind: "fraction", undo: (key) => key.replace(/^(\d+\.\d*[1-9])0+$/u, "$1") },
  { kind: "scientific", undo: (key) => key.replace(SCIENTIFIC, withoutExponent) },
  { kind: "plus", undo: (key) => key.replace(/^\+(?=.)/u, "") },
  { kind: "dash", undo: withoutDashes },
  { kind: "zeros", undo: (key) => key.replace(/^0+(?=.)/u, "") },
];

const THOUSANDS = /^[1-9]\d{0,2}(?:,\d{3})+(?=$|\.0+$)/u;
const SCIENTIFIC = /^(\d)(?:[.,](\d{1,15}))?E\+?(\d{1,2})$/u;

function withoutDashes(key: string): string {
  const bare = key.replaceAll("-", "");
  return bare === "" ? key : bare;
}

/** Expands scientific notation to digits. Leaves a number with decimals unchanged, because a key has no decimals. */
function withoutExponent(written: string, whole: string, decimals: string | undefined, exponent: string): string {
  const zeros = Number(exponent) - (decimals ?? "").length;
  return zeros < 0 ? written : whole + (decimals ?? "") + "0".repeat(zeros);
}

/**
 * Matches most keys: upper-case letters, digits and some punctuation. The normal form of such a key is the key without
 * its dashes.
 */
const PLAIN_KEY = /^(?!\d+(?:\.\d*0|(?:\.\d+)?E\+?\d+)$)[A-Z1-9][A-Z0-9._/-]*$/;

/**
 * Whether the normal form of the key in these bytes is the key without its dashes. May return false for such a key,
 * but never returns true for any other key.
 */
export function isPlainKey(bytes: Uint8Array, from: number, to: number): boolean {
  const first = KEY_BYTES[bytes[from] ?? 0] ?? OTHER;
  if (from >= to || (first !== DIGIT && first !== LETTER)) return false;
  let others = 0;
  for (let at = from; at < to; at += 1) {
    const kind = KEY_BYTES[bytes[at] ?? 0] ?? OTHER;
    if (kind === OTHER) return false;
    if (kind < ZERO) others += 1;
  }
  return first === LETTER || others === 0;
}

const [OTHER, LETTER, MARK, ZERO, DIGIT, DASH] = [0, 1, 2, 3, 4, 5];
const KEY_BYTES = new Uint8Array(256);
KEY_BYTES.fill(DIGIT, 0x31, 0x3a);
KEY_BYTES.fill(LETTER, 0x41, 0x5b);
KEY_BYTES[0x30] = ZERO;
for (const mark of "._/") KEY_BYTES[mark.charCodeAt(0)] = MARK;
KEY_BYTES["-".charCodeAt(0)] = DASH;
