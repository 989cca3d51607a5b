import { existsSync } from "node:fs";
import type { Operation } from "../contract/operations/operation.ts";
import { ACCEPTANCE_UNKNOWN, documentsAcceptance } from "../contract/operations/documented-reply.ts";
import { definedMembers } from "../json/defined-members.ts";
import { Failure } from "../model/failure.ts";
import type { Authorisation } from "../platform/auth/authorisation.ts";
import { createAuthorisation } from "../platform/auth/create-authorisation.ts";
import type { RequestDependencies } from "../platform/import/classified-request.ts";
import { createRemoteValidation, createStepClients, type StepClient } from "../platform/import/step-clients.ts";
import { MAX_PARALLEL_LOOKUPS } from "../platform/reading/parallel-lookups.ts";
import { createReadClient, type ReadClient } from "../platform/reading/read-client.ts";
import { readTextFile } from "../read/text/text-file.ts";
import { isLoopback, parseBaseUrl } from "../transport/base-url.ts";
import {
  createHttp,
  DEFAULT_TIMEOUTS,
  type HttpClient,
  type HttpLimits,
  type SecuredConnection,
  type Timeouts,
} from "../transport/http-client.ts";
import { createCredentialMask, type CredentialMask, maskingHttp } from "../transport/masking-http.ts";
import { parseProxyUrl } from "../transport/proxy-tunnel.ts";
import { checkCaCertificates } from "../transport/tls.ts";
import { credentialsOf, prefixOf } from "./settings/auth-settings.ts";
import type { RateLimitSettings, TargetSettings } from "./settings/platform-settings.ts";
import type { PlatformEnvironment, TransportEnvironment } from "./dependencies.ts";
import type { TimeoutSettings } from "../options/target-options.ts";

/** The part of a connection that sends records. */
export interface SendConnection {
  /** Time during which the platform may still process an aborted request, in milliseconds. */
  readonly quietMs: number;
  /** The requests that a record needs. */
  readonly steps: readonly StepClient[];
  /**
   * Sets a condition for all later requests. A request is sent only if `mayStart` returns true immediately before its
   * first byte; otherwise, the request fails with the code `HELD_BACK`.
   */
  readonly onlyWhile: (mayStart: () => boolean) => void;
}

/** A configured client for a platform. Nothing has been sent yet. */
export interface Connection extends SendConnection {
  /** Creates a client that reads over the same connections, with the same authorisation. */
  readonly readClient: (signal: AbortSignal) => ReadClient;
  readonly close: () => Promise<void>;
}

/**
 * Returns the target's host and port. Needs no credentials.
 * @throws Failure `usage` for an unusable base URL
 */
export function hostOf({ baseUrl, allowInsecureLoopback }: TargetSettings): string {
  return parseBaseUrl(baseUrl, { allowInsecureLoopback }).host;
}

/** @throws Failure `usage`, as in `parseProxyUrl` */
export function proxyOf({ proxy }: Pick<TargetSettings, "proxy">): URL | undefined {
  return proxy === undefined ? undefined : parseProxyUrl(proxy);
}

/**
 * Returns the time during which the platform may still process an aborted request, in milliseconds. During this time, a
 * "not found" reply proves nothing. The default is at least twice the default time limit of a request,
 * because a shorter local timeout does not make the platform faster.
 */
export function quietPeriodMs({ timeouts = {} }: TargetSettings): number {
  if (timeouts.quietSeconds !== undefined) return timeouts.quietSeconds * 1000;
  return 2 * Math.max(timeoutsOf(timeouts).totalMs ?? 0, DEFAULT_TIMEOUTS.totalMs);
}

/** Returns the time limits of a target, including defaults. */
export function timeoutSettings(target: TargetSettings): Required<TimeoutSettings> {
  const { connectMs, headersMs, bodyMs, totalMs } = { ...DEFAULT_TIMEOUTS, ...timeoutsOf(target.timeouts ?? {}) };
  return {
    connectSeconds: connectMs / 1000,
    headersSeconds: headersMs / 1000,
    bodySeconds: bodyMs / 1000,
    wholeSeconds: totalMs / 1000,
    quietSeconds: quietPeriodMs(target) / 1000,
  };
}

