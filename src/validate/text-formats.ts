/**
 * Whether the text satisfies the platform's e-mail rule (Django's EmailValidator): a dot-atom or a quoted string, then
 * a host name with a dot, `localhost`, or an address literal in brackets. At most 320 characters. The host is not
 * looked up.
 */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > MAX_EMAIL_LENGTH) return false;
  return EMAIL_USER.test(text.slice(0, at)) && isMailHost(text.slice(at + 1));
}

/**
 * Whether the text is an absolute URI (RFC 3986): a scheme, followed by text without whitespace or characters that
 * must be escaped.
 */
export function isUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}

/** Whether the text is a UUID of any version: 8-4-4-4-12 hexadecimal digits. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const MAX_EMAIL_LENGTH = 320;
const EMAIL_USER =
  /^(?:[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(?:\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*|"(?:[^"\\\0\t\n\r\u0080-\uffff]|\\[^\0\n\f\r\u0080-\uffff])*")$/i;
const PLAIN_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;
const HOST_LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?$/u;
const TOP_LEVEL_LABEL = /^(?!-)[\p{L}\p{N}-]{2,63}(?<!-)$/u;
const URI = /^[a-z][a-z0-9+.-]*:(?:%[0-9a-f]{2}|[\w.~:/?#[\]@!$&'()*+,;=-])+$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

function isMailHost(host: string): boolean {
  if (PLAIN_HOST.test(host)) return true;
  if (host.toLowerCase() === "localhost") return true;
  if (host.startsWith("[") && host.endsWith("]")) return isAddress(host.slice(1, -1));
  const labels = host.split(".");
  const last = labels.pop() ?? "";
  return labels.length > 0 && labels.every((label) => HOST_LABEL.test(label)) && TOP_LEVEL_LABEL.test(last);
}

/**
 * Whether the text is an IP address: `127.0.0.1` or `IPv6:::1`. The URL parser checks IPv6 addresses, because it
 * supports their compressed forms.
 */
function isAddress(text: string): boolean {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return text.split(".").every((part) => Number(part) <= 255);
  const six = /^(?:IPv6:)?([0-9a-f:.]+)$/i.exec(text)?.[1];
  return six !== undefined && six.includes(":") && URL.canParse(`http://[${six}]/`);
}
