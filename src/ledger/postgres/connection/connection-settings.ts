import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import path from "node:path";
import { Failure } from "../../../model/failure.ts";
import { passwordFromFile } from "./password-file.ts";
import { maskPostgresUrl, type Parameter, type Parameters, parsePostgresUrl } from "./postgres-url.ts";
import { type Environment, readService, type ServiceParameters } from "./service-file.ts";
import { type TlsChoice, tlsChoices } from "./tls-choices.ts";

/** The address of a server, and how to connect to it. */
export interface ConnectionSettings {
  /** A host, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /**
   * Called if the server requires a password.
   * @throws Failure `config` if there is no password, or if it is in a file that other users can access
   */
  readonly password: () => string;
  /** The ways to use TLS, in the order in which they are tried. */
  readonly tls: readonly TlsChoice[];
  readonly connectTimeoutMs: number;
  readonly applicationName: string;
  /** The URL without its password, for screens, reports and logs. */
  readonly shown: string;
}

const SYSTEM: Environment = { variables: process.env, home: homedir() };

const DEFAULT_PORT = "5432";
const DEFAULT_TIMEOUT_SECONDS = "10";

/**
 * Determines how to connect to the server that a URL names. Missing values come from the service, then from the
 * environment (such as `PGHOST`), then from the defaults of libpq.
 * @throws Failure `config` for an unusable URL, service or file
 */
export function connectionSettings(url: string, environment: Environment = SYSTEM): ConnectionSettings {
  const { variables, home } = environment;
  const given = givenParameters(parsePostgresUrl(url), environment);
  const port = portOf(given.port ?? DEFAULT_PORT);
  const { user = userInfo().username } = given;
  const { host = defaultHost(port), dbname = user, application_name: applicationName = "migrate" } = given;
  const passfile = given.passfile ?? path.join(home, ".pgpass");
  const secret = given.password ?? (variables["PGPASSWORD"] || undefined);
  const seconds = wholeNumber("connect_timeout", given.connect_timeout ?? DEFAULT_TIMEOUT_SECONDS);
  return {
    host,
    port,
    database: dbname,
    user,
    password: () => secret ?? passwordFromFile(passfile, { host, port, dbname, user }) ?? noPassword(user, passfile),
    tls: tlsChoices(host, given, home),
    connectTimeoutMs: seconds * 1000,
    applicationName,
    shown: maskPostgresUrl(url),
  };
}

function givenParameters(typed: Parameters, environment: Environment): ServiceParameters {
  const { variables } = environment;
  const service = typed.service ?? (variables["PGSERVICE"] || undefined);
  return { ...fromVariables(variables), ...(service !== undefined && readService(service, environment)), ...typed };
}

const VARIABLES: Readonly<Partial<Record<Parameter, string>>> = {
  host: "PGHOST",
  port: "PGPORT",
  dbname: "PGDATABASE",
  user: "PGUSER",
  passfile: "PGPASSFILE",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
  connect_timeout: "PGCONNECT_TIMEOUT",
  application_name: "PGAPPNAME",
};

/** Reads parameters from environment variables. An empty variable counts as unset. */
function fromVariables(variables: Environment["variables"]): Parameters {
  return Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([parameter, name]) => {
      const value = variables[name];
      return value === undefined || value === "" ? [] : [[parameter, value]];
    }),
  );
}

/**
 * Returns the default host, as in libpq: the folder of the local server's socket if there is one, otherwise
 * `localhost`.
 */
function defaultHost(port: number): string {
  const folders = ["/var/run/postgresql", "/tmp"];
  return folders.find((folder) => existsSync(path.join(folder, `.s.PGSQL.${port}`))) ?? "localhost";
}

function portOf(text: string): number {
  const port = wholeNumber("port", text);
  if (port >= 1 && port <= 65_535) return port;
  throw new Failure("config", `the port ${text} of the ledger's server is not between 1 and 65535`);
}

function wholeNumber(parameter: Parameter, text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Failure(
    "config",
    `the ledger's connection setting ${parameter}=${text} is not a whole number from 0 to 999999`,
  );
}

function noPassword(user: string, passfile: string): never {
  throw new Failure("config", `the ledger's server needs a password for ${user}, but none is set`, {
    hint: `set PGPASSWORD, or add a line to ${passfile} (mode 0600)`,
  });
}
