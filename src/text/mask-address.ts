/**
 * Masks the credentials that an address may contain: all text before the last `@`, because a password may contain `@`,
 * `/` and `?`, and the query and the fragment. The address need not be a valid URL.
 */
export function maskAddress(address: string): string {
  const [scheme = ""] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(address) ?? [];
  const rest = address.slice(scheme.length);
  const end = rest.lastIndexOf("@");
  const shown = end < 0 ? rest : `***${rest.slice(end)}`;
  return scheme + shown.replace(/[?#].*$/s, (query) => `${query.charAt(0)}***`);
}
