const MOST_BYTES = 1024;

/** Why a document path is unsafe (specification 2.5: relative to the import supplier's root); undefined when it is safe. */
export function unsafePathReason(path: string): string | undefined {
  return CHECKS.find(([, isUnsafe]) => isUnsafe(path))?.[0];
}

const CHECKS: readonly (readonly [reason: string, isUnsafe: (path: string) => boolean])[] = [
  ["control_character", (path) => UNPRINTABLE.test(path)],
  ["scheme", (path) => /^[A-Za-z][A-Za-z0-9+.-]*:/.test(path)],
  ["backslash", (path) => path.includes("\\")],
  ["absolute", (path) => /^[/~]/.test(path)],
  ["encoded", (path) => /%[0-9A-Fa-f]{2}/.test(path)],
  ["parent_segment", (path) => segments(path).some((segment) => segment === "." || segment === "..")],
  ["empty_segment", (path) => segments(path).includes("")],
  ["trailing_dot_or_space", (path) => segments(path).some((segment) => /^\s|[.\s]$/.test(segment))],
  ["not_normalised", (path) => path.normalize("NFC") !== path],
  ["too_long", (path) => Buffer.byteLength(path) > MOST_BYTES],
];

/** Control characters, lone surrogates, line separators, and the marks that join, hide or turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

function segments(path: string): readonly string[] {
  return path.split("/");
}
