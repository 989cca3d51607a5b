import type { Context, Next } from "hono";

/** Limits the page to its own script and style sheet, and to requests to its own origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": POLICY,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** Adds the security headers to every reply, including errors. */
export async function addSecurityHeaders(context: Context, next: Next): Promise<void> {
  await next();
  for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
}
