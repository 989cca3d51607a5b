/**
 * A `Retry-After` header as milliseconds from now: whole seconds or an HTTP date (RFC 9110, 10.2.3). Undefined when
 * it is absent or makes no sense; a date gone by means at once.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
