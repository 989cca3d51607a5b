import type { JsonObject, JsonValue } from "../json/json-value.ts";

/** A request as the platform's handlers read it. */
export interface PlatformRequest {
  readonly query: URLSearchParams;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly contentType: string;
  /** The body as text; empty when there is none. */
  readonly body: string;
  /** `https://127.0.0.1:PORT`, no slash at the end. */
  readonly origin: string;
  /** The path as requested, with its query. */
  readonly target: string;
}

/** What a token was asked for with, and how that ended. */
export interface LoginAttempt {
  /** `APIKey`, `organizationSecretKey` or `refreshToken`. */
  readonly with: string;
  /** The code of the refusal; absent: a token was given. */
  readonly refusal?: string;
}

export interface Reply {
  readonly status: number;
  readonly body: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** The business key the request was about, for the history. */
  readonly key?: string;
  /** The login that the request was, for the history. */
  readonly login?: LoginAttempt;
}

export type Handler = (request: PlatformRequest) => Reply | Promise<Reply>;

/** One address of the platform. */
export interface Route {
  readonly method: "GET" | "POST";
  /** From the instance's root, parameters in braces: `/v1/accounts/{number}/`. */
  readonly path: string;
  readonly handler: Handler;
  /** `data-import`: faults happen here, and the request is counted. */
  readonly kind: "data-import" | "read" | "admin";
  /** It creates accounts of what was staged: the platform may accept only so many at a time. */
  readonly isProcessing?: boolean;
}

/** One thing wrong with a payload, as the platform reports it (API specification 7.3). */
export interface PayloadError {
  readonly attr: string;
  readonly code: string;
  readonly detail: string;
}

/** A refusal without errors: `{detail, code}`, the shape of everything but validation. */
export function refusal(status: number, code: string, detail: string): Reply {
  return { status, body: { detail, code } };
}

/** HTTP 400 of API specification 7.1-7.3. */
export function invalidPayload(code: string, detail: string, errors: readonly PayloadError[]): Reply {
  return { status: 400, body: { detail, code, errors: errors.map(payloadErrorBody) } };
}

function payloadErrorBody({ detail, code, attr }: PayloadError): JsonObject {
  return { detail, code, attr };
}

export const NOT_FOUND: Reply = refusal(404, "not_found", "Not found.");

export function methodNotAllowed(method: string): Reply {
  return refusal(405, "method_not_allowed", `Method "${method}" not allowed.`);
}
