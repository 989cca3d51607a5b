export interface InvalidChoice {
  readonly code: "invalid_choice";
  readonly choices: readonly string[];
  readonly found?: string;
}

/**
 * Returns the finding for a value that is not one of the choices. Includes the value only if it looks like a code from
 * the legacy system. Such a code is not confidential, and the user needs it for a mapping. Omits text that could be
 * personal data: more than 24 characters, more than four digits, characters other than ASCII letters, digits and
 * `_./+:-`, or lower-case letters if no choice has any.
 */
export function invalidChoice(value: unknown, choices: readonly string[]): InvalidChoice {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !looksLikeCode(text, choices)) return { code: "invalid_choice", choices };
  return { code: "invalid_choice", choices, found: text };
}

function looksLikeCode(text: string, choices: readonly string[]): boolean {
  if (!/^[A-Za-z0-9_./+:-]{1,24}$/.test(text) || text.replaceAll(/\D/g, "").length > 4) return false;
  return !/[a-z]/.test(text) || choices.some((choice) => /[a-z]/.test(choice));
}
