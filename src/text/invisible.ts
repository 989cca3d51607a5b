/**
 * Characters that a screen renders as nothing or as a space, for a character class of a regular expression with the
 * flag `u`: format characters (zero width, writing direction), separators, and blank letters and symbols.
 */
export const INVISIBLE: string = String.raw`\p{Cf}\p{Z}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0`;

/** The same without spaces: characters that must be escaped before display, in addition to control characters. */
export const DECEPTIVE: string = String.raw`\p{Cf}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0`;
