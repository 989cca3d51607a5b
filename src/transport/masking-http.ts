import { INVISIBLE } from "../text/invisible.ts";
import type { Http, HttpReply } from "./http.ts";

/** The credentials of a run, which must not be shown or stored if a server echoes them. */
export interface CredentialMask {
  /** Adds a secret to mask. */
  readonly learn: (secret: string) => void;
  /**
   * The text without the known secrets: complete ones, and any prefix of at least 8 characters. Finds them as plain
   * text, in base64 and in hexadecimal; with characters escaped for HTML, JSON or URLs (also twice); and with white
   * space or invisible characters in between. Linear in the length of the text.
   */
  readonly mask: (text: string) => string;
}

const MASKED = "[masked]";

/** Minimum length of a secret's prefix that is masked; a shorter secret is masked only as a whole. */
const MIN_PREFIX = 8;
/** Shorter secrets are not masked, because they would match unrelated words and numbers. */
const MIN_SECRET = 4;

export function createCredentialMask(secrets: readonly string[] = []): CredentialMask {
  const known = new Map<string, readonly Form[]>();
  /** Finds the start of any secret in a text without escapes. Almost all texts contain none. */
  let anyPrefix: RegExp | undefined;
  const learn = (secret: string): void => {
    if (secret.length < MIN_SECRET || known.has(secret)) return;
    known.set(secret, formsOf(secret));
    const forms = [...known.values()].flat();
    anyPrefix = new RegExp(forms.map(({ barePrefix }) => barePrefix).join("|"), "u");
  };
  secrets.forEach(learn);
  return {
    learn,
    mask: (text) =>
      anyPrefix !== undefined && mayHold(text, anyPrefix)
        ? withoutSpans(
            text,
            [...known.values()].flat().flatMap((form) => spansOf(form, text)),
          )
        : text,
  };
}

/** One encoding of a secret. */
interface Form {
  /**
   * The patterns of its characters. Equal patterns share one object, because a secret may have thousands of
   * characters.
   */
  readonly units: readonly RegExp[];
  /** Finds its prefix. */
  readonly prefix: RegExp;
  /** The pattern of the same prefix in a text without escapes (`withoutEscapes`). */
  readonly barePrefix: string;
}

function formsOf(secret: string): readonly Form[] {
  const bare = secret.replaceAll(IGNORED, "");
  // Short secrets would match across words of a text without spaces.
  const between = bare.length < MIN_PREFIX ? "" : `${BETWEEN}*`;
  const patterns = [
    unitsOf(bare, (character) => character),
    ...base64Forms(secret).map((text) => unitsOf(text, base64Characters)),
    Array.from(Buffer.from(secret), (byte) => ({ pattern: hexPattern(byte), bare: hexPattern(byte) })),
  ];
  const compiled = new Map<string, RegExp>();
  const unitOf = (pattern: string): RegExp => {
    const unit = compiled.get(pattern) ?? new RegExp(`${between}${pattern}`, "uy");
    compiled.set(pattern, unit);
    return unit;
  };
  return patterns.map((units) => ({
    units: units.map(({ pattern }) => unitOf(pattern)),
    prefix: new RegExp(beginning(units, "pattern").join(between), "gu"),
    barePrefix: beginning(units, "bare").join(""),
  }));
}

interface Unit {
  readonly pattern: string;
  /** The pattern in a text without escapes. */
  readonly bare: string;
}

/** @param charactersOf returns the alternatives for a character of the text */
function unitsOf(text: string, charactersOf: (character: string) => string): readonly Unit[] {
  return Array.from(text, (character) => {
    const alternatives = Array.from(charactersOf(character));
    // Backslashes are also escapes.
    const bare = character === "\\" ? "" : anyOf(alternatives.map(literal));
    return { pattern: anyOf(alternatives.map(characterPattern)), bare };
  });
}

function anyOf(patterns: readonly string[]): string {
  return `(?:${patterns.join("|")})`;
}

function beginning(units: readonly Unit[], kind: keyof Unit): readonly string[] {
  return units.slice(0, MIN_PREFIX).map((unit) => unit[kind]);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Every occurrence of the form in the text, from its start to the first character that differs. */
function spansOf({ units, prefix }: Form, text: string): readonly Span[] {
  const spans: Span[] = [];
  prefix.lastIndex = 0;
  for (let found = prefix.exec(text); found !== null; found = prefix.exec(text)) {
    let to = found.index + found[0].length;
    for (const unit of units.slice(MIN_PREFIX)) {
      unit.lastIndex = to;
      const next = unit.exec(text);
      if (next === null) break;
      to += next[0].length;
    }
    spans.push({ from: found.index, to });
    prefix.lastIndex = to;
  }
  return spans;
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let result = "";
  let done = 0;
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from >= done) result += text.slice(done, from) + MASKED;
    done = Math.max(done, to);
  }
  return done === 0 ? text : result + text.slice(done);
}

/** Base64 of a text differs at each of three offsets; characters that depend on adjacent text are omitted. */
function base64Forms(secret: string): readonly string[] {
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(" ".repeat(offset) + secret).toString("base64");
    const end = encoded.replace(/=+$/, "").length;
    return encoded.slice(offset === 0 ? 0 : offset + 1, encoded.endsWith("=") ? end - 1 : end);
  });
  return forms.filter((form) => form.length >= MIN_PREFIX);
}

/**
 * Named character references of printable ASCII characters: https://html.spec.whatwg.org/#named-character-references
 */
