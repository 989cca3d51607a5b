import type { Http, HttpReply } from "./http.ts";

/** The credentials of a run, which must not be shown or stored wherever a server repeats them. */
export interface CredentialMask {
  /** From here on this is masked. */
  readonly learn: (secret: string) => void;
  /** The text without what is known: whole or from 8 characters of its beginning on, plain, percent-encoded, in base64 or hexadecimal. */
  readonly mask: (text: string) => string;
}

const MASKED = "[masked]";

/** So many characters of a secret's beginning are masked; a shorter secret only as a whole. */
const MIN_PREFIX = 8;
/** Anything shorter is not masked: it would be found in words and numbers that have nothing to do with it. */
const MIN_SECRET = 4;

export function createCredentialMask(secrets: readonly string[] = []): CredentialMask {
  const known = new Map<string, readonly Form[]>();
  /** Finds the beginning of any of them: next to all texts hold none. */
  let anyPrefix: RegExp | undefined;
  const learn = (secret: string): void => {
    if (secret.length < MIN_SECRET || known.has(secret)) return;
    known.set(secret, formsOf(secret));
    anyPrefix = new RegExp([...known.values()].flatMap((forms) => forms.map(({ prefix }) => prefix.source)).join("|"));
  };
  secrets.forEach(learn);
  return {
    learn,
    mask: (text) =>
      anyPrefix?.test(text) === true
        ? withoutSpans(
            text,
            [...known.values()].flat().flatMap((form) => spansOf(form, text)),
          )
        : text,
  };
}

/** One way in which a secret can be written. */
interface Form {
  /** The patterns of its characters. */
  readonly units: readonly RegExp[];
  /** Finds its beginning. */
  readonly prefix: RegExp;
}

function formsOf(secret: string): readonly Form[] {
  const patterns = [
    Array.from(secret, percentPattern),
    ...base64Forms(secret).map((text) => Array.from(text, base64Pattern)),
    Array.from(Buffer.from(secret), hexPattern),
  ];
  return patterns.map((units) => ({
    units: units.map((unit) => new RegExp(unit, "y")),
    prefix: new RegExp(units.slice(0, MIN_PREFIX).join(""), "g"),
  }));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where the form stands in the text, from its beginning to where the text goes on in another way. */
function spansOf({ units, prefix }: Form, text: string): readonly Span[] {
  return Array.from(text.matchAll(prefix), ({ index, 0: found }) => {
    let to = index + found.length;
    for (const unit of units.slice(MIN_PREFIX)) {
      unit.lastIndex = to;
      const next = unit.exec(text);
      if (next === null) break;
      to += next[0].length;
    }
    return { from: index, to };
  });
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

/** In base64 a text looks different at each of three offsets; the characters that depend on its neighbours are left out. */
function base64Forms(secret: string): readonly string[] {
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(" ".repeat(offset) + secret).toString("base64");
    const end = encoded.replace(/=+$/, "").length;
    return encoded.slice(offset === 0 ? 0 : offset + 1, encoded.endsWith("=") ? end - 1 : end);
  });
  return forms.filter((form) => form.length >= MIN_PREFIX);
}

/** A character as it is, or percent-encoded. */
function percentPattern(character: string): string {
  const encoded = Array.from(Buffer.from(character), (byte) => `%${hexPattern(byte)}`).join("");
  return `(?:${literal(character)}|${encoded})`;
}

/** The two alphabets of RFC 4648 differ in two characters; in addresses some are percent-encoded. */
function base64Pattern(character: string): string {
  if (character === "+") return "(?:[+-]|%2[Bb])";
  return character === "/" ? "(?:[/_]|%2[Ff])" : character;
}

function hexPattern(byte: number): string {
  const digits = byte.toString(16).padStart(2, "0");
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Replies without the credentials that the mask knows, whatever reads them; for everything but logins. */
export function maskingHttp(http: Http, { mask }: CredentialMask): Http {
  return async (request) => maskedReply(await http(request), mask);
}

function maskedReply(reply: HttpReply, mask: CredentialMask["mask"]): HttpReply {
  const body = plainJson(reply.body);
  const whole = `${Object.values(reply.headers).join("\n")}\n${body}`;
  if (mask(whole) === whole) return reply;
  const headers = Object.entries(reply.headers).map(([name, value]) => [name, mask(value)]);
  return { ...reply, headers: Object.fromEntries(headers), body: mask(body) };
}

/** JSON may escape any character, so that a secret would not be recognised: printable ones are written as they are. */
function plainJson(body: string): string {
  if (!body.includes("\\u00") && !body.includes("\\/")) return body;
  return body.replaceAll(/\\(?:u00([2-7][0-9a-f])|\/|[\s\S])/gi, (escape, code: string | undefined) => {
    if (escape === "\\/") return "/";
    const character = code === undefined ? "" : String.fromCharCode(Number.parseInt(code, 16));
    return /^[ !#-[\]-~]$/.test(character) ? character : escape;
  });
}
