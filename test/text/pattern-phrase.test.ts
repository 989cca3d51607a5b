import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { patternPhrase } from "../../src/text/pattern-phrase.ts";

/** Expressions that are not anchored, contradict themselves, match only the empty string, or have other syntax. */
const OTHERS = [
  "",
  "^$",
  "a",
  "^a",
  "a$",
  String.raw`^a\$`,
  "^a|b$",
  "^(a|)$",
  "^a{0}$",
  "^a{2,1}$",
  "^[z-a]$",
  "^[A-z]$",
  "^.$",
  "^[^a]$",
  String.raw`^\s$`,
  String.raw`^\p{L}$`,
  String.raw`^(a)\1$`,
  "^(?=a)a$",
  "^(?<n>a)$",
  "^a+?$",
  "^(((((a)))))$",
  `^${"[A-Z][0-9]".repeat(20)}$`,
];

const PIECES = String.raw`^ $ ( ) [ ] { } | ? * + \ - . , : 0 9 a z A Z d`.split(" ");

describe("patternPhrase", () => {
  it.each([
    [
      "^[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}$",
      "1-2 capital letters, then 1 digit, then optionally 1 capital letter or digit, then optionally a space, then 1 digit, then 2 capital letters",
    ],
    [
      String.raw`^-?\d{0,10}(?:\.\d{0,2})?$`,
      'optionally "-", then up to 10 digits, then optionally (".", then up to 2 digits)',
    ],
    [String.raw`^-?\d{0,11}(?:\.\d{0,0})?$`, 'optionally "-", then up to 11 digits, then optionally "."'],
    [String.raw`^\+?[0-9 ]{7,19}$`, 'optionally "+", then 7-19 digits or spaces'],
    [String.raw`^\d\d-\d{2,}$`, '2 digits, then "-", then 2 or more digits'],
    [
      "^(?:GB-)?[1-9][A-Za-z -]*$",
      'optionally "GB-", then 1 digit from 1 to 9, then any number of letters, spaces or "-"',
    ],
    ["^(?:A|B)[AB]{2}$", '"A" or "B", then 2 characters ("A" or "B")'],
    [String.raw`^(?:AB|\d{2}-[a-z]+){2,3}$`, '("AB" or (2 digits, then "-", then 1 or more small letters)) 2-3 times'],
  ])("describes %s", (source, phrase) => {
    expect(patternPhrase(source)).toBe(phrase);
  });

  it.each(OTHERS)("has no phrase for %s", (source) => {
    expect(patternPhrase(source)).toBeUndefined();
  });

  it("describes exactly the strings that the expression matches", () => {
    fc.assert(
      fc.property(sequences(), (pieces) => {
        const source = `^${pieces.map(({ source: each }) => each).join("")}$`;
        const read = expressionOf(patternPhrase(source) ?? "");
        for (const text of fc.sample(fc.stringMatching(new RegExp(source)), { numRuns: 5, seed: 1 })) {
          expect(text).toMatch(read);
        }
        for (const text of fc.sample(fc.stringMatching(read), { numRuns: 5, seed: 1 })) {
          expect(text).toMatch(new RegExp(source));
        }
      }),
      { numRuns: 200 },
    );
  });

  it("never throws, and never returns an empty phrase", () => {
    const token = fc.constantFrom(...PIECES, "(?:", "[A-Z]", "{1,2}", String.raw`\d`);
    const sources = fc.array(token, { maxLength: 12 }).map((tokens) => `^${tokens.join("")}$`);
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), sources), (source) => {
        expect(patternPhrase(source)).not.toBe("");
      }),
      { numRuns: 500 },
    );
  });
});

const CLASSES = [
  { source: "[A-Z]", words: "capital letter" },
  { source: "[a-z]", words: "small letter" },
  { source: "[0-9]", words: "digit" },
  { source: "[A-Za-z]", words: "letter" },
];

const COUNTS = fc.oneof(
  fc.constantFrom("", "?", "+", "*", "{2,}"),
  fc.tuple(fc.nat(9), fc.nat(9)).map(([from, more]) => `{${from},${from + more + 1}}`),
  fc.integer({ min: 2, max: 12 }).map((count) => `{${count}}`),
);

function sequences(): fc.Arbitrary<readonly { readonly source: string }[]> {
  const repeat = fc
    .tuple(fc.constantFrom(...CLASSES), COUNTS)
    .map(([{ source }, count]) => ({ source: source + count }));
  const literal = fc.constantFrom("x", "-", " ", String.raw`\.`, "-?").map((source) => ({ source }));
  return fc.array(fc.oneof(repeat, literal), { minLength: 1, maxLength: 4 });
}

/** Converts a phrase without groups back to an expression. */
function expressionOf(phrase: string): RegExp {
  return new RegExp(`^${phrase.split(", then ").map(pieceOf).join("")}$`);
}

function pieceOf(words: string): string {
  const optional = words.startsWith("optionally ");
  const rest = optional ? words.slice("optionally ".length) : words;
  const quoted = rest === "a space" ? " " : /^"(.+)"$/.exec(rest)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(".", String.raw`\.`) + (optional ? "?" : "");
  const [, count = "", noun] = /^(.*?) ((?:capital |small )?(?:letter|digit))s?$/.exec(rest) ?? [];
  const source = CLASSES.find((each) => each.words === noun)?.source;
  if (source === undefined) throw new Error(`cannot read ${words}`);
  return source + (optional ? "?" : countOf(count));
}

function countOf(words: string): string {
  if (words === "any number of") return "*";
  const [least, most] = /^up to (\d+)$/.test(words) ? ["0", words.slice(6)] : words.split(/-| or more/);
  if (words.endsWith("or more")) return `{${least},}`;
  return most === undefined ? `{${least}}` : `{${least},${most}}`;
}
