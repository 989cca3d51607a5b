import { dateForms } from "./day-notations.ts";
import { KEPT_DIGITS, keptDigits, KEY_FORMS, type KeyForm, normalKey } from "./near-key.ts";

/** How a spreadsheet or a person has altered a key. */
export type KeyCorruptionKind = KeyForm | "date" | "digits";

/** `changed`: which of the two keys is the altered form of the other; `either` if that is unknown. */
export interface KeyCorruption {
  readonly kind: KeyCorruptionKind;
  readonly changed: "known" | "key" | "either";
}

/**
 * Returns the accidental change that may have turned one of the keys into the other; undefined if the keys are equal or
 * unrelated.
 */
export function findKeyCorruption(known: string, key: string): KeyCorruption | undefined {
  if (known === key) return undefined;
  if (normalKey(known) !== normalKey(key)) return areSameDate(known, key) ? DATE : lostDigits(known, key);
  let [one, other] = [known, key];
  for (const { kind, undo } of KEY_FORMS) {
    const next = [undo(one), undo(other)] as const;
    if (kind === "dash" && !isInsertion(dashesIn(one), dashesIn(other))) return undefined;
    if (next[0] === next[1]) return { kind, changed: changedBy(kind, one !== next[0], other !== next[1]) };
    [one, other] = next;
  }
  return undefined;
}

const DATE: KeyCorruption = { kind: "date", changed: "either" };

/**
 * Returns which key is the altered form. Zeros and a leading `+` can be lost, so for kinds in `LOST` the altered key is
 * the key without these characters. For all other kinds, it is the key with the additional characters. For kinds in
 * `SYMMETRIC`, and if both keys have such characters, the altered key is unknown.
 */
function changedBy(kind: KeyForm, isKnownLonger: boolean, isKeyLonger: boolean): KeyCorruption["changed"] {
  if (SYMMETRIC.has(kind) || (isKnownLonger && isKeyLonger)) return "either";
  return LOST.has(kind) === isKnownLonger ? "key" : "known";
}

const SYMMETRIC: ReadonlySet<KeyForm> = new Set(["characters", "case", "spaces", "dash"]);
const LOST: ReadonlySet<KeyForm> = new Set(["zeros", "fraction", "plus"]);

/**
 * Returns the positions of the dashes in a key, counted from its end: the number of non-dash characters that follow
 * each dash.
 */
function dashesIn(key: string): readonly number[] {
  const places: number[] = [];
  let following = 0;
  for (let at = key.length - 1; at >= 0; at -= 1) {
    if (key[at] === "-") places.push(following);
    else following += 1;
  }
  return places;
}

/**
 * Whether one key has all the dashes of the other: `1-23` and `123` may be the same key; `1-23` and `12-3` are
 * different keys.
 */
function isInsertion(one: readonly number[], other: readonly number[]): boolean {
  const [fewer, more] = one.length < other.length ? [one, other] : [other, one];
  return fewer.every((place) => more.includes(place));
}

/**
 * Whether two keys are the same day in two notations: `2010-01-11` and `11/01/2010`. Different keys in the same
 * notation are different days.
 */
function areSameDate(known: string, key: string): boolean {
  if (dateNotation(known) === dateNotation(key)) return false;
  return dateForms(key).includes(known) || dateForms(known).includes(key);
}

/** Returns the notation of a date in a key: `9/9/Y`, `Y-9-9`, `9-A`. */
function dateNotation(key: string): string {
  return key
    .replace(/[A-Za-z]+/g, "A")
    .replace(/\d+/g, ({ length }) => (length === 4 ? "Y" : "9".repeat(Math.max(1, length - 3))));
}

/**
 * Recognises long numbers whose last digits a spreadsheet has replaced: `1234567890123456789`, changed to
 * `1234567890123450000` or `1234567890123460000`.
 */
function lostDigits(known: string, key: string): KeyCorruption | undefined {
  const [one, other] = [normalKey(known), normalKey(key)];
  if (zeroedDigits(one).includes(other)) return { kind: "digits", changed: "key" };
  return zeroedDigits(other).includes(one) ? { kind: "digits", changed: "known" } : undefined;
}

/**
 * Returns the numbers that spreadsheets may store for a number with more digits than they keep; empty for any other
 * key.
 */
function zeroedDigits(normal: string): readonly string[] {
  const lost = normal.length - KEPT_DIGITS;
  if (lost <= 0 || !/^\d+$/.test(normal)) return [];
  const cut = normal.slice(0, KEPT_DIGITS).padEnd(normal.length, "0");
  return lost < ROUNDED_DIGITS ? [cut] : [cut, rounded(normal, lost)];
}

/**
 * Minimum number of lost digits for which rounding is assumed. Some spreadsheets truncate the digits, others round
 * them. Numbers with fewer lost digits are too often round by chance: the number after `12345678901234599` is
 * `12345678901234600`.
 */
const ROUNDED_DIGITS = 3;

function rounded(digits: string, lost: number): string {
  const unit = 10n ** BigInt(lost);
  return String(((BigInt(digits) + unit / 2n) / unit) * unit);
}

/**
 * Returns the normal forms, or kept digits (`SQL_KEPT_DIGITS`), of other keys that may mean the same record: other
 * notations of a date, a number with or without its last digits. Empty for most keys.
 */
export function otherMatches(key: string): readonly string[] {
  const own = normalKey(key);
  const zeroed = zeroedDigits(own);
  const others = new Set(
    dateForms(key)
      .filter((form) => !form.includes(":"))
      .map(normalKey),
  );
  for (const each of zeroed) others.add(each);
  if (zeroed.includes(own)) for (const each of digitsBefore(own)) others.add(each);
  others.delete(own);
  return [...others];
}

/**
 * Returns the kept digits of the numbers that may have become `zeroed`: the kept digits of `zeroed`, and digits that
 * round up to them.
 */
function digitsBefore(zeroed: string): readonly string[] {
  const lower = String(BigInt(zeroed.slice(0, KEPT_DIGITS + 1)) - 1n);
  return zeroed.length - KEPT_DIGITS < ROUNDED_DIGITS ? [keptDigits(zeroed)] : [keptDigits(zeroed), keptDigits(lower)];
}

/**
 * Returns the kind of corruption that is visible in the key alone, if any: no system assigns keys in scientific
 * notation with a signed exponent, with a leading apostrophe, or as a formula or formula error (`#REF!`).
 */
export function visibleKeyCorruption(key: string): "scientific" | "apostrophe" | "formula" | undefined {
  if (/^\d(?:[.,]\d+)?E\+\d{2,3}$/i.test(key)) return "scientific";
  if (/^['’]\S/.test(key)) return "apostrophe";
  return /^="[^"]*"$/.test(key) || /^#(?:REF!|NAME\?|VALUE!|DIV\/0!|N\/A|NUM!|NULL!)$/.test(key)
    ? "formula"
    : undefined;
}
