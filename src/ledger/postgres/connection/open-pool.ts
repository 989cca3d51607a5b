import { Client, type ClientConfig, Pool } from "pg";
import { connectionFailure, hasNoTls } from "./connection-failure.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { TlsChoice } from "./tls-choices.ts";

/** Maximum number of connections per process. By default, a server allows 100 connections for all users. */
const MAX_CONNECTIONS = 4;
const KEEP_ALIVE_MS = 10_000;

/**
 * Opens a pool of connections to the server, after a successful test connection.
 * @throws Failure `config` if the server refuses this user or cannot be trusted, `storage` if it cannot be reached
 */
export async function openPool(settings: ConnectionSettings, maximum: number = MAX_CONNECTIONS): Promise<Pool> {
  const config = clientConfig(settings, await workingChoice(settings));
  const pool = new Pool({ ...config, max: maximum });
  // It is not an error if the server closes an idle connection, because the next query opens a new connection. The
  // server may also close a connection before the caller of `pool.connect` can listen for errors.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return pool;
}

/** Returns the first TLS choice that results in a connection. */
async function workingChoice(settings: ConnectionSettings): Promise<TlsChoice> {
  let last: unknown;
  for (const tls of settings.tls) {
    const client = new Client(clientConfig(settings, tls));
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return tls;
    } catch (error) {
      last = error;
      await client.end().catch(() => undefined);
      if (!isAboutTls(error, tls)) break;
    }
  }
  throw connectionFailure(last, settings);
}

/** Whether another TLS choice may succeed: the server has no TLS, or it may require TLS. */
function isAboutTls(error: unknown, tried: TlsChoice): boolean {
  return tried === false || hasNoTls(error);
}

function clientConfig(settings: ConnectionSettings, ssl: TlsChoice): ClientConfig {
  const { host, port, database, user, password, connectTimeoutMs, applicationName } = settings;
  return {
    host,
    port,
    database,
    user,
    password,
    ssl,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}
