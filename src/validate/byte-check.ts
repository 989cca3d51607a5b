/**
 * Whether the bytes prove that a string is valid. The string has no surrounding whitespace and may be empty. If false,
 * the caller must check the decoded value. Callers pass only ASCII text without control characters.
 */
export type ByteCheck = (bytes: Buffer, from: number, to: number) => boolean;

export function allChecks(checks: readonly ByteCheck[]): ByteCheck {
  const [first, second, ...more] = checks;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  const others = allChecks([second, ...more]);
  return (bytes, from, to) => first(bytes, from, to) && others(bytes, from, to);
}
