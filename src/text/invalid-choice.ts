export interface InvalidChoice {
  readonly code: "invalid_choice";
  readonly choices: readonly string[];
  readonly found?: string;
}

/**
 * A code of the legacy system is not confidential, and the user who maps it must see it. Text that could be
 * personal data is not shown: more than 24 characters, spaces or `@`, more than four digits, or lower-case letters if
 * no choice has any.
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
