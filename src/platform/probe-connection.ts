import { Failure } from "../model/failure.ts";
import type { Clock } from "../time/clock.ts";
import { type Http, TransportError } from "../transport/http.ts";
import { classifyError } from "./reply/classify-error.ts";

/** What one request without credentials told of a platform. */
export interface ConnectionProbe {
  readonly status: number;
  /** The platform's clock less this machine's, milliseconds; absent where the reply has no date. */
  readonly clockAheadMs?: number;
}

interface ProbeOptions {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly userAgent: string;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Asks the base URL for its headers, once; whatever it answers, it can be reached.
 * @throws Failure `tls` or `platform_unreachable`, and what a proxy that refuses means
 */
export async function probeConnection({ http, baseUrl, userAgent, clock }: ProbeOptions): Promise<ConnectionProbe> {
  const startedAt = clock.now();
  try {
    const { status, headers } = await http({ method: "HEAD", url: baseUrl, headers: { "user-agent": userAgent } });
    const clockAheadMs = aheadMs(headers["date"], startedAt, clock.now());
    return { status, ...(clockAheadMs !== undefined && { clockAheadMs }) };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { replyClass } = classifyError(error, baseUrl.origin);
    if (replyClass.kind === "stop") throw replyClass.failure;
    const reason = "reason" in replyClass ? replyClass.reason : error.code;
    throw new Failure("platform_unreachable", reason, {
      hint: "check the network, the base URL and, where there is one, the proxy",
      cause: error,
    });
  }
}

/** The header is in whole seconds: a difference of less than one is none. */
function aheadMs(date: string | undefined, from: number, until: number): number | undefined {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return undefined;
  if (theirs + 999 < from) return theirs + 999 - from;
  return Math.max(0, theirs - until);
}
