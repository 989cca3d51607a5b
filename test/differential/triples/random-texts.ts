import { type Draw, times } from "./draw.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const SMALL = LETTERS.split("");
const WORD_CHARACTERS = `${LETTERS}${LETTERS.toUpperCase()}0123456789-'./`.split("");
const OTHER_CHARACTERS = [
  "é",
  "ß",
  "İ",
  "京",
  "😀",
  "e\u0301",
  "\u00a0x",
  "ﬁ",
  "Ω",
  "🇬🇧",
  '"',
  "\\",
  ",",
  ";",
  "&",
  "=",
];

export function letters(draw: Draw, low: number, high: number): string {
  return times(draw.between(low, high), () => draw.pick(SMALL)).join("");
}

export function digits(draw: Draw, low: number, high: number): string {
  return times(draw.between(low, high), () => draw.between(0, 9)).join("");
}

/** Generates mostly ASCII text of `low` to `high` characters, without leading or trailing whitespace. */
export function words(draw: Draw, low: number, high: number): string {
  const length = draw.chance(0.2) ? draw.pick([low, high]) : draw.between(low, high);
  const isPlain = draw.chance(0.85);
  const characters = times(length, () => {
    const character = isPlain || draw.chance(0.6) ? draw.pick(WORD_CHARACTERS) : draw.pick(OTHER_CHARACTERS);
    return String.fromCodePoint(character.codePointAt(0) ?? 0x78);
  });
  return (length > 4 && draw.chance(0.3) ? characters.with(2, " ") : characters)
    .map((character, at) => ((at === 0 || at === length - 1) && character.trim() === "" ? "x" : character))
    .join("");
}

/** Cells that are invalid, or almost valid, for most types. */
const ODD_TEXTS: readonly string[] = [
  "",
  "",
  "",
  " ",
  "   ",
  "\t",
  "\u00a0",
  "\u2003",
  "\u200b",
  "\u0085",
  "\ufeff",
  "\u001f",
  " A2 ",
  "\u00a0A3",
  "A4\u3000",
  "\tx",
  "x\n",
  "\nx",
  "two\nlines",
  "two\r\nlines",
  "one, two",
  "a;b",
  "a|b",
  "a\tb",
  'a "quoted" word',
  '"',
  '""',
  "'",
  "\\",
  "\\n",
  "Zoë",
  "Zoe\u0308",
  "😀",
  "😀😀😀😀",
  "👩‍🔧",
  "京都",
  "ﬁ",
  "İ",
  "ß",
  "\u0007",
  "\u0001",
  "\u007f",
  "a",
  "ab",
  "abc",
  "AB",
  "ABC",
  "A1",
  "a1",
  "0A1",
  "x".repeat(7),
  "x".repeat(13),
  "y".repeat(40),
  "long enough to be too long",
  "0",
  "-0",
  "1",
  "2",
  "7",
  "01",
  "007",
  "+1",
  "-1",
  "1.",
  ".5",
  "1.0",
  "1.50",
  "12.345",
  "-12345.1",
  "12345",
  "1234.567",
  "0000012.5",
  "10.01",
  "1e3",
  "1E5",
  "0x10",
  "1,234.50",
  "1.234,50",
  "1 234",
  "٣",
  "NaN",
  "Infinity",
  "9007199254740993",
  "99999999999999999999",
  "31/02/2024",
  "01/02/2024",
  "1/2/24",
  "2024-02-29",
  "2023-02-29",
  "20240229",
  "2024-01-01T00:00:00Z",
  "2024-01-01t00:00:00.5Z",
  "2024-06-01T09:30:00+01:00",
  "2024-01-01T00:00:00",
  "2024-01-01 00:00",
  "24:00",
  "12:30",
  "23:59:60",
  "Y",
  "N",
  "y",
  "true",
  "TRUE",
  "False",
  "null",
  "NULL",
  "none",
  "-",
  "n/a",
  "#N/A",
  "a@b",
  "a@b.example",
  "../x",
  "a/b.pdf",
  "a//b",
  "https://x.example/a b",
  "00000000-0000-0000-0000-00000000000g",
  "=SUM(A1)",
  "__proto__",
  "constructor",
];

/** Generates an invalid cell, or a valid cell with a small change. */
export function oddText(draw: Draw, good: string): string {
  if (draw.chance(0.5)) return draw.pick(ODD_TEXTS);
  const change = draw.pick<(text: string) => string>([
    (text) => ` ${text}`,
    (text) => `${text}  `,
    (text) => `\u00a0${text}`,
    (text) => `${text}x`,
    (text) => `${text}${text}`,
    (text) => text.slice(1),
    (text) => text.slice(0, -1),
    (text) => text.toUpperCase(),
    (text) => text.toLowerCase(),
    (text) => `"${text}"`,
    (text) => `${text}\u0301`,
    (text) => `0${text}`,
    (text) => text.replace(/\d/, "٣"),
  ]);
  return change(good);
}
