import type { ErrorDetails } from "../../model/failure.ts";
import type { ErrorReply } from "../error-data.ts";

/** A failed request. The code, message and hint are from the server, or the code is `server_stopped`. */
export class ApiError extends Error {
  readonly details: ErrorDetails;

  constructor(details: ErrorDetails) {
    super(details.message);
    this.name = "ApiError";
    this.details = details;
  }
}

const KEY = "migrate-key";

/**
 * Removes the token, if any, from the URL fragment and exchanges it for a session.
 * @throws ApiError
 */
export async function openSession(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  const { key } = await postJson<{ key: string }>("/api/session", { token });
  localStorage.setItem(KEY, key);
}

export function queryOf(values: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)])).toString();
}

/** @throws ApiError */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return jsonOf<T>(await request(path, { ...(signal !== undefined && { signal }) }));
}

/** @throws ApiError */
export async function postJson<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  const text = JSON.stringify(body);
  return jsonOf<T>(await request(path, { method: "POST", body: text, ...(signal !== undefined && { signal }) }));
}

async function request(path: string, options: RequestInit): Promise<Response> {
  const key = localStorage.getItem(KEY);
  const headers = {
    ...(options.body !== undefined && { "content-type": "application/json" }),
    ...(key !== null && { "x-migrate-key": key }),
  };
  const reply = await fetch(path, { ...options, headers }).catch((error: unknown) => {
    throw options.signal?.aborted === true ? error : serverStopped();
  });
  if (reply.ok) return reply;
  const { error } = await jsonOf<ErrorReply>(reply);
  throw new ApiError(error);
}

async function jsonOf<T>(reply: Response): Promise<T> {
  try {
    const body: T = await reply.json();
    return body;
  } catch {
    throw serverStopped();
  }
}

function serverStopped(): ApiError {
  return new ApiError({
    code: "server_stopped",
    message: "The program is no longer running",
    hint: "Start `migrate web` again in the same folder. Saved changes are on disk.",
  });
}
