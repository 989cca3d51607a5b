import { compactJson, parseExact } from "../../json/exact-json.ts";
import { isJsonObject } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import { strip } from "../../text/unicode-text.ts";
import { joinPath, pathSegment } from "../../transport/base-url.ts";
import { type Http, type HttpReply, TransportError } from "../../transport/http.ts";
import { type RetryDependencies, isTemporary, retryingHttp } from "../../transport/retrying-http.ts";
import { type Authorisation, retryingAuthorisation, sendAuthorised } from "../auth/authorisation.ts";
import { classifyError, unreachableFailure } from "../reply/classify-error.ts";
import { cleanText, isHtml, notFoundMismatch, parseBody } from "../reply/reply-body.ts";
import { replyProblems } from "../reply/reply-problems.ts";
import { isUnauthorised, statusFailure } from "../reply/reply-class.ts";
import type { Account } from "./received-records.ts";

/** The read side of the API: GET requests, which are repeated after temporary errors. */
export interface ReadClient {
  /** Ends in `/v1/`. */
  readonly baseUrl: URL;
  /**
   * Returns the unparsed body of a reply with status 200.
   * @throws Failure for any other status, for a body that is empty, truncated, HTML or not UTF-8, or if there is no
   * reply
   */
  readonly get: (url: URL, wanted: ReadRequest) => Promise<string>;
  /** Whether the client has had to wait before it repeated a request. If so, send one request at a time. */
  readonly isThrottled?: () => boolean;
}

/** A description of the request without personal data. */
export interface ReadRequest {
  /** Example: `the list of products`. */
  readonly what: string;
  /** Thrown for a reply with status 404 that comes from the API (`notFoundMismatch`). */
  readonly missing: Failure;
  /** True if the address has parameters: the platform's messages about them may then be quoted. */
  readonly query: boolean;
  /** The number of the page, if the platform's previous page leads to this address. */
  readonly laterPage?: number;
  /** Called with the headers of a reply with status 200, by lower-case name. */
  readonly noteHeaders?: (headers: HttpReply["headers"]) => void;
}

export interface ReadClientOptions extends RetryDependencies {
  readonly http: Http;
  readonly baseUrl: URL;
  /** Absent if requests are anonymous (specification 5.1). */
  readonly authorisation?: Authorisation | undefined;
  readonly userAgent: string;
  /** Aborts the request in flight. */
  readonly signal: AbortSignal;
}

export function createReadClient(options: ReadClientOptions): ReadClient {
  const { baseUrl, signal, userAgent } = options;
  let isThrottled = false;
  const onWait: RetryDependencies["onWait"] = (wait) => {
    isThrottled = true;
    options.onWait?.(wait);
  };
  const authorisation =
    options.authorisation && retryingAuthorisation(options.authorisation, { ...options, maxTries: MAX_TRIES });
  const http = retryingHttp(options.http, { ...options, onWait, maxTries: MAX_TRIES, reasonToRetry });
  const headers = { accept: "application/json", "user-agent": userAgent };

  const ask = (url: URL): Promise<HttpReply> => {
    if (authorisation === undefined) return http({ method: "GET", url, headers, signal });
    return sendAuthorised(
      authorisation,
      (authorization) => http({ method: "GET", url, headers: { ...headers, authorization }, signal }),
      isUnauthorised,
    );
  };

  return {
    baseUrl,
    isThrottled: () => isThrottled,
    async get(url, wanted) {
      const reply = await ask(url).catch((error: unknown) => {
        if (signal.aborted) throw stopped();
        throw error instanceof TransportError ? unreachableFailure(error, url.origin) : error;
      });
      if (signal.aborted) throw stopped();
      const text = jsonTextOf(reply, wanted, authorisation !== undefined);
      wanted.noteHeaders?.(reply.headers);
      return text;
    },
  };
}

/** Returns the failure for a server that is not the API, or whose reply does not match the specification. */
export function wrongReply(what: string, why: string): Failure {
  return new Failure("wrong_endpoint", `the reply to the request for ${what} ${why}`, {
    hint: "check the base URL; the server there does not follow the API specification",
  });
}

function stopped(): Failure {
  return new Failure("incomplete", "stopped before all data was read", { hint: "run the same command again" });
}

