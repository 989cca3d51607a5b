/**
 * Whether a text is right for sure, by its bytes. The text has no white space around it; it may be empty. False where the
 * value's own check has to decide. The caller refuses bytes beyond ASCII and control characters.
 */
export type ByteCheck = (bytes: Buffer, from: number, to: number) => boolean;

/** Passes if all checks pass. */
export function allChecks(checks: readonly ByteCheck[]): ByteCheck {
  const [first, second, ...more] = checks;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  const others = allChecks([second, ...more]);
  return (bytes, from, to) => first(bytes, from, to) && others(bytes, from, to);
}
