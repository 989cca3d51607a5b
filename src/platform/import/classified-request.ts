import type { Clock } from "../../time/clock.ts";
import { Failure } from "../../model/failure.ts";
import { HELD_BACK, type Http, type HttpReply, type HttpRequest, TransportError } from "../../transport/http.ts";
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

/** It was ready to leave, and was not to (`Connection.onlyWhile`). */
export function wasHeldBack({ replyClass }: Classification): boolean {
  return replyClass.kind === "unsent" && replyClass.code === HELD_BACK;
}

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
  request: ClassifiedRequest,
  authorization: string,
  tools: RequestDependencies,
): Promise<RequestResult> {
  const { method, url, body, signal, maySend, classify } = request;
  const headers = headersOf(request, authorization, tools);
  if ((await maySend?.()) === false) throw new TransportError("unsent", "no longer wanted", NOT_SENT);
  const reply = await tools.http(
    body === undefined ? { method, url, headers, signal } : { method, url, headers, signal, body },
  );
  const { replyClass, pushBack } = classify(reply);
  const { status: http, durationMs } = reply;
  return pushBack === undefined ? { replyClass, http, durationMs } : { replyClass, pushBack, http, durationMs };
}

type Headers = HttpRequest["headers"];

/** The tool's own headers are made once for each token. */
function headersOf(
  { headers: own, body }: ClassifiedRequest,
  authorization: string,
  tools: RequestDependencies,
): Headers {
  const known = latestHeaders.get(tools);
  const made = known?.authorization === authorization ? known : ownHeaders(authorization, tools);
  if (made !== known) latestHeaders.set(tools, made);
  const fixed = body === undefined ? made.bare : made.withBody;
  return own === undefined ? fixed : { ...own, ...fixed };
}

interface OwnHeaders {
  readonly authorization: string;
  readonly bare: Headers;
  /** Of a request that has a body. */
  readonly withBody: Headers;
}

const latestHeaders = new WeakMap<RequestDependencies, OwnHeaders>();

function ownHeaders(authorization: string, { userAgent }: RequestDependencies): OwnHeaders {
  const bare = { accept: "application/json", "user-agent": userAgent, authorization };
  return { authorization, bare, withBody: { ...bare, "content-type": "application/json" } };
}

/** What a request comes to that is broken off before it leaves. */
const NOT_SENT = { code: "ABORTED", durationMs: 0 } as const;
