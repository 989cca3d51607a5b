import type { Clock } from "../model/clock.ts";
import { Failure } from "../model/failure.ts";
import { type Http, type HttpReply, type HttpRequest, TransportError } from "../transport/http.ts";
import type { Authorisation } from "./authorisation.ts";
import { sendAuthorised } from "./authorised-request.ts";
import { judgeError } from "./judge-error.ts";
import type { Judgement } from "./verdict.ts";

/** What one request came to. */
export interface Answer extends Judgement {
  /** Status of the reply; absent when there was none. */
  readonly http?: number;
  /** First byte sent to last byte read, milliseconds. */
  readonly durationMs: number;
}

/** How requests reach the platform, whatever they are for. */
export interface RequestTools {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly authorisation: Authorisation;
  /** `energy-migrate/<version>`. */
  readonly userAgent: string;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Asked before each request that is made for a record, once its token is there. Resolves when the request may leave;
 * with false when it may not leave any more.
 */
export type MayLeave = () => Promise<boolean>;

interface JudgedRequest extends Pick<HttpRequest, "method" | "url" | "body"> {
  readonly signal: AbortSignal;
  readonly mayLeave: MayLeave | undefined;
  readonly judge: (reply: HttpReply) => Judgement;
}

/** One request with the token, and one more where the token had to be renewed. Never throws for a reply or a fault. */
export async function judgedRequest(request: JudgedRequest, tools: RequestTools): Promise<Answer> {
  try {
    return await sendAuthorised(
      tools.authorisation,
      (authorization) => exchange(request, authorization, tools),
      ({ verdict }) => verdict.kind === "unauthorised",
    );
  } catch (error) {
    if (error instanceof Failure) return { verdict: { kind: "stop", failure: error }, durationMs: 0 };
    if (error instanceof TransportError) {
      return { ...judgeError(error, request.url.origin), durationMs: error.durationMs };
    }
    throw error;
  }
}

async function exchange(
  { method, url, body, signal, mayLeave, judge }: JudgedRequest,
  authorization: string,
  { http, userAgent }: RequestTools,
): Promise<Answer> {
  const fixed = { accept: "application/json", "user-agent": userAgent, authorization };
  const headers = body === undefined ? fixed : { ...fixed, "content-type": "application/json" };
  if ((await mayLeave?.()) === false) throw new TransportError("unsent", "held back", HELD);
  const reply = await http({ method, url, headers, signal, ...(body !== undefined && { body }) });
  return { ...judge(reply), http: reply.status, durationMs: reply.durationMs };
}

/** What a request comes to that is broken off before it leaves. */
const HELD = { code: "ABORTED", durationMs: 0 } as const;
