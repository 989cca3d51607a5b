import { getOrAdd } from "../../../model/groups.ts";
import { FIELD_WORDS, FILLER_WORDS, WHOLE_NAMES } from "./field-words.ts";

/**
 * Returns the words in the name of a column or field, each in its canonical form: `CUST_DOB`, `dateOfBirth` and
 * `date_of_birth` all contain `birth` and `date`. Keeps the order of the words. Numbers count as words.
 */
export function nameWords(name: string): readonly string[] {
  return getOrAdd(remembered, name, () => meaningsOf(name).filter((word) => !FILLER_WORDS.has(word)));
}

const remembered = new Map<string, readonly string[]>();

const MEANINGS: ReadonlyMap<string, readonly string[]> = new Map(
  FIELD_WORDS.replaceAll(/\n {2}/g, " ")
    .split("\n")
    .filter((line) => line.includes(": "))
    .flatMap((line) => {
      const [meaning = "", spellings = ""] = line.split(": ");
      return [meaning, ...spellings.split(", ")].map((spelling) => [spelling, meaning.split(" ")] as const);
    }),
);
const SINGLE: readonly string[] = [...MEANINGS.keys()].filter(
  (spelling) => !spelling.includes(" ") && spelling.length > 1,
);
const WORDS: ReadonlySet<string> = new Set([...MEANINGS.keys()].flatMap((spelling) => spelling.split(" ")));
const LONGEST_PHRASE = 5;

function meaningsOf(name: string): readonly string[] {
  const whole = WHOLE_NAMES.get(name.toLowerCase())?.split(" ") ?? MEANINGS.get(name.toLowerCase());
  if (whole !== undefined) return whole;
  return [...new Set(meaningsIn(writtenWords(name).flatMap(knownTokens)))];
}

/** Converts a token to known spellings: removes the plural `s`, and splits compounds. */
function knownTokens(token: string): readonly string[] {
  if (WORDS.has(token)) return [token];
  const single = singular(token);
  return WORDS.has(single) ? [single] : partsOf(token);
}

function singular(token: string): string {
  return /[^s]s$/.test(token) && token.length > 3 ? token.slice(0, -1) : token;
}

/** Returns the meanings of the longest known phrases, from left to right. */
function meaningsIn([token, ...rest]: readonly string[]): readonly string[] {
  if (token === undefined) return [];
  for (let more = Math.min(LONGEST_PHRASE - 1, rest.length); more >= 0; more -= 1) {
    const meaning = MEANINGS.get([token, ...rest.slice(0, more)].join(" "));
    if (meaning !== undefined) return [...meaning, ...meaningsIn(rest.slice(more))];
  }
  const single = singular(token);
  return [...(MEANINGS.get(single) ?? [single]), ...meaningsIn(rest)];
}

/**
 * Splits a name into lower-case words and numbers, without expanding abbreviations: both `ACC_NO` and `accNo` become
 * `acc` and `no`; `ADDR1` becomes `addr` and `1`.
 */
export function writtenWords(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .flatMap((part) => part.match(/\p{L}+|\d+/gu) ?? [])
    .map((token) => (/^\d+$/.test(token) ? String(Number(token)) : token));
}

/** Splits a compound: `custno` is `cust` and `no`. Returns the token unchanged if it does not split completely. */
function partsOf(token: string): readonly string[] {
  if (token.length < 4 || /^\d/.test(token)) return [token];
  const best: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= token.length; end += 1) {
    for (const word of SINGLE) {
      const before = best[end - word.length];
      if (before === undefined || !token.endsWith(word, end)) continue;
      const parts = [...before, word];
      if (best[end] === undefined || parts.length < (best[end]?.length ?? 0)) best[end] = parts;
    }
  }
  return best[token.length] ?? [token];
}
