import { errorCode } from "../../../files/error-code.ts";
import { Failure } from "../../../model/failure.ts";
import type { ConnectionSettings } from "./connection-settings.ts";

/**
 * Explains a failed connection. The error codes come from the operating system, TLS, or PostgreSQL (appendix A of its
 * manual).
 */
export function connectionFailure(error: unknown, server: ConnectionSettings): Failure {
  if (error instanceof Failure) return error;
  const { host, port, database, user, shown } = server;
  const code = errorCode(error) ?? "";
  const refused = (why: string, hint: string): Failure =>
    new Failure("config", `the ledger ${shown}: ${why}`, { hint, cause: error });
  if (code === "28P01") return refused(`the password for ${user} is wrong`, PASSWORD_HINT);
  if (code.startsWith("28")) return refused(`the server rejects ${user}: ${messageOf(error)}`, ACCESS_HINT);
  if (code === "3D000")
    return refused(
      `the server has no database ${database}`,
      `create it: \`createdb -h ${host} -p ${port} -U ${user} ${database}\`, or choose another database`,
    );
  if (code === "42501") return refused(`${user} is not allowed to use the database ${database}`, PERMISSIONS_HINT);
  if (hasNoTls(error)) return refused("the server offers no TLS", TLS_HINT);
  if (isUntrusted(code)) return refused(`the server's certificate is not trusted: ${messageOf(error)}`, TRUST_HINT);
  const [why, hint] =
    code === "53300"
      ? ["accepts no more connections", CONNECTIONS_HINT]
      : [`cannot be reached: ${messageOf(error)}`, REACH_HINT];
  return new Failure("storage", `the ledger ${shown} ${why}`, { hint, cause: error });
}

/** Whether the server replied that it does not support TLS. */
export function hasNoTls(error: unknown): boolean {
  return error instanceof Error && error.message.includes("does not support SSL");
}

/** Whether an error code from Node.js or OpenSSL concerns TLS or a certificate. */
function isUntrusted(code: string): boolean {
  return (
    code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL") || code.includes("CERT") || code.includes("SIGNATURE")
  );
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}

const PASSWORD_HINT =
  "correct the password in PGPASSWORD, in ~/.pgpass or in the service file, and check the user name";
const ACCESS_HINT = "check the user's name, and the server's pg_hba.conf";
const PERMISSIONS_HINT = "grant the permissions that docs/cluster.md lists";
const REACH_HINT = "check the host, the port, and that the server is running; nothing was sent";
const CONNECTIONS_HINT = "close other connections to the server, or increase max_connections; nothing was sent";
const TLS_HINT = "enable TLS on the server, or pass sslmode=disable in the URL if the network is trusted";
const TRUST_HINT =
  "check the host and the dates of the certificate, or specify the authority that issued it: sslrootcert=<file> in the " +
  "URL, or PGSSLROOTCERT";
