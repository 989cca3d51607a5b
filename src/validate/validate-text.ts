import type { TextType } from "../contract/types/field-type.ts";
import { documentPathCheck } from "./document-paths.ts";
import { type Check, patternMismatch, type ProblemCollector } from "./problem-collector.ts";
import { matcherOf } from "../text/linear-pattern.ts";
import { isEmail, isUri, isUuid } from "./text-formats.ts";
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
  const matches = pattern && matcherOf(pattern);
  return (value, collector) => {
    if (typeof value !== "string" || !isUuid(value)) collector.add(value, NOT_UUID);
    else if (pattern !== undefined && matches?.(value) === false) collector.add(value, patternMismatch(pattern));
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
  const matches = pattern && matcherOf(pattern);
  return (kept, given, collector) => {
    if (format !== undefined && isRight?.(kept) === false) collector.add(given, { code: "invalid", expected: format });
    else if (pattern !== undefined && matches?.(kept) === false) collector.add(given, patternMismatch(pattern));
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
