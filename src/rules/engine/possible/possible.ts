/**
 * Whether something is possible in the current payload, based only on the fields that the payload has. False is
 * certain, but true is not. If the answer depends on the payload, it is a function, which is called for each payload.
 */
export type Possible = boolean | (() => boolean);

export function all(parts: readonly Possible[]): Possible {
  if (parts.includes(false)) return false;
  const open = parts.filter((part) => typeof part === "function");
  return open.length < 2 ? (open[0] ?? true) : () => open.every((part) => part());
}

export function any(parts: readonly Possible[]): Possible {
  if (parts.includes(true)) return true;
  const open = parts.filter((part) => typeof part === "function");
  return open.length < 2 ? (open[0] ?? false) : () => open.some((part) => part());
}

export function atLeast(count: number, parts: readonly Possible[]): Possible {
  const open = parts.filter((part) => typeof part === "function");
  const missing = count - parts.filter((part) => part === true).length;
  if (missing <= 0) return true;
  if (missing > open.length) return false;
  if (missing === 1) return any(open);
  return () => open.filter((part) => part()).length >= missing;
}
