import type { Authorisation } from "../../../src/platform/auth/authorisation.ts";
import { createReadClient, type ReadClient } from "../../../src/platform/reading/read-client.ts";
import type { HttpReply, HttpRequest } from "../../../src/transport/http.ts";
import { jsonReply } from "../json-reply.ts";

export interface FakeReads {
  readonly client: ReadClient;
  readonly asked: readonly HttpRequest[];
  /** The waiting times in milliseconds. */
  readonly waits: readonly number[];
}

export interface FakeOptions {
  readonly authorisation?: Authorisation;
  readonly signal?: AbortSignal;
}

/** Creates a read client for a platform with these replies. `number` counts the requests from 1. Waits take no time. */
export function fakeReads(
  answer: (url: URL, number: number, request: HttpRequest) => HttpReply,
  { authorisation, signal = new AbortController().signal }: FakeOptions = {},
): FakeReads {
  const asked: HttpRequest[] = [];
  const waits: number[] = [];
  const client = createReadClient({
    http: async (request) => {
      asked.push(request);
      return answer(request.url, asked.length, request);
    },
    baseUrl: new URL("https://api.example.com/v1/"),
    authorisation,
    userAgent: "energy-migrate/test",
    signal,
    clock: { now: () => 0, sleep: async (ms) => void waits.push(ms) },
    random: () => 0.5,
    onWait: () => undefined,
  });
  return { client, asked, waits };
}

export function listOf(results: readonly object[], next: unknown): HttpReply {
  return jsonReply(200, { count: results.length, next, previous: null, results });
}
