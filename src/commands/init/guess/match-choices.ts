import type { JsonScalar } from "../../../json/json-value.ts";
import { getOrAdd } from "../../../model/groups.ts";

/** Upper-case codes from legacy systems, grouped by meaning. The first entry of a group is the contract's choice. */
const CHOICE_WORDS: readonly (readonly [choice: string, ...codes: readonly string[]])[] = [
  ["DOMESTIC", "RESIDENTIAL", "RESI", "RES", "HOUSEHOLD", "HH", "PRIVATE", "DOM", "R"],
  ["BUSINESS", "COMMERCIAL", "COMM", "COM", "SME", "NONDOM", "NON DOMESTIC", "CORP", "BUS", "I&C", "ND", "C"],
  ["ELECTRICITY", "ELEC", "ELE", "EL", "POWER", "PWR", "LECCY"],
  ["GAS", "GS", "NG"],
  ["PREPAYMENT", "PREPAY", "PPM", "PP", "KEY", "TOKEN", "PAYG"],
  ["CREDIT", "CR", "CRED", "STD", "STANDARD", "CONV"],
  ["SMART", "SMT", "SMETS", "SMETS1", "SMETS2", "AMI"],
  ["DIRECT_DEBIT", "DD", "DDM", "DDI", "VDD", "FDD", "MDD", "DIRECT DEBIT"],
  ["ON_DEMAND", "CASH", "CHEQUE", "CHQ", "CASHCHEQUE", "BILL", "QCC"],
  ["MONTHLY", "MTH", "MON", "MNTH", "12"],
  ["QUARTERLY", "QTR", "QTLY", "QUART"],
  ["ACTUAL", "ACT", "AR", "READ"],
  ["CUSTOMER", "CUST", "OWN", "CR", "SELF"],
  ["ESTIMATED", "ESTIMATE", "EST", "ER"],
  ["ESTIMATE", "ESTIMATED", "EST"],
  ["ROUTINE", "ACTUAL", "ACT", "NORMAL", "SCHED"],
  ["YES", "Y", "TRUE", "1"],
  ["NO", "N", "FALSE", "0"],
];

export interface MatchedChoices {
  readonly table: ReadonlyMap<string, string>;
  /** Codes that match no choice or several choices. */
  readonly unknown: readonly string[];
  /** Codes that match a choice only by selected letters, such as `QTRLY` for `QUARTERLY`. */
  readonly uncertain: ReadonlySet<string>;
  /** Whether every code equals its choice, so that no lookup table is needed. */
  readonly same: boolean;
  /** How strongly the codes alone suggest that the column contains these choices, from 0 to 1. */
  readonly evidence: number;
}

export function matchChoices(codes: readonly string[], choices: readonly JsonScalar[]): MatchedChoices {
  const words = choices.filter((choice) => choice !== "" && choice !== null).map(String);
  const matched = codes.map((code) => [code, bestChoice(code, words)] as const);
  const found = matched.flatMap(([code, match]) => (match === undefined ? [] : [{ code, ...match }]));
  const table = new Map(found.map(({ code, choice }) => [code, choice]));
  const unknown = codes.filter((code) => !table.has(code));
  const same = unknown.length === 0 && found.every(({ code, choice }) => code === choice);
  const uncertain = new Set(found.flatMap(({ code, strength }) => (strength < MIN_STRENGTH ? [code] : [])));
  return { table, unknown, uncertain, same, evidence: evidenceOf(matched) };
}

const MIN_STRENGTH = 0.7;
/** Maximum evidence from a single-letter code. It is low, because many words share an initial. */
const ONE_LETTER = 0.75;
/** Evidence from a single-letter code that equals a choice. It is lower, because many columns contain such codes. */
const SAME_LETTER = 0.5;

function evidenceOf(matched: readonly (readonly [code: string, match: Match | undefined])[]): number {
  if (!matched.some(([code]) => /\D/.test(plain(code)))) return 0;
  const strengths = matched.map(([code, match]) => {
    const strength = match?.strength ?? 0;
    if (plain(code).length > 1) return strength;
    return strength === 1 ? SAME_LETTER : Math.min(strength, ONE_LETTER);
  });
  const mean = strengths.reduce((sum, strength) => sum + strength, 0) / strengths.length;
  return strengths.length === 1 ? mean * 0.5 : mean;
}

interface Match {
  readonly choice: string;
  readonly strength: number;
}

/** Returns the choice that fits the code best; undefined if no choice fits, or if two choices fit equally well. */
function bestChoice(code: string, choices: readonly string[]): Match | undefined {
  if (choices.includes(code)) return { choice: code, strength: 1 };
  if (isListOf(code, choices)) return undefined;
  const matches = choices
    .map((choice) => ({ choice, strength: likeness(plain(code), choice) }))
    .filter(({ strength }) => strength > 0)
    .toSorted((one, other) => other.strength - one.strength);
  const [best, second] = matches;
  return best?.strength === second?.strength ? undefined : best;
}

/** Whether the code lists several choices, so that no single choice can replace it. */
function isListOf(code: string, choices: readonly string[]): boolean {
  const parts = code.split(/[,;|/+]/).map((part) => part.trim());
  return parts.length > 1 && parts.every((part) => choices.includes(part));
}

/**
 * Converts text to upper case, with single spaces instead of punctuation. Results are cached, because every column is
 * compared with the same choices.
 */
function plain(text: string): string {
  const words = /[^\p{L}\d]+/gu;
  return getOrAdd(plainTexts, text, () => text.toUpperCase().replaceAll(words, " ").trim());
}

const plainTexts = new Map<string, string>();

function likeness(code: string, choice: string): number {
  const wanted = plain(choice);
  if (code === "") return 0;
  if (code === wanted) return 1;
  if (KNOWN_CODES.get(wanted)?.has(code) === true) return 0.95;
  return /^\d/.test(code) ? 0 : lettersLikeness(code, wanted);
}

const KNOWN_CODES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  CHOICE_WORDS.map(([word, ...codes]) => [plain(word), new Set(codes.map(plain))]),
);

/**
 * Scores similar codes: initials (`DD`), the start of the choice (`ELEC`), longer words that start with the choice, and
 * selected letters in order (`QTR`).
 */
function lettersLikeness(code: string, wanted: string): number {
  const initials = wanted.split(" ").map((word) => word.slice(0, 1));
  if (initials.length > 1 && initials.join("") === code) return 0.9;
  if (wanted.startsWith(code)) return code.length > 1 ? 0.9 : 0.75;
  if (wanted.length > 2 && code.startsWith(wanted)) return 0.8;
  return code.length > 2 && isSkeleton(code, wanted) ? 0.6 : 0;
}

/** Whether a code consists of letters from the word, in order, starting with the first: `QTRLY` for `QUARTERLY`. */
function isSkeleton(code: string, word: string): boolean {
  let at = 0;
  for (const letter of code) {
    const found = word.indexOf(letter, at);
    if (found < 0 || (at === 0 && found > 0)) return false;
    at = found + 1;
  }
  return true;
}
