import type { WallClock } from "../../time/clock.ts";
import { Failure } from "../../model/failure.ts";
import { HELD_BACK, type Http, type HttpReply, type HttpRequest, TransportError } from "../../transport/http.ts";
import { type Authorisation, sendAuthorised } from "../auth/authorisation.ts";
import { classifyError } from "../reply/classify-error.ts";
import type { Classification } from "../reply/reply-class.ts";

export interface RequestResult extends Classification {
  /** Status of the reply; absent if there was no reply. */
  readonly http?: number;
  /** Milliseconds, as in `HttpReply` or `TransportError`; 0 if no request was started. */
  readonly durationMs: number;
}

export interface RequestDependencies {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly authorisation: Authorisation;
  /** `energy-migrate/<version>`. */
  readonly userAgent: string;
  readonly clock: WallClock;
}

/**
 * Called before each request for a record, once a token is available. Resolves to true when the request may be sent, or
 * to false if it must no longer be sent.
 */
export type MaySend = () => Promise<boolean>;

/** Whether the request was ready but held back (`Connection.onlyWhile`). */
export function wasDeferred({ replyClass }: Classification): boolean {
  return replyClass.kind === "unsent" && replyClass.code === HELD_BACK;
}

interface ClassifiedRequest extends Pick<HttpRequest, "method" | "url" | "body"> {
  /** Headers from parameters; the tool's own headers take precedence. */
  readonly headers?: HttpRequest["headers"];
  readonly signal: AbortSignal;
  readonly maySend: MaySend | undefined;
  readonly classify: (reply: HttpReply) => Classification;
}

/**
 * Sends a request with the token, and again with a newer token if the platform rejects the token. Never throws for a
 * reply or a transport error.
 */
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
  request: ClassifiedRequest,
  authorization: string,
  tools: RequestDependencies,
): Promise<RequestResult> {
  const { method, url, body, signal, maySend, classify } = request;
  const headers = {
    ...request.headers,
    accept: "application/json",
    "user-agent": tools.userAgent,
    authorization,
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  if ((await maySend?.()) === false) throw new TransportError("unsent", "no longer needed", NOT_SENT);
  const reply = await tools.http({ method, url, headers, signal, ...(body !== undefined && { body }) });
  return { ...classify(reply), http: reply.status, durationMs: reply.durationMs };
}

const NOT_SENT = { code: "ABORTED", durationMs: 0 } as const;
