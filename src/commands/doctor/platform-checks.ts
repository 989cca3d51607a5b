import type { Dependencies, SecretFiles, Secrets } from "../../job/dependencies.ts";
import type { NamingPlace } from "../../job/settings/naming-place.ts";
import { requireOngoing, type Supplier } from "../../job/settings/supplier-settings.ts";
import { hostOf, openTarget, proxyOf, type OpenTarget, type SecuredConnection } from "../../job/target-connection.ts";
import { type ConnectionProbe, probeConnection } from "../../platform/probe-connection.ts";
import { isoSeconds } from "../../time/clock.ts";
import { token } from "../reading/token.ts";
import { type Check, checked, failed, inspect, ok, skipped, warning } from "./check.ts";
import { credentialsOf } from "../../job/settings/auth-settings.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import type { AuthSettings } from "../../options/target-options.ts";
import { FAILURES } from "../../model/failure.ts";

/** Returns the origin of each credential in `secrets`: the name of a variable or a file. */
export type SecretOrigins = (files: SecretFiles) => Readonly<Partial<Record<keyof Secrets, string>>>;

export interface PlatformOptions {
  /** Whether to skip checks that open a connection. */
  readonly offline: boolean;
  readonly supplier: Supplier;
  readonly secretOrigins: SecretOrigins;
  /** Returns the place at which the configuration names a file. */
  readonly placeOf?: NamingPlace | undefined;
}

/** Checks the address and supplier of the target, its credentials, connection, clock and token. */
export async function* platformChecks(
  target: TargetSettings,
  { offline, supplier, secretOrigins, placeOf }: PlatformOptions,
  dependencies: Dependencies,
): AsyncGenerator<Check> {
  yield await checked("target", async () => targetCheck(target, supplier));
  const { check, found: kind } = await inspect("credentials", () =>
    credentialsCheck(target.auth, secretOrigins, dependencies),
  );
  yield check;
  if (offline) {
    yield* ["tls", "clock"].map((name) => skipped(name, OFFLINE));
    yield kind === "token" ? await tokenCheck(target, dependencies) : skipped("token", OFFLINE);
    return;
  }
  const connection = await connectionChecks(target, placeOf, dependencies);
  yield* connection.checks;
  if (kind === undefined) yield skipped("token", "needs credentials");
  else if (connection.isOpen || kind === "token") yield await tokenCheck(target, dependencies);
  else yield skipped("token", "needs the connection");
}

const OFFLINE = "needs a connection, but none is opened (--offline, or a failed environment check)";

function targetCheck(target: TargetSettings, supplier: Supplier): Check {
  requireOngoing(supplier);
  const { baseUrl, production } = target;
  // Both throw if commands refuse the address.
  hostOf(target);
  const proxy = proxyOf(target);
  const more = [
    ...(production ? ["production"] : []),
    ...(supplier.code === undefined ? [] : [`supplier ${supplier.code}`]),
    ...(proxy === undefined ? [] : [`through the proxy ${proxy.origin}`]),
  ];
  return ok("target", [baseUrl, ...more].join(", "));
}

/** Reports which credential a push would use and where it comes from, but never the credential itself. */
async function credentialsCheck(
  auth: AuthSettings,
  secretOrigins: SecretOrigins,
  { secrets }: Dependencies,
): Promise<{ readonly check: Check; readonly found: "token" | "key" }> {
  const { kind } = credentialsOf(await secrets(auth), auth);
  const { token: tokenFrom, apiKey: keyFrom } = secretOrigins(auth);
  if (kind !== "token") return { check: ok("credentials", `an API key from ${keyFrom ?? ""}`), found: "key" };
  const unused = keyFrom === undefined ? "" : `; the API key from ${keyFrom} is ignored`;
  return { check: ok("credentials", `a token from ${tokenFrom ?? ""}${unused}`), found: "token" };
}

