import { INVISIBLE } from "./invisible.ts";

/** Decoded text, and the position of each of its code units in the original. */
export interface DecodedText {
  readonly text: string;
  /** Start and end, in the original, of the characters that each code unit was decoded from. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/**
 * Yields the possible readings of a string that may be escaped: as written, with one level of escapes decoded (HTML,
 * JSON and JavaScript, URLs), with two levels, and so on. Removes whitespace, control and invisible characters, and
 * the tags `<br>` and `<wbr>` from each reading.
 */
export function* readingsOf(text: string): Generator<string> {
  let reading = text.replaceAll(UNSEEN, "");
  yield reading;
  for (let level = 0; level < MAX_LEVELS && ESCAPE_BEGINS.test(reading); level++) {
    const next = reading.replaceAll(ESCAPE, meaningOf).replaceAll(UNSEEN, "");
    if (next === reading) return;
    yield next;
    reading = next;
  }
}

/**
 * Yields the readings of `readingsOf` with the position of each code unit. A decoded character has the position of its
 * escape.
 */
export function* placedReadingsOf(text: string): Generator<DecodedText> {
  const places = Array.from({ length: text.length }, (_, at) => at);
  const asWritten = { text, from: places, to: places.map((at) => at + 1) };
  let reading = rewritten(
    rewritten(asWritten, ESCAPE, (escape) => escape),
    UNSEEN,
    () => "",
  );
  yield reading;
  for (let level = 0; level < MAX_LEVELS && ESCAPE_BEGINS.test(reading.text); level++) {
    const next = rewritten(rewritten(reading, ESCAPE, meaningOf), UNSEEN, () => "");
    if (next.text === reading.text) return;
    yield next;
    reading = next;
  }
}

/** Maximum number of escape levels. No server adds this many. Each level costs a pass over the text. */
const MAX_LEVELS = 8;

const UNSEEN = new RegExp(String.raw`[\p{Cc}${INVISIBLE}]|<w?br ?/?>`, "gu");

const ESCAPE_BEGINS = /[\\%&]/;

const HEX = "[0-9a-fA-F]";
const LATER_BYTE = `%[89abAB]${HEX}`;

const ESCAPE = new RegExp(
  [
    String.raw`\\u\{0*${HEX}{1,6}\}`,
    String.raw`\\u${HEX}{4}`,
    String.raw`\\x${HEX}{2}`,
    String.raw`\\["'\\/bfnrt]`,
    "&#0*[0-9]{1,7};?",
    `&#[xX]0*${HEX}{1,6};?`,
    "&[A-Za-z]{2,20};",
    // One character in UTF-8, or one byte of Latin-1.
    `%[cdCD]${HEX}${LATER_BYTE}`,
    `%[eE]${HEX}(?:${LATER_BYTE}){2}`,
    `%[fF][0-4](?:${LATER_BYTE}){3}`,
    `%${HEX}{2}`,
  ].join("|"),
  "gu",
);

function meaningOf(escape: string): string {
  if (escape.startsWith("\\")) return meaningOfBackslash(escape.slice(1));
  if (escape.startsWith("&#")) return character(escape.slice(2).replace(/^x/i, "0x").replace(";", ""));
  if (escape.startsWith("&")) return NAMED.get(escape.slice(1, -1)) ?? escape;
  const bytes = Buffer.from(escape.replaceAll("%", ""), "hex");
  return bytes.toString(bytes.length === 1 ? "latin1" : "utf8");
}

function meaningOfBackslash(rest: string): string {
  if (rest.length > 1) return character(`0x${rest.replaceAll(/[ux{}]/g, "")}`);
  return /[bfnrt]/.test(rest) ? "" : rest;
}

function character(code: string): string {
  const number = Number(code);
  return number > 0x10_ffff ? "" : String.fromCodePoint(number);
}

/** HTML's named character references for printable ASCII characters and for invisible characters. */
const NAMES: Readonly<Record<string, string>> = {
  "!": "excl",
  '"': "quot QUOT",
  "#": "num",
  $: "dollar",
  "%": "percnt",
  "&": "amp AMP",
  "'": "apos",
  "(": "lpar",
  ")": "rpar",
  "*": "ast midast",
  "+": "plus",
  ",": "comma",
  ".": "period",
  "/": "sol",
  ":": "colon",
  ";": "semi",
  "<": "lt LT",
  "=": "equals",
  ">": "gt GT",
  "?": "quest",
  "@": "commat",
  "[": "lsqb lbrack",
  "\\": "bsol",
  "]": "rsqb rbrack",
  "^": "Hat",
  _: "lowbar UnderBar",
  "`": "grave DiacriticalGrave",
  "{": "lcub lbrace",
  "|": "verbar vert VerticalLine",
  "}": "rcub rbrace",
  "-": "hyphen dash",
  " ":
    "nbsp NonBreakingSpace ensp emsp emsp13 emsp14 numsp puncsp thinsp ThinSpace hairsp VeryThinSpace MediumSpace shy Tab " +
    "NewLine zwj zwnj lrm rlm NoBreak ZeroWidthSpace NegativeVeryThinSpace NegativeThinSpace NegativeMediumSpace " +
    "NegativeThickSpace ApplyFunction af InvisibleTimes it InvisibleComma ic",
};

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([one, names]) => names.split(" ").map((name) => [name, one] as const)),
);

/** Replaces the matches of a pattern. Each character of a replacement gets the position of the whole match. */
export function rewritten(read: DecodedText, pattern: RegExp, replace: (found: string) => string): DecodedText {
  const from: number[] = [];
  const to: number[] = [];
  const parts: string[] = [];
  let done = 0;
  const keepUntil = (end: number): void => {
    parts.push(read.text.slice(done, end));
    for (let at = done; at < end; at++) {
      from.push(read.from[at] ?? 0);
      to.push(read.to[at] ?? 0);
    }
  };
  for (const { 0: found, index } of read.text.matchAll(pattern)) {
    keepUntil(index);
    done = index + found.length;
    const meaning = replace(found);
    parts.push(meaning);
    for (let unit = 0; unit < meaning.length; unit++) {
      from.push(read.from[index] ?? 0);
      to.push(read.to[done - 1] ?? 0);
    }
  }
  keepUntil(read.text.length);
  return { text: parts.join(""), from, to };
}
