import type { WallClock } from "../time/clock.ts";
import { type Http, TransportError } from "../transport/http.ts";
import { unreachableFailure } from "./reply/classify-error.ts";

export interface ConnectionProbe {
  readonly status: number;
  /** The platform's clock minus the local clock, in milliseconds; absent if the reply has no date. */
  readonly clockAheadMs?: number;
}

interface ProbeOptions {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly userAgent: string;
  readonly clock: WallClock;
}

/**
 * Sends one HEAD request to the base URL. Any reply proves that the platform is reachable.
 * @throws Failure `tls`, `config` (blocked by a proxy), `usage` (unknown host) or `platform_unreachable`
 */
export async function probeConnection({ http, baseUrl, userAgent, clock }: ProbeOptions): Promise<ConnectionProbe> {
  const startedAt = clock.now();
  try {
    const { status, headers } = await http({ method: "HEAD", url: baseUrl, headers: { "user-agent": userAgent } });
    const clockAheadMs = aheadMs(headers["date"], startedAt, clock.now());
    return { status, ...(clockAheadMs !== undefined && { clockAheadMs }) };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const hint = "check the network, the base URL and, if you use one, the proxy";
    throw unreachableFailure(error, baseUrl.origin, hint);
  }
}

/**
 * Returns how far the platform's clock is ahead, in milliseconds; negative if it is behind. Returns the smallest
 * possible difference, because the header contains whole seconds and was written at an unknown time during the request.
 */
function aheadMs(date: string | undefined, from: number, until: number): number | undefined {
  const platformTime = Date.parse(date ?? "");
  if (Number.isNaN(platformTime)) return undefined;
  if (platformTime + 999 < from) return platformTime + 999 - from;
  return Math.max(0, platformTime - until);
}
