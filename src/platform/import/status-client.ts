import type { Poll } from "../../contract/operations/operation.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { joinPath } from "../../transport/base-url.ts";
import type { HttpReply } from "../../transport/http.ts";
import { lookupPath } from "../request-address.ts";
import { sendClassified, type RequestDependencies } from "./classified-request.ts";
import type { ImportClient } from "./import-client.ts";
import { classifyReply } from "../reply/classify-reply.ts";
import { accountAt, cleanText, TRUNCATED, isHtml, parseBody, unreadableReason } from "../reply/reply-body.ts";
import { contradictionIn, namesOfKey, sentRecordMismatch } from "../reply/named-record.ts";
import { operationMismatch } from "../reply/reply-trust.ts";
import { replyProblems } from "../reply/reply-problems.ts";
import type { Classification, ReplyClass } from "../reply/reply-class.ts";

/** Queries the status of work that the platform performs asynchronously. */
export interface StatusClient {
  /**
   * One query. `accepted` and `rejected` are final; `waiting` and `absent` (nothing in progress) are not. Never throws
   * for a reply or a transport error, and changes nothing.
   */
  readonly poll: ImportClient["send"];
  /** Initial milliseconds between two queries. */
  readonly intervalMs: number;
  /** Milliseconds after which a run stops waiting. */
  readonly timeoutMs: number;
}

/** @param key path of a record's business key in its payload */
export function createStatusClient(poll: Poll, tools: RequestDependencies, key?: AttrPath): StatusClient {
  const { interval, patience, parameters, account } = poll;
  const keyNames = namesOfKey(parameters, key);
  const operation = { ...poll.operation, keyNames, ...definedMembers({ key, account }) };
  return {
    intervalMs: interval * 1000,
    timeoutMs: patience * 1000,
    poll: (payload, signal, maySend, given) =>
      sendClassified(
        {
          method: "GET",
          url: joinPath(tools.baseUrl, lookupPath(poll, { payload, parameters: given?.parameters })),
          signal,
          maySend,
          classify: (reply) => classifyStatus(reply, { ...poll, operation }, tools.clock.now(), payload),
        },
        tools,
      ),
  };
}

function classifyStatus(reply: HttpReply, poll: Poll, now: number, payload: JsonObject): Classification {
  const body = parseBody(reply);
  if (reply.status === 404 && !isHtml(reply)) return { replyClass: classOfNotFound(reply, body, poll, payload) };
  if (reply.status !== 200) return withoutRequestRejection(classifyReply(reply, poll.operation, now, payload), reply);
  const distrust = operationMismatch(reply, body, poll.operation, payload);
  if (distrust !== undefined) return { replyClass: { kind: "ambiguous", reason: distrust, notFromApi: true } };
  const status = valueAt(body, poll.status);
  if (typeof status !== "string") {
    return { replyClass: { kind: "ambiguous", reason: "HTTP 200 without a status", notFromApi: body === undefined } };
  }
  const replyClass = classOfStatus(status, body, poll);
  const mismatch = replyClass.kind === "accepted" ? contradictionOf(status, body, poll, payload) : undefined;
  return { replyClass: mismatch ?? replyClass };
}

/**
 * Two replies with status 404 prove that the request to schedule never arrived, so each is checked as strictly as a
 * success.
 */
function classOfNotFound(
  reply: HttpReply,
  body: JsonValue | undefined,
  { operation }: Poll,
  payload: JsonObject,
): ReplyClass {
  const mismatch = unreadableReason(reply, body) ?? sentRecordMismatch(body, operation, payload);
  if (mismatch === undefined) return { kind: "absent", reason: "HTTP 404" };
  return { kind: "ambiguous", reason: `HTTP 404, ${mismatch}`, notFromApi: mismatch !== TRUNCATED };
}

/** A rejection of the status request says nothing about the record, unless the contract names that reply. */
function withoutRequestRejection(classification: Classification, { status }: HttpReply): Classification {
  const { replyClass } = classification;
  if (replyClass.kind !== "rejected" || replyClass.isFinal === true) return classification;
  return { ...classification, replyClass: { kind: "ambiguous", reason: `HTTP ${status}`, notFromApi: false } };
}

/** A success status settles a record only if the rest of the reply does not contradict it. */
function contradictionOf(
  status: string,
  body: JsonValue | undefined,
  { status: place, account }: Poll,
  payload: JsonObject,
): ReplyClass | undefined {
  const shown = cleanText(status, 60);
  const number = account && valueAt(body, account);
  if (account !== undefined && (number === null || number === "")) {
    return { kind: "waiting", reason: `the status is ${shown}, without ${formatAttr(account)}` };
  }
  // The contract defines the meaning of the status.
  const judged = { ...payload, [formatAttr(place)]: status };
  const contradiction = body === undefined ? undefined : contradictionIn(body, judged);
  if (contradiction === undefined) return undefined;
  return { kind: "ambiguous", reason: `HTTP 200 with ${cleanText(contradiction, 100)} in its body`, notFromApi: true };
}

function classOfStatus(status: string, body: JsonValue | undefined, { outcomes, account, error }: Poll): ReplyClass {
  const outcome = Object.hasOwn(outcomes, status) ? outcomes[status] : undefined;
  const shown = cleanText(status, 60);
  if (outcome === "accepted") return { kind: "accepted", ...accountAt(body, account === undefined ? [] : [account]) };
  if (outcome === "rejected") return { kind: "rejected", problems: problemsIn(body, error, shown), isFinal: true };
  return outcome === "absent"
    ? { kind: "absent", reason: `the status is ${shown}` }
    : { kind: "waiting", reason: `the status is ${shown}` };
}

function problemsIn(
  body: JsonValue | undefined,
  error: AttrPath | undefined,
  status: string,
): ReturnType<typeof replyProblems> {
  const found = error === undefined ? undefined : valueAt(body, error);
  if (found !== undefined && found !== null) return replyProblems(found);
  return replyProblems({ code: status, detail: `The import on the platform ended with the status ${status}.` });
}
