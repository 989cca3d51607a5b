import { type DecodedText, placedReadingsOf, readingsOf } from "../text/escapes.ts";
import type { Http, HttpReply } from "./http.ts";

/** Masks the credentials of a run. Credentials must not be shown or stored, even if a server echoes them. */
export interface CredentialMask {
  /** Adds a secret to mask. */
  readonly learn: (secret: string) => void;
  /**
   * Masks the known secrets in the text, and their prefixes of at least 8 characters. Also finds secrets in base64 and
   * hexadecimal, with characters escaped (even repeatedly) for HTML, JSON or URLs, and with whitespace or invisible
   * characters between them. Takes time linear in the length of the text.
   */
  readonly mask: (text: string) => string;
}

const MASKED = "[masked]";

/** Minimum length of a prefix that is masked; a shorter secret is masked only as a whole. */
const MIN_PREFIX = 8;
/** Shorter secrets are not masked, because they would match unrelated words and numbers. */
const MIN_SECRET = 4;

export function createCredentialMask(secrets: readonly string[] = []): CredentialMask {
  const known = new Map<string, readonly Form[]>();
  /** Finds the beginning of any secret in one search, because most text contains no secret. */
  let anyPrefix: RegExp | undefined;
  const learn = (secret: string): void => {
    if (secret.length < MIN_SECRET || known.has(secret)) return;
    known.set(secret, formsOf(secret));
    const prefixes = [...known.values()].flat().map(({ prefix }) => literal(prefix));
    anyPrefix = new RegExp([...new Set(prefixes)].join("|"), "u");
  };
  secrets.forEach(learn);
  return {
    learn,
    mask: (text) =>
      anyPrefix !== undefined && canContain(text, anyPrefix)
        ? withoutSpans(text, spansOf([...known.values()].flat(), text))
        : text,
  };
}

function canContain(text: string, anyPrefix: RegExp): boolean {
  for (const reading of readingsOf(text)) if (anyPrefix.test(reading)) return true;
  return false;
}

/** One way in which a secret can be written, without whitespace. */
interface Form {
  readonly text: string;
  readonly prefix: string;
  /**
   * A short secret, unchanged. Its characters must be adjacent; otherwise, the secret would also match characters from
   * several words.
   */
  readonly short?: string;
}

/**
 * Returns the forms of a secret to search for. If the secret appears to contain escapes, returns both the escaped and
 * the unescaped form.
 */
function formsOf(secret: string): readonly Form[] {
  const [bare = "", ...decoded] = readingsOf(secret);
  const hexadecimal = Buffer.from(secret).toString("hex");
  const texts = [
    ...decoded.filter(({ length }) => length >= MIN_PREFIX),
    hexadecimal,
    hexadecimal.toUpperCase(),
    ...base64Forms(secret).flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]),
  ];
  const prefixOf = (text: string): string => text.slice(0, MIN_PREFIX);
  const own = { text: bare, prefix: prefixOf(bare), ...(bare.length < MIN_PREFIX && { short: secret }) };
  return [own, ...Array.from(new Set(texts), (text) => ({ text, prefix: prefixOf(text) }))];
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function spansOf(forms: readonly Form[], text: string): readonly Span[] {
  const readings = [...placedReadingsOf(text)];
  return readings.flatMap((reading) => forms.flatMap((form) => [...spansIn(reading, form, text)]));
}

/** Yields the places at which the form or its prefix occurs, each up to the first character that differs. */
function* spansIn({ text, from, to }: DecodedText, form: Form, original: string): Generator<Span> {
  for (let start = text.indexOf(form.prefix); start !== -1;) {
    let end = start + form.prefix.length;
    while (end - start < form.text.length && text[end] === form.text[end - start]) end++;
    const span = { from: from[start] ?? 0, to: to[end - 1] ?? 0 };
    const hasGap = to.slice(start, end - 1).some((unitEnd, at) => (from[start + at + 1] ?? 0) > unitEnd);
    if (form.short === undefined || !hasGap || original.slice(span.from, span.to) === form.short) yield span;
    start = text.indexOf(form.prefix, end);
  }
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

/**
 * Returns the forms of a secret in base64, one for each of the three possible offsets. Omits characters that depend on
 * adjacent text, and forms that are too short.
 */
function base64Forms(secret: string): readonly string[] {
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(" ".repeat(offset) + secret).toString("base64");
    const end = encoded.replace(/=+$/, "").length;
    return encoded.slice(offset === 0 ? 0 : offset + 1, encoded.endsWith("=") ? end - 1 : end);
  });
  return forms.filter((form) => form.length >= MIN_PREFIX);
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/**
 * Returns an `Http` that masks the known credentials in replies, before any caller reads them. Use it for all requests
 * except logins.
 */
export function maskingHttp(http: Http, { mask }: CredentialMask): Http {
  return async (request) => maskedReply(await http(request), mask);
}

function maskedReply(reply: HttpReply, mask: CredentialMask["mask"]): HttpReply {
  const whole = `${Object.values(reply.headers).join("\n")}\n${reply.body}`;
  if (mask(whole) === whole) return reply;
  const headers = Object.entries(reply.headers).map(([name, value]) => [name, mask(value)]);
  return { ...reply, headers: Object.fromEntries(headers), body: mask(reply.body) };
}
