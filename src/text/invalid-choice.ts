export interface InvalidChoice {
  readonly code: "invalid_choice";
  readonly choices: readonly string[];
  readonly found?: string;
}

/**
 * A code of the old system is no secret, and whoever translates it has to see it. What could be something of a person
 * is not shown: a text of more than 24 characters, with spaces or `@`, with more than four digits, or with small
 * letters where no choice has any.
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