const ENTITIES: Readonly<Partial<Record<string, readonly string[]>>> = {
  "!": ["excl"],
  '"': ["quot", "QUOT"],
  "#": ["num"],
  $: ["dollar"],
  "%": ["percnt"],
  "&": ["amp", "AMP"],
  "'": ["apos"],
  "(": ["lpar"],
  ")": ["rpar"],
  "*": ["ast", "midast"],
  "+": ["plus"],
  ",": ["comma"],
  ".": ["period"],
  "/": ["sol"],
  ":": ["colon"],
  ";": ["semi"],
  "<": ["lt", "LT"],
  "=": ["equals"],
  ">": ["gt", "GT"],
  "?": ["quest"],
  "@": ["commat"],
  "[": ["lsqb", "lbrack"],
  "\\": ["bsol"],
  "]": ["rsqb", "rbrack"],
  "^": ["Hat"],
  _: ["lowbar", "UnderBar"],
  "`": ["grave", "DiacriticalGrave"],
  "{": ["lcub", "lbrace"],
  "|": ["verbar", "vert", "VerticalLine"],
  "}": ["rcub", "rbrace"],
};

const UNSEEN = String.raw`[\s${INVISIBLE}]`;
const IGNORED = new RegExp(UNSEEN, "gu");

const NAMED_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ENTITIES).flatMap(([one, names = []]) => names.map((name) => [name, one] as const)),
  ...["nbsp", "ZeroWidthSpace", "shy"].map((name) => [name, " "] as const),
]);

/** JSON may contain both as `\u0026` and `\u0025`. */
const AMPERSAND = String.raw`(?:&|\\+u0026)(?:amp;)*`;
const PERCENT = String.raw`(?:%|\\+u0025)(?:25)*`;

/** Ignored characters between two characters of a secret, also escaped for JSON, HTML or URLs. */
const BETWEEN = `(?:${[
  UNSEEN,
  String.raw`\\+(?:[nrt]|u(?:000[9aAdD]|00[2aA]0|200[b-fB-F]|202[89]|2060|[fF][eE][fF][fF]))`,
  `${AMPERSAND}(?:nbsp|ZeroWidthSpace|shy|#0*(?:9|1[03]|32|160|173|820[3-7]|65279)|#[xX]0*(?:9|[aAdD]|20|[aA][0dD]|200[b-fB-F]|[fF][eE][fF][fF]));`,
  `${PERCENT}(?:0[9aAdD]|20|[cC]2${PERCENT}[aA][0dD]|[eE]2${PERCENT}80${PERCENT}8[b-fB-F])`,
].join("|")})`;

/** A character, plain or escaped: for URLs (also twice), for HTML, for JSON (also within a JSON text). */
function characterPattern(character: string): string {
  const percent = Array.from(Buffer.from(character), (byte) => `${PERCENT}${hexPattern(byte)}`).join("");
  const code = character.codePointAt(0) ?? 0;
  const hex = Array.from(code.toString(16), eitherCase).join("");
  const json =
    code > 0xffff ? [] : [String.raw`\\+u${Array.from(code.toString(16).padStart(4, "0"), eitherCase).join("")}`];
  const entities = [`#0*${code};?`, `#[xX]0*${hex};?`, ...(ENTITIES[character] ?? []).map((name) => `${name};`)];
  // Escapes come first: a secret may contain the character with which they start.
  const forms = [percent, ...json, `${AMPERSAND}(?:${entities.join("|")})`, String.raw`\\*${literal(character)}`];
  return `(?:${forms.join("|")})`;
}

/** The two alphabets of RFC 4648 differ in two characters. */
function base64Characters(character: string): string {
  if (character === "+") return "+-";
  return character === "/" ? "/_" : character;
}

const ANY_ESCAPE = /[%&\\]/;

/**
 * Whether a text without its escapes, white space and invisible characters may contain a secret. Fast for a text
 * without escapes.
 */
function mayHold(text: string, anyPrefix: RegExp): boolean {
  const holds = (decodedText: string): boolean => anyPrefix.test(decodedText.replaceAll(IGNORED, ""));
  if (!ANY_ESCAPE.test(text)) return holds(text);
  // JSON's escape of a line feed, or a backslash and a letter of the secret.
  return holds(withoutEscapes(text.replaceAll(/\\+[nrt]/g, ""))) || holds(withoutEscapes(text));
}

function withoutEscapes(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, hex: string) => fromCode(Number.parseInt(hex, 16)))
    .replaceAll(/&(?:amp;)*#0*(\d{1,7});?/gi, (_, code: string) => fromCode(Number(code)))
    .replaceAll(/&(?:amp;)*#x0*([0-9a-f]{1,6});?/gi, (_, hex: string) => fromCode(Number.parseInt(hex, 16)))
    .replaceAll(/&(?:amp;)*(\w+);/g, (reference, name: string) => NAMED_CHARACTERS.get(name) ?? reference)
    .replaceAll(/(?:%(?:25)*[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll(/%(?:25)*(?=[0-9a-f]{2})/gi, ""), "hex").toString(),
    )
    .replaceAll("\\", "");
}

function fromCode(code: number): string {
  return code > 0x10_ffff ? "" : String.fromCodePoint(code);
}

function hexPattern(byte: number): string {
  return Array.from(byte.toString(16).padStart(2, "0"), eitherCase).join("");
}

function eitherCase(digit: string): string {
  return /[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit;
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** Masks the known credentials in replies, before any caller reads them; for all requests except logins. */
export function maskingHttp(http: Http, { mask }: CredentialMask): Http {
  return async (request) => maskedReply(await http(request), mask);
}

function maskedReply(reply: HttpReply, mask: CredentialMask["mask"]): HttpReply {
  const whole = `${Object.values(reply.headers).join("\n")}\n${reply.body}`;
  if (mask(whole) === whole) return reply;
  const headers = Object.entries(reply.headers).map(([name, value]) => [name, mask(value)]);
  return { ...reply, headers: Object.fromEntries(headers), body: mask(reply.body) };
}
