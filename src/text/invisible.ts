/** Blank letters and signs, and default-ignorable characters: fillers, joiners, variation selectors, tags. */
const SHAPELESS = String.raw`\p{Default_Ignorable_Code_Point}\u2800\u{16FE4}\u{1D159}`;

/**
 * Characters that a screen renders as nothing or as a space: format characters (zero width, writing direction),
 * separators, and blank letters and symbols. For a character class of a regular expression with the flag `u`.
 */
export const INVISIBLE: string = String.raw`\p{Cf}\p{Z}${SHAPELESS}`;

/**
 * The characters of `INVISIBLE` except spaces. Like control characters, these characters must not reach a screen
 * unescaped.
 */
export const DECEPTIVE: string = String.raw`\p{Cf}\p{Zl}\p{Zp}${SHAPELESS}`;
