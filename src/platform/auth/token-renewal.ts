import type { Clock } from "../../time/clock.ts";
import { Failure } from "../../model/failure.ts";
import type { Authorisation } from "./authorisation.ts";
import { type Login, type LoginResult, loginError } from "./login.ts";
import type { ServiceToken } from "./service-token.ts";

export interface RenewalOptions {
  readonly login: Login;
  readonly apiKey: string;
  /** What stands before the token in the `Authorization` header. */
  readonly prefix: string;
  readonly clock: Pick<Clock, "monotonic">;
}

/** One token of a run's succession of them. Moments are on the monotonic clock, milliseconds. */
interface HeldToken {
  readonly header: string;
  /** From here on somebody asks for the next one while this one is still used; once. */
  renewAt: number;
  /** From here on nobody uses it. */
  readonly endsAt: number;
  refresh: { readonly token: string; readonly until: number } | undefined;
  /** The platform has taken it at least once. */
  confirmed: boolean;
  /** The platform has refused it. */
  refused: boolean;
  /** The one before it was refused. */
  readonly afterRefusal: boolean;
}

/**
 * A token for all workers: obtained when first wanted, one request whoever asks. It is renewed a little before its
 * end while the old one serves on, and once when the platform refuses it. A refusal to give one is final.
 */
export function renewingAuthorisation(options: RenewalOptions): Authorisation {
  const { clock } = options;
  let held: HeldToken | undefined;
  let underWay: Promise<HeldToken> | undefined;
  let final: Failure | undefined;

  const isServing = (): boolean => held !== undefined && !held.refused && clock.monotonic() < held.endsAt;

  const renew = async (): Promise<HeldToken> => {
    const askedAt = clock.monotonic();
    const end = await nextLogin(held, options);
    if (end.kind !== "token") {
      const error = loginError(end);
      // Only a refusal ends the use of a token that still serves; anything else is tried once more when it does not.
      if (error instanceof Failure && (end.kind === "refused" || !isServing())) final = error;
      throw error;
    }
    held = heldTokenOf(end.token, { before: held, askedAt, header: `${options.prefix}${end.token.token}` });
    return held;
  };

  const renewOnce = (): Promise<HeldToken> => {
    if (final !== undefined) return Promise.reject(final);
    underWay ??= renew().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  /** Whatever becomes of it, the token in hand serves until its end. */
  const renewAhead = (generation: HeldToken): void => {
    generation.renewAt = Infinity;
    renewOnce().catch(() => undefined);
  };

  return {
    async header() {
      if (held === undefined || !isServing()) return (await renewOnce()).header;
      if (clock.monotonic() >= held.renewAt) renewAhead(held);
      return held.header;
    },
    accepted(header) {
      if (held?.header === header) held.confirmed = true;
    },
    async refused(header) {
      if (held === undefined || held.header !== header) return;
      if (held.afterRefusal && !held.confirmed) final ??= newTokenRefused();
      held.refused = true;
      await renewOnce();
    },
  };
}

/** By the refresh token where there is one; refused, it is forgotten, and the key is used. */
async function nextLogin(held: HeldToken | undefined, options: RenewalOptions): Promise<LoginResult> {
  const { login, apiKey, clock } = options;
  if (held?.refresh !== undefined && clock.monotonic() < held.refresh.until) {
    const end = await login({ refreshToken: held.refresh.token });
    if (end.kind !== "refused") return end;
    held.refresh = undefined;
  }
  return login({ apiKey });
}

interface RenewalContext {
  readonly before: HeldToken | undefined;
  readonly askedAt: number;
  readonly header: string;
}

/** A reply without a refresh token leaves the one that is there. */
function heldTokenOf(token: ServiceToken, { before, askedAt, header }: RenewalContext): HeldToken {
  const { lifetimeMs = Infinity, refreshToken, refreshLifetimeMs = Infinity } = token;
  return {
    header,
    renewAt: askedAt + lifetimeMs - Math.min(lifetimeMs / 5, MAX_RENEWAL_MARGIN_MS),
    endsAt: askedAt + lifetimeMs,
    refresh: refreshToken === undefined ? before?.refresh : { token: refreshToken, until: askedAt + refreshLifetimeMs },
    confirmed: false,
    refused: false,
    afterRefusal: before?.refused ?? false,
  };
}

/** A token is renewed when a fifth of its life is left, and never sooner than this: the longest request, twice. */
const MAX_RENEWAL_MARGIN_MS = 5 * 60_000;

/** The platform refuses a token, and the one that was obtained in its place. */
export function newTokenRefused(): Failure {
  return new Failure("authentication", "the platform accepts neither the token nor a new one (HTTP 401)", {
    hint: "check the form of the Authorization header (`--auth`) and what the API key may do, then run the same command again",
  });
}
