import type { PlainOperation, Step } from "../contract/workflow.ts";
import { type JsonObject, type JsonValue, valueAt } from "../model/json.ts";
import { joinPath } from "../transport/base-url.ts";
import { type Answer, judgedRequest, type MayLeave, type RequestTools } from "./judged-request.ts";
import { withDropped } from "./dropped-fields.ts";
import { judgeReply } from "./judge-reply.ts";

/** Sends payloads to one operation of the data-import API and says what became of them. */
export interface ImportClient {
  /** One record, one request (and one more where the token had to be renewed). Never throws for a reply or a fault. */
  readonly send: (payload: JsonObject, signal: AbortSignal, mayLeave?: MayLeave) => Promise<Answer>;
}

export interface ImportClientOptions extends RequestTools {
  readonly operation: Pick<PlainOperation, "path" | "wrap" | "outcomes" | "items" | "body">;
  /** What the request carries beside the wrapped payload, or in its place. */
  readonly body?: Step["body"];
  /** Say in warnings which fields a success leaves out where it repeats what was understood. */
  readonly compareEcho?: boolean;
}

export function createImportClient(options: ImportClientOptions): ImportClient {
  const { operation, clock, body } = options;
  const url = joinPath(options.baseUrl, operation.path);
  return {
    send: (payload, signal, mayLeave) =>
      judgedRequest(
        {
          method: "POST",
          url,
          body: JSON.stringify(requestBody(payload, operation.wrap, body)),
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

/** The payload, wrapped or bare, or a small body made from it. What the payload does not have is left out. */
function requestBody(payload: JsonObject, wrap: string | undefined, body: Step["body"]): JsonObject {
  const fields: Record<string, JsonValue> = {};
  for (const [name, source] of Object.entries(body ?? {})) {
    const value = "value" in source ? source.value : valueAt(payload, source.attr);
    if (value !== undefined) fields[name] = value;
  }
  if (wrap !== undefined) return { [wrap]: payload, ...fields };
  return body === undefined ? payload : fields;
}
