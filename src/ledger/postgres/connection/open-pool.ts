import { Client, type ClientConfig, Pool } from "pg";
import { connectionFailure, hasNoTls } from "./connection-failure.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { TlsChoice } from "./tls-choices.ts";

/** A process has so many connections at most: a server usually takes a hundred of all its users. */
const MAX_CONNECTIONS = 4;
const KEEP_ALIVE_MS = 10_000;

/**
 * Connections to the server, the first of which was tried.
 * @throws Failure `config` where the server refuses this user or cannot be trusted, `storage` where it cannot be reached
 */
export async function openPool(settings: ConnectionSettings, maximum: number = MAX_CONNECTIONS): Promise<Pool> {
  const config = clientConfig(settings, await workingChoice(settings));
  const pool = new Pool({ ...config, max: maximum });
  // An idle connection that the server ends is no error: the next query opens another.
  pool.on("error", () => undefined);
  return pool;
}

/** One connection of its own, for who listens: the owner closes it. */
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

/** Whether the server may take the connection another way: it has no TLS, or it wants it. */
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
