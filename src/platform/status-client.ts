import type { Poll } from "../contract/workflow.ts";
import type { AttrPath } from "../model/attr.ts";
import type { JsonObject } from "../model/json.ts";
import { joinPath } from "../transport/base-url.ts";
import type { HttpReply } from "../transport/http.ts";
import { filledPath } from "./filled-path.ts";
import { type Answer, judgedRequest, type MayLeave, type RequestTools } from "./judged-request.ts";
import { judgeReply } from "./judge-reply.ts";
import { cleanText, parseBody, valueAt } from "./reply-body.ts";
import { replyProblems } from "./reply-problems.ts";
import type { Judgement, Verdict } from "./verdict.ts";

/** Asks what became of what the platform does later. */
export interface StatusClient {
  /**
   * One look. `accepted` and `rejected` are final; `waiting` and `absent` (nothing is under way) are not. Never throws
   * for a reply or a fault; asking changes nothing.
   */
  readonly ask: (payload: JsonObject, signal: AbortSignal, mayLeave?: MayLeave) => Promise<Answer>;
  /** Milliseconds between two looks, at first. */
  readonly intervalMs: number;
  /** Milliseconds after which a run waits no longer. */
  readonly patienceMs: number;
}

export function createStatusClient(poll: Poll, tools: RequestTools): StatusClient {
  const { operation, parameters, interval, patience } = poll;
  return {
    intervalMs: interval * 1000,
    patienceMs: patience * 1000,
    ask: (payload, signal, mayLeave) =>
      judgedRequest(
        {
          method: "GET",
          url: joinPath(tools.baseUrl, filledPath(operation.path, parameters, payload)),
          signal,
          mayLeave,
          judge: (reply) => judgeStatus(reply, poll, tools.clock.now()),
        },
        tools,
      ),
  };
}

function judgeStatus(reply: HttpReply, poll: Poll, now: number): Judgement {
  if (reply.status === 404) return { verdict: { kind: "absent", reason: "HTTP 404" } };
  if (reply.status !== 200) return judgeReply(reply, poll.operation, now);
  const body = parseBody(reply);
  const status = valueAt(body, poll.status);
  if (typeof status !== "string") {
    return { verdict: { kind: "ambiguous", reason: "HTTP 200 without a status", foreign: body === undefined } };
  }
  return { verdict: verdictOf(status, body, poll) };
}

function verdictOf(status: string, body: unknown, { outcomes, account, error }: Poll): Verdict {
  const outcome = Object.hasOwn(outcomes, status) ? outcomes[status] : undefined;
  const shown = cleanText(status, 60);
  if (outcome === "accepted") return { kind: "accepted", ...accountIn(body, account) };
  if (outcome === "rejected") return { kind: "rejected", problems: problemsIn(body, error, shown) };
  return outcome === "absent"
    ? { kind: "absent", reason: `the status is ${shown}` }
    : { kind: "waiting", reason: `the status is ${shown}` };
}

function accountIn(body: unknown, account: AttrPath | undefined): { readonly account?: string } {
  const value = account === undefined ? undefined : valueAt(body, account);
  return typeof value === "string" && value !== "" ? { account: cleanText(value, 100) } : {};
}

function problemsIn(body: unknown, error: AttrPath | undefined, status: string): ReturnType<typeof replyProblems> {
  const found = error === undefined ? undefined : valueAt(body, error);
  if (found !== undefined && found !== null) return replyProblems(found);
  return replyProblems({ code: status, detail: `The platform ended the import as ${status}.` });
}