async function connectionChecks(
  target: TargetSettings,
  placeOf: NamingPlace | undefined,
  dependencies: Dependencies,
): Promise<{ readonly checks: readonly Check[]; readonly isOpen: boolean }> {
  const secured: SecuredConnection[] = [];
  const onSecured = (connection: SecuredConnection): void => void secured.push(connection);
  const ask = async (): Promise<{ readonly check: Check; readonly found: ConnectionProbe }> => {
    const open = await openTarget(target, { connections: 1, onSecured }, dependencies);
    try {
      const found = await probeConnection({ ...open, ...dependencies });
      const answer = { target, status: found.status, secured: secured[0], now: dependencies.clock.now() };
      return { check: tlsCheck(open, answer), found };
    } finally {
      await open.close();
    }
  };
  const { check, found: probe } = await inspect("tls", ask, placeOf);
  if (probe === undefined) return { checks: [check, skipped("clock", "needs the connection")], isOpen: false };
  return { checks: [check, clockCheck(probe.clockAheadMs)], isOpen: true };
}

interface Answer {
  readonly target: TargetSettings;
  readonly status: number;
  /** Absent for a connection without TLS. */
  readonly secured: SecuredConnection | undefined;
  readonly now: number;
}

const DAY_MS = 86_400_000;
const MIN_VALIDITY_DAYS = 14;

function tlsCheck({ baseUrl }: OpenTarget, { target, status, secured, now }: Answer): Check {
  if (secured === undefined)
    return warning("tls", `${baseUrl.host} uses plain HTTP, which is allowed only on this machine`);
  const { protocol, subject, issuer, validTo } = secured;
  const trusted = target.ca === undefined ? "" : `, trusted through ${target.ca}`;
  const until = new Date(validTo).toISOString().slice(0, 10);
  const text = `${baseUrl.host}: ${protocol}, certificate for ${subject}, issued by ${issuer}, valid until ${until}${trusted}`;
  const days = Math.floor((validTo - now) / DAY_MS);
  const figures = { status, certificateDays: days };
  if (days < MIN_VALIDITY_DAYS)
    return warning("tls", text, { figures, fix: "the platform's operator must renew the certificate" });
  if (status >= 300 && status < 400) {
    return warning("tls", `${text}; the server replies with a redirect (HTTP ${status}), which is never followed`, {
      figures,
      fix: "check the base URL",
    });
  }
  return ok("tls", text, { figures });
}

const MAX_SKEW_MS = 10_000;

/**
 * Warns if the local clock is wrong. A wrong clock makes recorded times wrong, but does not stop a push, because token
 * renewal follows the platform's clock.
 */
function clockCheck(aheadMs: number | undefined): Check {
  if (aheadMs === undefined) return skipped("clock", "the platform's reply has no Date header");
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const figures = { platformAheadMs: aheadMs };
  if (Math.abs(aheadMs) <= MAX_SKEW_MS)
    return ok("clock", `within ${Math.max(1, seconds)} s of the platform's`, { figures });
  const side = aheadMs > 0 ? "behind" : "ahead of";
  return warning("clock", `${seconds} s ${side} the platform's`, {
    figures,
    fix: "synchronise this machine's clock (NTP)",
  });
}

/** Checks the token. Reports the same facts as `migrate token`. */
function tokenCheck(target: TargetSettings, dependencies: Dependencies): Promise<Check> {
  return checked("token", async () => {
    const { from, claims, expiresAt, ended, scheme } = await token({ target, show: false }, dependencies);
    if (from === "none") return ok("token", "not needed: the API key itself is sent (basic)");
    const who = typeof claims["sub"] === "string" ? ` for ${claims["sub"]}` : "";
    const until =
      expiresAt === undefined
        ? "expiry unknown"
        : `${ended ? "expired at" : "valid until"} ${isoSeconds(expiresAt * 1000)}`;
    const text = `${from === "login" ? "obtained" : "configured"}${who}, ${until}, sent as ${scheme}`;
    if (!ended) return ok("token", text);
    return failed("token", text, {
      exitCode: FAILURES.authentication,
      fix: "set MIGRATE_TOKEN or the file in `tokenFile` to a new token, or use an API key instead",
    });
  });
}
