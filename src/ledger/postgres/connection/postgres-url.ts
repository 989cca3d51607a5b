import { Failure } from "../../../model/failure.ts";
import { suggestionOr } from "../../../text/suggestion.ts";

/** Connection parameters of a URL, a service or the environment, named as in libpq. */
export const PARAMETERS = [
  "host",
  "port",
  "dbname",
  "user",
  "passfile",
  "service",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
  "connect_timeout",
  "application_name",
] as const;

export type Parameter = (typeof PARAMETERS)[number];
export type Parameters = Readonly<Partial<Record<Parameter, string>>>;

/**
 * Parses the parameters of a URL `postgres://user@host:port/database?sslmode=...` as libpq does (PostgreSQL manual,
 * "Connection URIs"). Accepts one host only. Does not use the package `pg-connection-string`, because that package
 * reads files, accepts unknown parameters, and interprets `sslmode` differently.
 * @throws Failure `config` for an invalid URL, and for a URL with a password, which would be visible in the process
 * list and the shell history. No message contains the password.
 */
export function parsePostgresUrl(text: string): Parameters {
  const withHost = text.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)(?=[/?#:]|$)/i, `$1${NO_HOST}`);
  const url = toUrl(withHost, text);
  if (url.password !== "" || url.searchParams.has("password")) {
    throw new Failure("config", `the ledger's URL contains a password (${maskPostgresUrl(text)})`, {
      hint: "remove it; set it as PGPASSWORD, in ~/.pgpass (mode 0600) or in a service file (docs/cluster.md)",
    });
  }
  const given = new Map<Parameter, string>();
  const add = (name: Parameter, value: string): void => {
    if (value !== "") given.set(name, value);
  };
  add("host", withHost !== text ? "" : decoded(url.hostname, text).replace(/^\[(.+)\]$/, "$1"));
  add("port", url.port);
  add("user", decoded(url.username, text));
  add("dbname", decoded(url.pathname.slice(1), text));
  for (const [name, value] of url.searchParams) add(requireParameter(name), value);
  const { host = "" } = Object.fromEntries(given);
  if (host.includes(",")) {
    throw new Failure("config", `the ledger's URL names several hosts (${maskPostgresUrl(text)})`, {
      hint: "use the primary host, or a name that always resolves to it",
    });
  }
  return Object.fromEntries(given);
}

/**
 * Placeholder for an empty host, because a WHATWG URL cannot have a user without a host, as in
 * `postgres://user@/database`.
 */
const NO_HOST = "none.invalid";

function toUrl(withHost: string, text: string): URL {
  if (/^\w+:\/\//.test(text) && URL.canParse(withHost)) return new URL(withHost);
  throw new Failure("config", `not a PostgreSQL URL: ${maskPostgresUrl(text)}`, {
    hint: "use the form postgres://user@host:5432/database; percent-encode special characters (%XX)",
  });
}

function decoded(part: string, text: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Failure("config", `not a PostgreSQL URL: ${maskPostgresUrl(text)}`, {
      hint: "write a percent sign as %25",
    });
  }
}

function requireParameter(name: string): Parameter {
  const known = PARAMETERS.find((parameter) => parameter === name);
  if (known !== undefined) return known;
  // An invalid name may be part of a password.
  const shown = /^\w+$/.test(name) ? `: ${name}` : "";
  throw new Failure("config", `the ledger's URL has an unknown parameter${shown}`, {
    hint: suggestionOr(`valid parameters: ${PARAMETERS.join(", ")}`, name, PARAMETERS),
  });
}

/** Returns the URL for screens, reports, logs and the ledger: without a password, even if the URL is malformed. */
export function maskPostgresUrl(text: string): string {
  const [, scheme = "", rest = text] = /^([^:/?#]+:\/\/)([\s\S]*)$/.exec(text) ?? [];
  const end = endOfCredentials(rest);
  const [user = ""] = rest.slice(0, end).split(":");
  const [address = "", ...queries] = rest.slice(end).split("?");
  const parameters = queries
    .join("?")
    .split("&")
    .filter((one) => one !== "" && !/^\s*password/i.test(decodeIfPossible(one)));
  const shown = `${scheme}${user}${address}`;
  return parameters.length === 0 ? shown : `${shown}?${parameters.join("&")}`;
}

/**
 * Returns the position of the `@` after the user and the password; 0 if the URL has neither. A password may contain an
 * unescaped `@`, `/` or `?`.
 */
function endOfCredentials(rest: string): number {
  const [address = ""] = rest.split("?");
  const [authority = ""] = address.split("/");
  const hasPort = /^[^:]*(?::\d*)?$/.test(authority) || authority.startsWith("[");
  return Math.max(0, (hasPort || address.includes("@") ? address : rest).lastIndexOf("@"));
}

function decodeIfPossible(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
