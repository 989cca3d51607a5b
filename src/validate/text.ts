import type { TextType } from "../contract/field-type.ts";
import { documentPathCheck } from "./document-path.ts";
import type { Check, Found } from "./found.ts";
import { wrongForm } from "./wrong-form.ts";
import { isEmail, isUri, isUuid } from "./text-format.ts";
import { countCharacters, isPlain, strip } from "./unicode-text.ts";

/** Looks at the text as the platform will keep it; problems carry the value as it was given. */
type TextCheck = (kept: string, given: string, found: Found) => void;

/**
 * Text is judged without the white space around it, which the platform takes off. A number is taken too, but changed
 * into text: a warning. `documentRoot`: see ValidatorOptions.
 */
export function textCheck(type: TextType, documentRoot: string | undefined): Check {
  if (type.format === "uuid") return uuidCheck(type);
  const possible = [lengths(type), characters, form(type), type.documentPath ? documentPath(documentRoot) : undefined];
  const checks = possible.filter((check) => check !== undefined);
  return (value, found) => {
    if (typeof value !== "string" && typeof value !== "number") return found.add(value, NOT_TEXT);
    if (typeof value === "number") found.add(value, COERCED, { severity: "warning" });
    const given = String(value);
    const kept = strip(given);
    if (kept !== "") for (const check of checks) check(kept, given, found);
    else if (!type.allowBlank) found.add(value, { code: "blank" });
  };
}

const NOT_TEXT = { code: "invalid", expected: "string" } as const;
const NOT_UUID = { code: "invalid", expected: "uuid" } as const;
const COERCED = { code: "coerced", from: "number", to: "string" } as const;

/** The platform's UUID is no text: it is never blank, and nothing is taken off. */
function uuidCheck({ pattern }: TextType): Check {
  return (value, found) => {
    if (typeof value !== "string" || !isUuid(value)) found.add(value, NOT_UUID);
    else if (pattern?.test(value) === false) found.add(value, wrongForm(pattern));
  };
}

/** Lengths are counted in characters; there are never more of them than code units, nor fewer than half as many. */
function lengths({ maxLength = Infinity, minLength = 0 }: TextType): TextCheck {
  return (kept, given, found) => {
    if (kept.length > maxLength && countCharacters(kept) > maxLength) {
      found.add(given, { code: "max_length", limit: maxLength, unit: "characters" });
    }
    if (kept.length < 2 * minLength && countCharacters(kept) < minLength) {
      found.add(given, { code: "min_length", limit: minLength, unit: "characters" });
    }
  };
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function characters(kept: string, given: string, found: Found): void {
  if (isPlain(kept)) return;
  if (kept.includes("\0")) found.add(given, { code: "null_characters_not_allowed" });
  if (LONE_SURROGATE.test(kept)) found.add(given, { code: "surrogate_characters_not_allowed" });
}

const FORMATS = { email: isEmail, uri: isUri, uuid: isUuid };

function form({ format, pattern }: TextType): TextCheck | undefined {
  if (format === undefined && pattern === undefined) return undefined;
  const isRight = format && FORMATS[format];
  return (kept, given, found) => {
    if (format !== undefined && isRight?.(kept) === false) found.add(given, { code: "invalid", expected: format });
    else if (pattern?.test(kept) === false) found.add(given, wrongForm(pattern));
  };
}

/** A path is judged as given: white space taken off would make it another path. */
function documentPath(root: string | undefined): TextCheck {
  const reasonAgainst = documentPathCheck(root);
  return (_kept, given, found) => {
    const reason = reasonAgainst(given);
    if (reason !== undefined) found.add(given, { code: "unsafe_document_path", reason });
  };
}
