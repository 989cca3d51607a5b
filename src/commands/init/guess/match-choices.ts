import type { JsonScalar } from "../../../json/json-value.ts";
import { CHOICE_WORDS } from "./choice-words.ts";

/** Which choice of the contract each code of a column seems to mean. */
export interface MatchedChoices {
  readonly table: ReadonlyMap<string, string>;
  /** Codes that mean none of the choices, or more than one. */
  readonly unknown: readonly string[];
  /** Codes that match by a few letters only. */
  readonly vague: ReadonlySet<string>;
  /** Every code is a choice as it stands: no table is needed. */
  readonly same: boolean;
  /** From 0 to 1: how much the codes say by themselves that the column is about these choices. */
  readonly evidence: number;
}

export function matchChoices(codes: readonly string[], choices: readonly JsonScalar[]): MatchedChoices {
  const words = choices.filter((choice) => choice !== "" && choice !== null).map(String);
  const matched = codes.map((code) => [code, bestChoice(code, words)] as const);
  const table = new Map(matched.flatMap(([code, match]) => (match === undefined ? [] : [[code, match.choice]])));
  const unknown = matched.flatMap(([code, match]) => (match === undefined ? [code] : []));
  const same = unknown.length === 0 && [...table].every(([code, choice]) => code === choice);
  const vague = new Set(
    matched.flatMap(([code, match]) => (match !== undefined && match.strength < VAGUE ? [code] : [])),
  );
  return {
    table,
    unknown,
    vague,
    same,
    evidence: evidenceOf(
      codes,
      matched.map(([code, match]) => (code.length === 1 && match?.strength === 1 ? 0.5 : (match?.strength ?? 0))),
    ),
  };
}

const VAGUE = 0.7;
/** Single letters are the first of many words. */
const ONE_LETTER = 0.75;

function evidenceOf(codes: readonly string[], strengths: readonly number[]): number {
  if (!codes.some((code) => /\D/.test(code))) return 0;
  const told = strengths.map((strength, at) =>
    (codes[at]?.length ?? 0) < 2 ? Math.min(strength, ONE_LETTER) : strength,
  );
  const mean = told.reduce((sum, strength) => sum + strength, 0) / codes.length;
  return codes.length === 1 ? mean * 0.5 : mean;
}

interface Match {
  readonly choice: string;
  readonly strength: number;
}

/** The one choice that the code fits best; undefined where two fit as well. */
function bestChoice(code: string, choices: readonly string[]): Match | undefined {
  const matches = choices
    .map((choice) => ({ choice, strength: likeness(plain(code), choice) }))
    .filter(({ strength }) => strength > 0)
    .toSorted((one, other) => other.strength - one.strength);
  const [best, second] = matches;
  if (best === undefined || (second !== undefined && second.strength === best.strength)) return undefined;
  return best;
}

/** In capitals, with single spaces for all that is no letter and no digit; asked for the same choices column by column. */
function plain(text: string): string {
  const known = plainTexts.get(text);
  if (known !== undefined) return known;
  const made = text
    .toUpperCase()
    .replaceAll(/[^\p{L}\d]+/gu, " ")
    .trim();
  plainTexts.set(text, made);
  return made;
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

/** `DD` is made of the first letters of the words, `ELEC` of the first of one word, `QTR` of some in their order. */
function lettersLikeness(code: string, wanted: string): number {
  const initials = wanted.split(" ").map((word) => word.slice(0, 1));
  if (initials.length > 1 && initials.join("") === code) return 0.9;
  if (wanted.startsWith(code)) return code.length > 1 ? 0.9 : 0.75;
  if (wanted.length > 2 && code.startsWith(wanted)) return 0.8;
  return code.length > 2 && isSkeleton(code, wanted) ? 0.6 : 0;
}

/** `QTRLY` is made of letters of `QUARTERLY`, in their order, from the first on. */
function isSkeleton(code: string, word: string): boolean {
  let at = 0;
  for (const letter of code) {
    const found = word.indexOf(letter, at);
    if (found < 0 || (at === 0 && found > 0)) return false;
    at = found + 1;
  }
  return true;
}
