import { readFileSync } from "node:fs";
import path from "node:path";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import { errorCode } from "../../../files/error-code.ts";
import { Failure } from "../../../model/failure.ts";
import type { Parameters } from "./postgres-url.ts";

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof SSL_MODES)[number];

/** TLS with these options, or no TLS (`false`). */
export type TlsChoice = ConnectionOptions | false;

/**
 * Returns the ways to connect to a host, in the order in which to try them, following libpq's `sslmode` (PostgreSQL
 * manual, "SSL Support"). A Unix socket uses no TLS. `require` encrypts, and checks the certificate only if a
 * certificate authority is found (`authorityOf`). `verify-ca` checks that this authority issued the certificate.
 * `verify-full` also checks the host name. The default is `prefer` for a server on this machine, and `verify-full` for
 * any other server. libpq's own default would accept any connection. If no authority is found, `verify-full` trusts the
 * authorities that Node.js trusts. `sslrootcert=system` implies `verify-full`, even for a server on this machine, and
 * allows no other mode.
 * @throws Failure `config` for an unknown mode, for a mode that `sslrootcert=system` does not allow, or for a file that
 * cannot be read
 */
export function tlsChoices(host: string, given: Parameters, home: string): readonly TlsChoice[] {
  if (host.startsWith("/")) return [false];
  const isSystem = given.sslrootcert === "system";
  const mode = modeOf(given.sslmode ?? (isLoopback(host) && !isSystem ? "prefer" : "verify-full"));
  if (isSystem && mode !== "verify-full") {
    throw new Failure("config", `sslrootcert=system cannot be combined with sslmode=${mode}`, {
      hint: "omit sslmode, or use sslmode=verify-full: anyone can get a certificate from a public authority",
    });
  }
  if (mode === "disable") return [false];
  const encrypted = encryptedChoice(mode, host, { given, home });
  if (mode === "allow") return [false, encrypted];
  return mode === "prefer" ? [encrypted, false] : [encrypted];
}

function encryptedChoice(
  mode: SslMode,
  host: string,
  { given, home }: { readonly given: Parameters; readonly home: string },
): ConnectionOptions {
  const ca = authorityOf(given, home);
  if (mode === "verify-ca" && ca === undefined) {
    throw new Failure("config", "sslmode=verify-ca needs a certificate authority", {
      hint: "specify the authority's certificate file: sslrootcert=... in the URL, or PGSSLROOTCERT; or use sslmode=verify-full",
    });
  }
  return {
    ...ownCertificate(given),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: mode.startsWith("verify") || (mode === "require" && ca !== undefined),
    checkServerIdentity: (_, certificate) =>
      mode === "verify-full" ? checkServerIdentity(host, certificate) : undefined,
  };
}

/** Whether the host is this machine. Traffic to such a host does not cross a network. */
function isLoopback(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function modeOf(text: string): SslMode {
  const mode = SSL_MODES.find((known) => known === text);
  if (mode !== undefined) return mode;
  throw new Failure("config", `unknown sslmode=${text}`, { hint: `valid values: ${SSL_MODES.join(", ")}` });
}

/**
 * Returns the certificate authority to trust: the named file or, if none is named, `~/.postgresql/root.crt`. Returns
 * undefined if that default file cannot be read, and for `sslrootcert=system`. Node.js then uses its default
 * authorities.
 * @throws Failure `config` if the named file cannot be read
 */
function authorityOf({ sslrootcert }: Parameters, home: string): Buffer | undefined {
  if (sslrootcert === "system") return undefined;
  return sslrootcert === undefined
    ? readIfThere(path.join(home, ".postgresql", "root.crt"))
    : readNamed(sslrootcert, "sslrootcert");
}

function ownCertificate({ sslcert, sslkey }: Parameters): ConnectionOptions {
  return {
    ...(sslcert !== undefined && { cert: readNamed(sslcert, "sslcert") }),
    ...(sslkey !== undefined && { key: readNamed(sslkey, "sslkey") }),
  };
}

function readNamed(file: string, parameter: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const why = errorCode(cause) ?? "unreadable";
    throw new Failure("config", `${parameter}: ${file} cannot be read: ${why}`, { file, cause });
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