const MAX_TRIES = 5;

function reasonToRetry(error: TransportError, origin: string): string | undefined {
  const { replyClass } = classifyError(error, origin);
  return "reason" in replyClass ? replyClass.reason : undefined;
}

function jsonTextOf(reply: HttpReply, wanted: ReadRequest, authorised: boolean): string {
  const { status, complete, body, isMisencoded = false } = reply;
  if (status !== 200) throw refusal(reply, wanted, authorised);
  if (!complete) throw wrongReply(wanted.what, "is truncated or too long");
  if (isMisencoded) throw wrongReply(wanted.what, "is not UTF-8 text");
  if (isHtml(reply) || body === "") throw wrongReply(wanted.what, `is ${body === "" ? "empty" : "a web page"}`);
  return body;
}

function refusal(reply: HttpReply, wanted: ReadRequest, authorised: boolean): Failure {
  const { status } = reply;
  if (status === 404) {
    const mismatch = notFoundMismatch(reply, parseBody(reply));
    return mismatch === undefined ? wanted.missing : wrongReply(wanted.what, `has the status 404 ${mismatch}`);
  }
  if (isTemporary(status)) {
    return new Failure("platform_unreachable", `the platform did not return ${wanted.what} (HTTP ${status})`, {
      hint: "run the same command again later",
    });
  }
  if (isUnauthorised(reply)) return unauthorised(wanted, authorised);
  const failure = statusFailure(reply, { what: wanted.what, permission: "read it", showsPath: false });
  if (failure !== undefined) return failure;
  if (wanted.laterPage !== undefined) return refusedPage(status, wanted.laterPage, wanted);
  if (status === 400 && wanted.query) return badQuery(reply, wanted);
  return wrongReply(wanted.what, `has the status ${status}`);
}

/** Returns the failure for a page that the platform refuses, although it gave the address of the page itself. */
function refusedPage(status: number, page: number, { what }: ReadRequest): Failure {
  return new Failure("wrong_endpoint", `the platform refuses page ${page} of ${what} (HTTP ${status})`, {
    hint: "run the same command again; if the error persists, report it to the platform's operator",
  });
}

function unauthorised({ what }: ReadRequest, authorised: boolean): Failure {
  return authorised
    ? new Failure("authentication", `the platform does not accept the credentials for ${what}`, {
        hint: "check MIGRATE_API_KEY or MIGRATE_TOKEN (in a program: `credentials`), and the target's `auth`",
      })
    : new Failure("authentication", `the platform requires credentials for ${what}`, {
        hint: "the specification requires no credentials here; ask the platform's operator",
      });
}

/**
 * Returns the failure for a rejected query. The failure quotes the platform's messages about the parameters. The
 * parameters come from this tool and contain no personal data.
 */
function badQuery(reply: HttpReply, { what }: ReadRequest): Failure {
  const reasons = replyProblems(parseBody(reply)).map(({ attr, detail }) => `${attr}: ${cleanText(detail, 200)}`);
  return new Failure("usage", `the platform refuses the query for ${what}: ${reasons.slice(0, 5).join("; ")}`, {
    hint: "correct the options that set the parameters that the platform names",
  });
}

/**
 * Reads an account (specification 4.3). Messages never contain its number, which is personal data. A reply with another
 * `number` is refused, because it would show the personal data of another customer.
 * @throws Failure `usage` for a number that cannot be part of a URL path; `not_found`; the failures of `ReadClient.get`
 */
export async function readAccount(client: ReadClient, number: string): Promise<Account> {
  const url = joinPath(client.baseUrl, `accounts/${pathSegment(number, "the account number")}/`);
  const what = "the account";
  const missing = new Failure("not_found", "the platform has no account with this number", {
    hint: "use the platform's own account number, which `migrate explain <key>` shows for a migrated account",
  });
  const text = await client.get(url, { what, missing, query: false });
  const record = parseExact(text);
  if (!isJsonObject(record)) throw wrongReply(what, record === undefined ? "is not JSON" : "is not a record");
  const { number: replied } = record;
  if (typeof replied === "string" && strip(replied).toLowerCase() !== strip(number).toLowerCase())
    throw wrongReply(what, "is about another account");
  return { record, json: compactJson(text) };
}
