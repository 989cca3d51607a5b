import { Client, type ClientConfig, Pool } from "pg";
import { connectionFailure, hasNoTls } from "./connection-failure.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { TlsChoice } from "./tls-choices.ts";

/** Maximum connections of a process. A server usually allows 100 connections for all users. */
const MAX_CONNECTIONS = 4;
const KEEP_ALIVE_MS = 10_000;

/**
 * A pool of connections to the server, after a successful test.
 * @throws Failure `config` if the server refuses this user or cannot be trusted, `storage` if it cannot be reached
 */
export async function openPool(settings: ConnectionSettings, maximum: number = MAX_CONNECTIONS): Promise<Pool> {
  const config = clientConfig(settings, await workingChoice(settings));
  const pool = new Pool({ ...config, max: maximum });
  // An idle connection that the server closes is not an error: the next query opens another.
  pool.on("error", () => undefined);
  return pool;
}

/** The first TLS choice that leads to a connection. */
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

/** Whether another TLS choice may succeed: the server has no TLS, or requires it. */
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