/**
 * Creates a client for one operation of the target. Opens no socket before the first request.
 * @param about `remoteValidation`: the client uses only the platform's validation, which creates nothing
 * @throws Failure `config` if credentials or the operation for validation are missing; the failures of `openTarget`
 */
export async function connect(
  target: TargetSettings,
  operation: Operation,
  about: {
    readonly pace: RateLimitSettings;
    readonly dependencies: PlatformEnvironment;
    readonly remoteValidation?: boolean;
  },
): Promise<Connection> {
  const { pace, dependencies, remoteValidation = false } = about;
  const connections = pace.concurrency === "auto" ? pace.maxConcurrency : pace.concurrency;
  let mayStart: (() => boolean) | undefined;
  const open = await openTarget(target, { connections, mayStart: () => mayStart?.() ?? true }, dependencies);
  const authorisation = await authorisationOf(target, open, dependencies);
  const { userAgent, clock, random } = dependencies;
  const tools = { ...open, http: maskingHttp(open.http, open.mask), authorisation, userAgent, clock };
  const readClient = (signal: AbortSignal): ReadClient =>
    createReadClient({ ...tools, random, signal, onWait: () => undefined });
  const steps = remoteValidation ? requireRemoteValidation(operation, tools) : createStepClients(operation, tools);
  if (!remoteValidation && !documentsAcceptance(operation))
    dependencies.notice(`${operation.id}: ${ACCEPTANCE_UNKNOWN}`);
  return {
    quietMs: quietPeriodMs(target),
    readClient,
    steps,
    onlyWhile(asked) {
      mayStart = asked;
    },
    close: open.close,
  };
}

function requireRemoteValidation(operation: Operation, tools: RequestDependencies): readonly StepClient[] {
  const remoteValidation = createRemoteValidation(operation, tools);
  if (remoteValidation !== undefined) return [remoteValidation];
  throw new Failure("config", `the contract names no operation that validates payloads of ${operation.id}`, {
    hint: "declare one in an overlay: a step of kind `validate` in `x-migrate-steps` (docs/workflows.md)",
  });
}

export type { SecuredConnection };

export interface OpenTarget extends HttpClient {
  readonly baseUrl: URL;
  /** Masks the credentials that were used on this connection. */
  readonly mask: CredentialMask;
}

/**
 * Prepares HTTPS connections to the target. Opens no socket before the first request.
 * @throws Failure `usage` for an unusable base URL or proxy, and for a base URL other than the required one; `config`
 * for an unusable CA file
 */
export async function openTarget(
  target: TargetSettings,
  limits: HttpLimits,
  { proxyCredentials, transport: { baseUrl: required, ...others } = {} }: TransportEnvironment,
): Promise<OpenTarget> {
  const { allowInsecureLoopback } = target;
  const baseUrl = parseBaseUrl(target.baseUrl, { allowInsecureLoopback });
  if (required !== undefined && parseBaseUrl(required, { allowInsecureLoopback }).href !== baseUrl.href)
    throw otherPlatform(baseUrl, required);
  const { ca, proxy } = await readTransport({ ...target, ...definedMembers(others) }, baseUrl);
  return {
    baseUrl,
    mask: createCredentialMask(proxyCredentials?.split(/:(.*)/s).slice(1, 2)),
    ...createHttp({
      origin: baseUrl,
      ...limits,
      ...(ca !== undefined && { ca }),
      ...(proxy !== undefined && { proxy: { url: proxy, credentials: proxyCredentials } }),
      timeouts: timeoutsOf(target.timeouts ?? {}),
    }),
  };
}

function otherPlatform({ href }: URL, required: string): Failure {
  return new Failure("usage", `the run belongs to the platform ${href}, not to ${required}`, {
    hint: "nothing was sent; omit --base-url and --target, because the platform is recorded with the run",
  });
}

/**
 * Checks the settings that a connection needs, without credentials. If the platform runs on this machine, its CA file
 * may be missing, because the sandbox creates the file when it starts.
 * @throws the failures of `openTarget`
 */
