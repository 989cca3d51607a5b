import type { Operation } from "../contract/contract.ts";
import type { Clock } from "../model/clock.ts";
import { Failure } from "../model/failure.ts";
import type { JsonObject } from "../model/json.ts";
import { joinPath } from "../transport/base-url.ts";
import { type Http, type HttpReply, TransportError } from "../transport/http.ts";
import type { Authorisation } from "./authorisation.ts";
import { sendAuthorised } from "./authorised-request.ts";
import { judgeError } from "./judge-error.ts";
import { judgeReply } from "./judge-reply.ts";
import type { Judgement } from "./verdict.ts";

/** Sends payloads to one operation of the data-import API and says what became of them. */
export interface ImportClient {
  /** One record, one request (and one more where the token had to be renewed). Never throws for a reply or a fault. */
  readonly send: (payload: JsonObject, signal: AbortSignal) => Promise<Answer>;
}

export interface Answer extends Judgement {
  /** Status of the reply; absent when there was none. */
  readonly http?: number;
  /** First byte sent to last byte read, milliseconds. */
  readonly durationMs: number;
}

export interface ImportClientOptions {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly authorisation: Authorisation;
  readonly operation: Pick<Operation, "path" | "wrap" | "outcomes" | "items" | "body">;
  /** `energy-migrate/<version>`. */
  readonly userAgent: string;
  readonly clock: Pick<Clock, "now">;
}

export function createImportClient(options: ImportClientOptions): ImportClient {
  const { http, operation, authorisation, clock } = options;
  const url = joinPath(options.baseUrl, operation.path);
  const fixed = { "content-type": "application/json", accept: "application/json", "user-agent": options.userAgent };

  const post = async (body: string, authorization: string, signal: AbortSignal): Promise<Answer> => {
    const reply = await http({ method: "POST", url, headers: { ...fixed, authorization }, body, signal });
    return answerTo(reply, judgeReply(reply, operation, clock.now()));
  };

  return {
    async send(payload, signal) {
      const body = JSON.stringify(operation.wrap === undefined ? payload : { [operation.wrap]: payload });
      try {
        return await sendAuthorised(
          authorisation,
          (authorization) => post(body, authorization, signal),
          ({ verdict }) => verdict.kind === "unauthorised",
        );
      } catch (error) {
        if (error instanceof Failure) return { verdict: { kind: "stop", failure: error }, durationMs: 0 };
        if (error instanceof TransportError) {
          return { ...judgeError(error, url.origin), durationMs: error.durationMs };
        }
        throw error;
      }
    },
  };
}

function answerTo(reply: HttpReply, judgement: Judgement): Answer {
  return { ...judgement, http: reply.status, durationMs: reply.durationMs };
}
