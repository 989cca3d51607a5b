import type { Clock } from "../../time/clock.ts";
import { Failure } from "../../model/failure.ts";
import { type Http, type HttpReply, type HttpRequest, TransportError } from "../../transport/http.ts";
import { type Authorisation, sendAuthorised } from "../auth/authorisation.ts";
import { classifyError } from "../reply/classify-error.ts";
import type { Classification } from "../reply/reply-class.ts";

/** What one request came to. */
export interface RequestResult extends Classification {
  /** Status of the reply; absent when there was none. */
  readonly http?: number;
  /** First byte sent to last byte read, milliseconds. */
  readonly durationMs: number;
}

/** How requests reach the platform, whatever they are for. */
export interface RequestDependencies {
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
export type MaySend = () => Promise<boolean>;

interface ClassifiedRequest extends Pick<HttpRequest, "method" | "url" | "body"> {
  /** Those of parameters; the tool's own beat them. */
  readonly headers?: HttpRequest["headers"];
  readonly signal: AbortSignal;
  readonly maySend: MaySend | undefined;
  readonly classify: (reply: HttpReply) => Classification;
}

/** One request with the token, and one more where the token had to be renewed. Never throws for a reply or a fault. */
export async function sendClassified(request: ClassifiedRequest, tools: RequestDependencies): Promise<RequestResult> {
  try {
    return await sendAuthorised(
      tools.authorisation,
      (authorization) => exchange(request, authorization, tools),
      ({ replyClass }) => replyClass.kind === "unauthorised",
    );
  } catch (error) {
    if (error instanceof Failure) return { replyClass: { kind: "stop", failure: error }, durationMs: 0 };
    if (error instanceof TransportError) {
      return { ...classifyError(error, request.url.origin), durationMs: error.durationMs };
    }
    throw error;
  }
}

async function exchange(
  { method, url, headers: own, body, signal, maySend, classify }: ClassifiedRequest,
  authorization: string,
  { http, userAgent }: RequestDependencies,
): Promise<RequestResult> {
  const fixed = { ...own, accept: "application/json", "user-agent": userAgent, authorization };
  const headers = body === undefined ? fixed : { ...fixed, "content-type": "application/json" };
  if ((await maySend?.()) === false) throw new TransportError("unsent", "no longer wanted", NOT_SENT);
  const reply = await http({ method, url, headers, signal, ...(body !== undefined && { body }) });
  return { ...classify(reply), http: reply.status, durationMs: reply.durationMs };
}

/** What a request comes to that is broken off before it leaves. */
const NOT_SENT = { code: "ABORTED", durationMs: 0 } as const;
