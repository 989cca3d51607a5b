/**
 * Characters that a screen shows as nothing or as a space, for a character class of a regular expression with the flag
 * `u`: format characters (zero width, direction of writing), separators, and the letters and signs without a shape.
 */
export const INVISIBLE: string = String.raw`\p{Cf}\p{Z}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0`;

/** The same without spaces: what must not reach a screen as it is, in addition to control characters. */
export const DECEPTIVE: string = String.raw`\p{Cf}\p{Zl}\p{Zp}\u034F\u115F\u1160\u17B4\u17B5\u2800\u3164\uFFA0`;