export async function checkTarget({ ca, ...target }: TargetSettings): Promise<void> {
  const baseUrl = parseBaseUrl(target.baseUrl, { allowInsecureLoopback: target.allowInsecureLoopback });
  const isExpected = ca !== undefined && (existsSync(ca) || !isLoopback(baseUrl));
  await readTransport({ ...target, ca: isExpected ? ca : undefined }, baseUrl);
}

async function readTransport(
  { ca, proxy }: Pick<TargetSettings, "ca" | "proxy">,
  baseUrl: URL,
): Promise<{ readonly ca: string | undefined; readonly proxy: URL | undefined }> {
  return { ca: ca === undefined ? undefined : await readCaFile(ca, baseUrl), proxy: proxyOf({ proxy }) };
}

async function readCaFile(file: string, baseUrl: URL): Promise<string> {
  const { text } = await readTextFile(file).catch((error: unknown) => {
    if (!(error instanceof Failure) || !isLoopback(baseUrl) || existsSync(file)) throw error;
    // The certificate of a loopback target usually belongs to the sandbox, which writes the file when it starts.
    const hint =
      "start the sandbox first: `migrate sandbox` writes its certificate to .migrate/sandbox/ca.pem. If the certificate " +
      "is elsewhere, pass its file with --ca";
    throw new Failure(error.code, error.message, { hint, file: error.file, cause: error.cause });
  });
  checkCaCertificates(text, file);
  return text;
}

function timeoutsOf({ connectSeconds, headersSeconds, bodySeconds, wholeSeconds }: TimeoutSettings): Partial<Timeouts> {
  return {
    ...(connectSeconds !== undefined && { connectMs: connectSeconds * 1000 }),
    ...(headersSeconds !== undefined && { headersMs: headersSeconds * 1000 }),
    ...(bodySeconds !== undefined && { bodyMs: bodySeconds * 1000 }),
    ...(wholeSeconds !== undefined && { totalMs: wholeSeconds * 1000 }),
  };
}

/**
 * Creates the authorisation for the target. Requests no token before it is needed.
 * @throws Failure `config` if there are no credentials
 */
async function authorisationOf(
  { auth }: TargetSettings,
  { http, baseUrl, mask }: OpenTarget,
  { secrets, clock, drain }: PlatformEnvironment,
): Promise<Authorisation> {
  return createAuthorisation({
    credentials: credentialsOf(await secrets(auth), auth),
    // A login changes nothing, so the first signal aborts it.
    http: (request) => http({ ...request, signal: drain }),
    baseUrl,
    prefix: prefixOf(auth),
    auth,
    clock,
    mask,
  });
}

/** A client for reading from a platform. Nothing has been sent yet. */
export interface ReadConnection {
  readonly client: ReadClient;
  readonly close: () => Promise<void>;
}

/**
 * Maximum size of a reply to a read request. Such a reply may be longer than a data-import reply: a page contains up to
 * 1500 rates, and an account contains all its data.
 */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/**
 * Creates a client for reading. Opens no socket before the first request.
 * @param who `public` for public data (specification 5.1): credentials are neither needed nor sent
 * @throws Failure `config` if required credentials are missing; the failures of `openTarget`
 */
export async function connectToRead(
  target: TargetSettings,
  who: "public" | "account-holder",
  dependencies: PlatformEnvironment,
): Promise<ReadConnection> {
  const connections = who === "public" ? 1 : MAX_PARALLEL_LOOKUPS;
  const open = await openTarget(target, { connections, maxReplyBytes: MAX_REPLY_BYTES }, dependencies);
  const authorisation = who === "public" ? undefined : await authorisationOf(target, open, dependencies);
  const { clock, random, userAgent, drain, notice } = dependencies;
  let waitsUntil = 0;
  const client = createReadClient({
    ...open,
    http: maskingHttp(open.http, open.mask),
    authorisation,
    userAgent,
    clock,
    random,
    signal: drain,
    onWait: ({ reason, ms }) => {
      // Requests at the same time wait for the same reason.
      if (clock.monotonic() < waitsUntil) return;
      waitsUntil = clock.monotonic() + ms;
      notice(`Waiting ${(ms / 1000).toFixed(1)} s: ${reason}`);
    },
  });
  return { client, close: open.close };
}
