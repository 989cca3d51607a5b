import type { TextType } from "../contract/types/field-type.ts";
import { allChecks, type ByteCheck } from "./byte-check.ts";
import { documentPathCheck } from "./document-paths.ts";
import { type Check, patternMismatch, type ProblemCollector, reportTrimmed } from "./problem-collector.ts";
import { type LinearPattern, matcherOf } from "../text/linear-pattern.ts";
import { isEmail, isUri, isUuid } from "./text-formats.ts";
import { countCharacters, isPlain, strip } from "../text/unicode-text.ts";
import { countMatches, matchCost } from "./work-limit.ts";

/** Checks the text as the platform stores it; problems contain the original value. */
type TextCheck = (kept: string, given: string, collector: ProblemCollector) => void;

/**
 * A rule for strings that are not blank. It is defined once for the value check and the byte check, so that the two
 * checks cannot disagree. A rule without `ofBytes` leaves every cell of its type to the value check.
 */
interface TextRule {
  readonly ofText: TextCheck;
  /** The same rule for ASCII bytes. `never`: no such text violates it. */
  readonly ofBytes?: ByteCheck | "never";
}

/** @param documentRoot root location of the supplier's documents (`ValidatorOptions`) */
function textRules(type: TextType, documentRoot?: string): readonly TextRule[] {
  const possible = [
    type.documentPath ? undefined : TRIM_RULE,
    lengthRule(type),
    CHARACTER_RULE,
    formRule(type),
    type.documentPath ? documentPathRule(type.documentPath === "key" ? undefined : documentRoot) : undefined,
  ];
  return possible.filter((rule) => rule !== undefined);
}

/**
 * Checks text without its surrounding whitespace, which the platform trims. Warns about trimmed whitespace, and about
 * a number, which the platform converts to text.
 * @param documentRoot root location of the supplier's documents (`ValidatorOptions`)
 */
export function textCheck(type: TextType, documentRoot: string | undefined): Check {
  if (type.format === "uuid") return uuidCheck(type);
  const checks = textRules(type, documentRoot).map(({ ofText }) => ofText);
  return (value, collector) => {
    if (typeof value !== "string" && typeof value !== "number") return collector.add(value, NOT_TEXT);
    if (typeof value === "number") collector.add(value, NUMBER_TO_TEXT, { severity: "warning" });
    const given = String(value);
    const kept = strip(given);
    if (kept !== "") for (const check of checks) check(kept, given, collector);
    else if (!type.allowBlank) collector.add(value, { code: "blank" });
    else reportTrimmed(kept, given, collector);
  };
}

/** Returns the check of a string's bytes, or undefined if bytes alone are not sufficient. */
export function textByteCheck(type: TextType): ByteCheck | undefined {
  if (type.format === "uuid") return undefined;
  const checks = textRules(type).map(({ ofBytes }) => ofBytes);
  if (checks.includes(undefined)) return undefined;
  const isRight = allChecks(checks.filter((check) => typeof check === "function"));
  const { allowBlank } = type;
  return (bytes, from, to) => (from === to ? allowBlank : isRight(bytes, from, to));
}

const NOT_TEXT = { code: "invalid", expected: "string" } as const;
const NOT_UUID = { code: "invalid", expected: "uuid" } as const;
const NUMBER_TO_TEXT = { code: "coerced", from: "number", to: "string" } as const;

/** Checks a UUID. On the platform, a UUID is not text: it is never blank, and nothing is trimmed. */
function uuidCheck(type: TextType): Check {
  const checkPattern = type.pattern && patternCheck(type.pattern);
  const length = lengthRule(type);
  return (value, collector) => {
    if (typeof value !== "string" || !isUuid(value)) return collector.add(value, NOT_UUID);
    length.ofText(value, value, collector);
    checkPattern?.(value, value, collector);
  };
}

/**
 * Warns about whitespace that the platform trims. Byte checks receive no surrounding whitespace. The rule does not
 * apply to document paths, which are checked untrimmed.
 */
const TRIM_RULE: TextRule = { ofText: reportTrimmed, ofBytes: "never" };

/**
 * Returns the rule for lengths in characters. Compares the number of code units first, because a string has at most
 * that many characters, and at least half that many.
 */
function lengthRule({ maxLength = Infinity, minLength = 0 }: TextType): TextRule {
  return {
    ofText: (kept, given, collector) => {
      if (kept.length > maxLength && countCharacters(kept) > maxLength) {
        collector.add(given, { code: "max_length", limit: maxLength, unit: "characters" });
      }
      if (kept.length < 2 * minLength && countCharacters(kept) < minLength) {
        collector.add(given, { code: "min_length", limit: minLength, unit: "characters" });
      }
    },
    ofBytes: (_bytes, from, to) => to - from >= minLength && to - from <= maxLength,
  };
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function characterCheck(kept: string, given: string, collector: ProblemCollector): void {
  if (isPlain(kept)) return;
  if (kept.includes("\0")) collector.add(given, { code: "null_characters_not_allowed" });
  if (LONE_SURROGATE.test(kept)) collector.add(given, { code: "surrogate_characters_not_allowed" });
}

const CHARACTER_RULE: TextRule = { ofText: characterCheck, ofBytes: "never" };

const FORMAT_CHECKS = { email: isEmail, uri: isUri, uuid: isUuid };

function formRule({ format, pattern }: TextType): TextRule | undefined {
  const checkPattern = pattern && patternCheck(pattern);
  if (format !== undefined) {
    const isRight = FORMAT_CHECKS[format];
    return {
      ofText: (kept, given, collector) => {
        if (!isRight(kept)) collector.add(given, { code: "invalid", expected: format });
        else checkPattern?.(kept, given, collector);
      },
    };
  }
  if (pattern === undefined || checkPattern === undefined) return undefined;
  const matches = matcherOf(pattern);
  return { ofText: checkPattern, ofBytes: (bytes, from, to) => matches(bytes.toString("latin1", from, to)) };
}

function patternCheck(pattern: LinearPattern): TextCheck {
  const matches = matcherOf(pattern);
  const cost = matchCost(pattern);
  return (kept, given, collector) => {
    countMatches(collector.work, kept, cost);
    if (!matches(kept)) collector.add(given, patternMismatch(pattern));
  };
}

/** Returns the rule for document paths. A path is checked untrimmed, because trimming would change it. */
function documentPathRule(root: string | undefined): TextRule {
  const reasonAgainst = documentPathCheck(root);
  return {
    ofText: (_kept, given, collector) => {
      const reason = reasonAgainst(given);
      if (reason !== undefined) collector.add(given, { code: "unsafe_document_path", reason });
    },
  };
}
