import type { Operation } from "../contract/contract.ts";
import { parseAttr } from "../model/attr.ts";
import { Failure } from "../model/failure.ts";
import type { ImportClient } from "../platform/import-client.ts";
import { createImportClient } from "../platform/import-client.ts";
import type { Credentials, TokenMutation } from "../platform/token.ts";
import { createAuthorisation } from "../platform/token.ts";
import { readTextFile } from "../read/text-file.ts";
import { parseBaseUrl } from "../transport/base-url.ts";
import { createHttp } from "../transport/undici-http.ts";
import type { Parts, Secrets } from "./parts.ts";

/** Which platform a run talks to, and how. Plain data: it is stored with the run, and holds no secret. */
export interface TargetSettings {
  readonly baseUrl: string;
  /** The flags that name this target again, as words of a command. */
  readonly flags: readonly string[];
  /** PEM file of a certificate authority to trust beside the usual ones. */
  readonly ca?: string | undefined;
  readonly allowInsecureLoopback: boolean;
  /** Sending wants a confirmation. */
  readonly production: boolean;
  readonly auth: AuthSettings;
}

export interface AuthSettings {
  /** What stands before the token in the Authorization header; `none`: nothing. Default `Token`. */
  readonly scheme?: "Token" | "JWT" | "Bearer" | "none" | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** The token mutation's name, the input field that takes the key, and where the reply's data holds the token. */
  readonly mutation?: string | undefined;
  readonly inputField?: string | undefined;
  readonly outputPath?: string | undefined;
}

/** How fast a run may go. */
export interface PaceSettings {
  readonly concurrency: "auto" | number;
  /** The most requests in flight that `auto` may reach. */
  readonly maxConcurrency: number;
  readonly rps?: number | undefined;
}

/** A platform made ready to be sent to; nothing has been sent yet. */
export interface Connection {
  readonly client: ImportClient;
  readonly close: () => Promise<void>;
}

/**
 * The target's host and port: half of every record's identity. Needs no credentials.
 * @throws Failure `usage` for an unusable base URL
 */
export function hostOf({ baseUrl, allowInsecureLoopback }: TargetSettings): string {
  return parseBaseUrl(baseUrl, { allowInsecureLoopback }).host;
}

/**
 * Makes a client for one operation of the target. Opens no socket before the first request.
 * @throws Failure `usage` for an unusable base URL, `config` without credentials
 */
export async function connect(
  target: TargetSettings,
  operation: Operation,
  about: { readonly pace: PaceSettings; readonly parts: Pick<Parts, "secrets" | "clock" | "userAgent"> },
): Promise<Connection> {
  const { pace, parts } = about;
  const baseUrl = parseBaseUrl(target.baseUrl, { allowInsecureLoopback: target.allowInsecureLoopback });
  const ca = target.ca === undefined ? undefined : (await readTextFile(target.ca)).text;
  const connections = pace.concurrency === "auto" ? pace.maxConcurrency : pace.concurrency;
  const { http, close } = createHttp({ origin: baseUrl, connections, ...(ca !== undefined && { ca }) });
  const authorisation = createAuthorisation({
    credentials: credentialsOf(await parts.secrets(target.auth)),
    http,
    baseUrl,
    prefix: prefixOf(target.auth.scheme ?? "Token"),
    mutation: mutationOf(target.auth),
  });
  const { userAgent, clock } = parts;
  const client = createImportClient({ http, baseUrl, authorisation, operation, userAgent, clock });
  return { client, close };
}

function credentialsOf({ token, apiKey }: Secrets): Credentials {
  if (token !== undefined) return { kind: "token", token };
  if (apiKey !== undefined) return { kind: "api-key", apiKey };
  throw new Failure("config", "there are no credentials for the platform", {
    hint: "set MIGRATE_API_KEY or MIGRATE_TOKEN, or name a private file in the target's `auth`",
  });
}

function prefixOf(scheme: NonNullable<AuthSettings["scheme"]>): string {
  return scheme === "none" ? "" : `${scheme} `;
}

function mutationOf(auth: AuthSettings): TokenMutation {
  return {
    ...(auth.mutation !== undefined && { name: auth.mutation }),
    ...(auth.inputField !== undefined && { inputField: auth.inputField }),
    ...(auth.outputPath !== undefined && { tokenAt: parseAttr(auth.outputPath) }),
  };
}
