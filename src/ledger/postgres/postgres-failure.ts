import { errorCode } from "../../files/error-code.ts";
import { Failure, type FailureCode } from "../../model/failure.ts";

/**
 * How to handle an error from the server or its connection. `conflict`: the transaction can be repeated soon.
 * `outage`: the transaction can be repeated when the server is reachable again. `final`: repeating the transaction does
 * not help.
 */
export type ErrorKind = "conflict" | "outage" | "final";

/**
 * Codes for a serialization failure, a deadlock, and a lock that is not available.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const CONFLICTS: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

/**
 * Codes from a server that is shutting down or starting, has no free connection, cancelled the query, or closed the
 * connection.
 */
const OUTAGES: ReadonlySet<string> = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "57014",
  "53300",
  "25P03",
  "08000",
  "08001",
  "08003",
  "08004",
  "08006",
  // The code that PgBouncer sends when it closes a connection, for example for "query_wait_timeout" or "database
  // restarts".
  "08P01",
]);

const NETWORK_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EHOSTDOWN",
  "ENETDOWN",
]);

/** Messages from `pg` for a lost connection. Such errors have no code. */
const CONNECTION_LOST =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired|timeout exceeded)/;

/** The message from PgBouncer if `pool_mode` is `statement`. */
const STATEMENT_POOLING = /not allowed in statement pooling mode/;

function isStatementPooling(error: unknown): boolean {
  return error instanceof Error && STATEMENT_POOLING.test(error.message);
}

export function errorKindOf(error: unknown): ErrorKind {
  const code = errorCode(error);
  if (isStatementPooling(error)) return "final";
  if (code !== undefined && CONFLICTS.has(code)) return "conflict";
  if (code !== undefined && (OUTAGES.has(code) || NETWORK_CODES.has(code))) return "outage";
  if (error instanceof AggregateError)
    return error.errors.every((one) => errorKindOf(one) === "outage") ? "outage" : "final";
  return error instanceof Error && CONNECTION_LOST.test(error.message) ? "outage" : "final";
}

/**
 * Converts an error from the server or the connection into a failure that ends the run. Returns an unknown error
 * unchanged, because it is a bug.
 */
export function postgresFailure(error: unknown, name: string): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  if (isStatementPooling(error)) return statementPooling(error, name);
  const known = FAILURES_BY_CODE[errorCode(error) ?? ""];
  if (known !== undefined) {
    const [code, what, hint] = known;
    return new Failure(code, `the ledger ${name} ${what}: ${plain(error.message)}`, { hint, cause: error });
  }
  if (TLS.test(error.message)) return tlsFailure(error, name);
  const kind = errorKindOf(error);
  if (kind === "final") return error;
  if (kind === "conflict") return lastingConflict(error, name);
  return new Failure("storage", `the ledger ${name} cannot be reached: ${reasonOf(error)}`, {
    hint: "check that the server is running and reachable from this machine; then run the same command again, or `migrate resume`",
    cause: error,
  });
}

const PASSWORD_HINT =
  "correct the password in PGPASSWORD, in ~/.pgpass or in the service file, and check the user name in --ledger";
const PERMISSIONS_HINT =
  "grant the user of --ledger the permissions listed in docs/cluster.md; for workers, also those in the schema migrate_jobs. To create the tables, the user needs the CREATE privilege on their schema";
const DISK_HINT = "free some disk space on the server; then run the same command again";
const READ_ONLY_HINT =
  "use --ledger with the primary server: a standby, or a database in recovery, accepts no changes. On a primary server, reset default_transaction_read_only for the database and its user";
const timeLimitHint = (setting: string): string =>
  `check whether the server is overloaded, and whether ${setting} of the database user is too low; then run the same command again, or \`migrate resume\``;

const FAILURES_BY_CODE: Readonly<Record<string, readonly [code: FailureCode, what: string, hint: string]>> = {
  "28P01": ["config", "refuses the password", PASSWORD_HINT],
  "28000": ["config", "refuses the user", "check the user in --ledger, and the server's pg_hba.conf"],
  "3D000": [
    "config",
    "is in a database that does not exist",
    "create the database, or choose another one with --ledger",
  ],
  "42501": ["config", "denies a permission", PERMISSIONS_HINT],
  "25006": ["storage", "accepts no changes", READ_ONLY_HINT],
  "57014": ["storage", "cancelled a query", timeLimitHint("statement_timeout")],
  "25P03": ["storage", "ended an idle transaction", timeLimitHint("idle_in_transaction_session_timeout")],
  "25P04": ["storage", "ended a transaction", timeLimitHint("transaction_timeout")],
  "53100": ["storage", "has no disk space left", DISK_HINT],
  "53200": ["storage", "has no memory left", "check the memory use of the server; then run the same command again"],
  "53300": [
    "storage",
    "accepts no more connections",
    "end other sessions, or increase max_connections; each process of a run uses at most 4 connections",
  ],
  "58030": [
    "storage",
    "cannot read or write its files",
    "check the log of the server; nothing is sent until this is fixed",
  ],
  XX001: ["ledger_damaged", "is corrupt", "restore it with the tools of its database server"],
  XX002: ["ledger_damaged", "is corrupt", "restore it with the tools of its database server"],
};

function statementPooling(cause: Error, name: string): Failure {
  return new Failure(
    "config",
    `the ledger ${name} is behind a connection pooler in statement mode, which does not support transactions`,
    {
      hint:
        "set `pool_mode = transaction` for this database in PgBouncer's configuration, or connect to the server directly " +
        "with --ledger",
      cause,
    },
  );
}

function lastingConflict(cause: Error, name: string): Failure {
  return new Failure("storage", `other transactions block the ledger ${name}: ${plain(cause.message)}`, {
    hint: "check for other commands and long transactions that use the database; then run the same command again, or `migrate resume`",
    cause,
  });
}

const TLS = /SSL|certificate|self.signed|altnames/i;

function tlsFailure(error: Error, name: string): Failure {
  return new Failure("config", `the TLS connection to the ledger ${name} is not trusted: ${plain(error.message)}`, {
    hint: "specify the server's certificate authority with sslrootcert, or choose another sslmode in --ledger",
    cause: error,
  });
}

/**
 * Returns the message of an error. If several addresses of a host were tried, returns the message of the first error.
 */
function reasonOf(error: Error): string {
  const [first]: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return plain(first instanceof Error ? first.message : error.message);
}

/** Reduces a message from the server to one line of limited length, because the message may contain user input. */
function plain(message: string): string {
  return message.replaceAll(/[\p{Cc}\s]+/gu, " ").slice(0, 200);
}
