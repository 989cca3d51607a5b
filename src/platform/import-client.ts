import type { PlainOperation } from "../contract/plain-operation.ts";
import type { Step } from "../contract/workflow.ts";
import { stepFields } from "../contract/step-fields.ts";
import type { JsonObject } from "../model/json.ts";
import { joinPath } from "../transport/base-url.ts";
import { type Answer, judgedRequest, type MayLeave, type RequestTools } from "./judged-request.ts";
import { withDropped } from "./dropped-fields.ts";
import { judgeReply } from "./judge-reply.ts";

/** Sends payloads to one operation of the data-import API and says what became of them. */
export interface ImportClient {
  /**
   * One record, one request (and one more where the token had to be renewed). Never throws for a reply or a fault.
   * `given`: fields of the body that the mapping gives, beside the wrapped payload or in its place.
   */
  readonly send: (payload: JsonObject, signal: AbortSignal, mayLeave?: MayLeave, given?: JsonObject) => Promise<Answer>;
}

export interface ImportClientOptions extends RequestTools {
  readonly operation: Pick<PlainOperation, "path" | "wrap" | "outcomes" | "items" | "body">;
  /** What the request carries beside the wrapped payload, or in its place. */
  readonly body?: Step["body"];
  /** Say in warnings which fields a success leaves out where it repeats what was understood. */
  readonly compareEcho?: boolean;
}

export function createImportClient(options: ImportClientOptions): ImportClient {
  const { operation, clock } = options;
  const url = joinPath(options.baseUrl, operation.path);
  return {
    send: (payload, signal, mayLeave, given) =>
      judgedRequest(
        {
          method: "POST",
          url,
          body: JSON.stringify(requestBody(payload, given, options)),
          signal,
          mayLeave,
          judge: (reply) => {
            const judgement = judgeReply(reply, operation, clock.now());
            return options.compareEcho === true ? withDropped(judgement, payload, reply) : judgement;
          },
        },
        options,
      ),
  };
}

/** The payload, wrapped or bare, or a small body made from it. */
function requestBody(
  payload: JsonObject,
  given: JsonObject | undefined,
  { operation: { wrap }, body }: ImportClientOptions,
): JsonObject {
  if (wrap !== undefined) return { [wrap]: payload, ...stepFields(body, payload, given) };
  return body === undefined ? payload : stepFields(body, payload, given);
}
