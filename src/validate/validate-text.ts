import type { TextType } from "../contract/types/field-type.ts";
import { documentPathCheck } from "./document-paths.ts";
import { type Check, patternMismatch, type ProblemCollector } from "./problem-collector.ts";
import { countCharacters, isPlain, strip } from "./unicode-text.ts";

/** Looks at the text as the platform will keep it; problems carry the value as it was given. */
type TextCheck = (kept: string, given: string, collector: ProblemCollector) => void;

/**
 * Text is judged without the white space around it, which the platform takes off. A number is taken too, but changed
 * into text: a warning. `documentRoot`: see ValidatorOptions.
 */
export function textCheck(type: TextType, documentRoot: string | undefined): Check {
  if (type.format === "uuid") return uuidCheck(type);
  const possible = [
    lengthCheck(type),
    characterCheck,
    formCheck(type),
    type.documentPath ? documentPathTextCheck(type.documentPath === "key" ? undefined : documentRoot) : undefined,
  ];
  const checks = possible.filter((check) => check !== undefined);
  return (value, collector) => {
    if (typeof value !== "string" && typeof value !== "number") return collector.add(value, NOT_TEXT);
    if (typeof value === "number") collector.add(value, NUMBER_TO_TEXT, { severity: "warning" });
    const given = String(value);
    const kept = strip(given);
    if (kept !== "") for (const check of checks) check(kept, given, collector);
    else if (!type.allowBlank) collector.add(value, { code: "blank" });
  };
}

const NOT_TEXT = { code: "invalid", expected: "string" } as const;
const NOT_UUID = { code: "invalid", expected: "uuid" } as const;
const NUMBER_TO_TEXT = { code: "coerced", from: "number", to: "string" } as const;

/** The platform's UUID is no text: it is never blank, and nothing is taken off. */
function uuidCheck({ pattern }: TextType): Check {
  return (value, collector) => {
    if (typeof value !== "string" || !isUuid(value)) collector.add(value, NOT_UUID);
    else if (pattern?.test(value) === false) collector.add(value, patternMismatch(pattern));
  };
}

/** Lengths are counted in characters; there are never more of them than code units, nor fewer than half as many. */
function lengthCheck({ maxLength = Infinity, minLength = 0 }: TextType): TextCheck {
  return (kept, given, collector) => {
    if (kept.length > maxLength && countCharacters(kept) > maxLength) {
      collector.add(given, { code: "max_length", limit: maxLength, unit: "characters" });
    }
    if (kept.length < 2 * minLength && countCharacters(kept) < minLength) {
      collector.add(given, { code: "min_length", limit: minLength, unit: "characters" });
    }
  };
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function characterCheck(kept: string, given: string, collector: ProblemCollector): void {
  if (isPlain(kept)) return;
  if (kept.includes("\0")) collector.add(given, { code: "null_characters_not_allowed" });
  if (LONE_SURROGATE.test(kept)) collector.add(given, { code: "surrogate_characters_not_allowed" });
}

const FORMAT_CHECKS = { email: isEmail, uri: isUri, uuid: isUuid };

function formCheck({ format, pattern }: TextType): TextCheck | undefined {
  if (format === undefined && pattern === undefined) return undefined;
  const isRight = format && FORMAT_CHECKS[format];
  return (kept, given, collector) => {
    if (format !== undefined && isRight?.(kept) === false) collector.add(given, { code: "invalid", expected: format });
    else if (pattern?.test(kept) === false) collector.add(given, patternMismatch(pattern));
  };
}

/** A path is judged as given: white space taken off would make it another path. */
function documentPathTextCheck(root: string | undefined): TextCheck {
  const reasonAgainst = documentPathCheck(root);
  return (_kept, given, collector) => {
    const reason = reasonAgainst(given);
    if (reason !== undefined) collector.add(given, { code: "unsafe_document_path", reason });
  };
}

/**
 * The platform's e-mail rule (Django's EmailValidator): a dot-atom or a quoted string, then a host name with a dot in
 * it, `localhost`, or an address literal in brackets. At most 320 characters. No look-up of any kind.
 */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > MAX_EMAIL_LENGTH) return false;
  return EMAIL_USER.test(text.slice(0, at)) && isMailHost(text.slice(at + 1));
}

/** An absolute URI (RFC 3986): a scheme, then no white space and nothing that has to be escaped. */
function isUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}

/** 8-4-4-4-12 hexadecimal digits, of any version. */
function isUuid(text: string): boolean {
  return UUID.test(text);
}

const MAX_EMAIL_LENGTH = 320;
const EMAIL_USER =
  /^(?:[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(?:\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*|"(?:[^"\\\0\t\n\r\u0080-\uffff]|\\[^\0\n\f\r\u0080-\uffff])*")$/i;
const PLAIN_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
const HOST_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
const TOP_LEVEL_LABEL = /^(?!-)[\p{L}\p{N}-]{2,63}(?<!-)$/u;
const URI = /^[a-z][a-z0-9+.-]*:(?:%[0-9a-f]{2}|[\w.~:/?#[\]@!$&'()*+,;=-])+$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function isMailHost(host: string): boolean {
  if (PLAIN_HOST.test(host)) return true;
  if (host.toLowerCase() === "localhost") return true;
  if (host.startsWith("[") && host.endsWith("]")) return isAddress(host.slice(1, -1));
  const labels = host.split(".");
  const last = labels.pop() ?? "";
  return labels.length > 0 && labels.every((label) => HOST_LABEL.test(label)) && TOP_LEVEL_LABEL.test(last);
}

/** `127.0.0.1` or `IPv6:::1`; the second goes through the URL parser, which knows the compressed forms. */
function isAddress(text: string): boolean {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return text.split(".").every((part) => Number(part) <= 255);
  const six = /^(?:IPv6:)?([0-9a-f:.]+)$/i.exec(text)?.[1];
  return six !== undefined && six.includes(":") && URL.canParse(`http://[${six}]/`);
}
