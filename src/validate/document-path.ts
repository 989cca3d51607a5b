import type { UnsafePathReason } from "../model/problem.ts";

/** The longest key of an object in a store, in bytes of UTF-8. */
const LONGEST_BYTES = 1024;

/**
 * Compiles the judgement of document paths (specification 2.5): relative to the supplier's root location, and safe in
 * whatever store lies behind it. Gives the first reason against a path. `root`, where known, must not be repeated in
 * the path, and counts towards the length of the stored location.
 */
export function documentPathCheck(root: string | undefined): (path: string) => UnsafePathReason | undefined {
  const bare = bareRoot(root);
  const rootBytes = bare === "" ? 0 : bytesOf(bare) + 1;
  return (path) => {
    if (path.length > LONGEST_BYTES || rootBytes + bytesOf(path) > LONGEST_BYTES) return "too_long";
    const reason = REASONS.find(([, pattern]) => pattern.test(path))?.[0];
    if (reason !== undefined) return reason;
    if (path.normalize("NFC") !== path) return "not_normalised";
    if (PARENT_SEGMENT.test(path.normalize("NFKC"))) return "parent_segment";
    return bare !== "" && `${path}/`.startsWith(`${bare}/`) ? "repeats_root" : undefined;
  };
}

/** A root location without the slashes around it; empty where there is none. */
export function bareRoot(root: string | undefined): string {
  return (root ?? "").replace(/^\/+/, "").replace(/\/+$/, "");
}

/**
 * Also where a query or a fragment would begin if the path were put into an address as it is, and in the compatibility
 * form of a path, in which full-width dots and their like are plain ones.
 */
const PARENT_SEGMENT = /(?:^|[/\\])\.\.?(?:[/\\?#]|$)/;

/**
 * In order of what helps most to hear first.
 * Encoded characters (`%2e`, `%252e`, `%c0%ae`): a path is taken literally by the store, but decoded on the way to it.
 * Control characters include line separators and the marks that turn the direction of text, which hide what is read.
 */
const REASONS: readonly (readonly [UnsafePathReason, RegExp])[] = [
  ["control_character", /[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u],
  ["absolute", /^(?:[/~]|\\\\)/],
  ["scheme", /^[a-z][a-z0-9+.-]*:/i],
  ["backslash", /\\/],
  ["encoded", /%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i],
  ["parent_segment", PARENT_SEGMENT],
  ["empty_segment", /\/\/|\/$/],
  ["trailing_dot_or_space", /[.\s](?:\/|$)|^\s/u],
];

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
