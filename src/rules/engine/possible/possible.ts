/**
 * Whether something is possible in the current payload, based only on the fields that the payload has. False is
 * certain, but true is not. If the answer depends on the payload, it is a function, which is called for each payload.
 */
export type Possible = boolean | (() => boolean);

export function all(parts: readonly Possible[]): Possible {
  const [first, second, ...others] = parts.filter((part) => part !== true);
  if (first === undefined) return true;
  if (parts.includes(false)) return false;
  if (second === undefined) return first;
  const [one, other] = [test(first), test(second)];
  if (others.length === 0) return () => one() && other();
  const rest = test(all(others));
  return () => one() && other() && rest();
}

export function any(parts: readonly Possible[]): Possible {
  const [first, second, ...others] = parts.filter((part) => part !== false);
  if (first === undefined) return false;
  if (parts.includes(true)) return true;
  if (second === undefined) return first;
  const [one, other] = [test(first), test(second)];
  if (others.length === 0) return () => one() || other();
  const rest = test(any(others));
  return () => one() || other() || rest();
}

export function atLeast(count: number, parts: readonly Possible[]): Possible {
  const open = parts.filter((part) => typeof part === "function");
  const missing = count - parts.filter((part) => part === true).length;
  if (missing <= 0) return true;
  if (missing > open.length) return false;
  if (missing === 1) return any(open);
  return () => open.filter((part) => part()).length >= missing;
}

function test(part: Possible): () => boolean {
  return typeof part === "function" ? part : () => part;
}
