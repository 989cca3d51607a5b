import type { PlatformProblem } from "../../model/problem.ts";
import { completedStep, type StepValues } from "../../contract/operations/completed-step.ts";
import type { Operation, PlainOperation, Poll, Step } from "../../contract/operations/operation.ts";
import { type AttrPath, NON_FIELD_ERRORS, formatAttr } from "../../json/attr.ts";
import { typesWithin } from "../../contract/types/type-tree.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { joinPath } from "../../transport/base-url.ts";
import type { HttpReply } from "../../transport/http.ts";
import { classifyReply } from "../reply/classify-reply.ts";
import { contradictionIn, namesOfKey, sentRecordMismatch } from "../reply/named-record.ts";
import {
  TRUNCATED,
  accountAt,
  cleanText,
  codeText,
  isEmpty,
  isHtml,
  notFoundMismatch,
  parseBody,
} from "../reply/reply-body.ts";
import { ambiguous, type Classification, type ReplyClass } from "../reply/reply-class.ts";
import { replyProblems, UNREADABLE } from "../reply/reply-problems.ts";
import { operationMismatch } from "../reply/reply-trust.ts";
import { lookupPath } from "../request-address.ts";
import { type RequestDependencies, type RequestResult, sendClassified } from "./classified-request.ts";
import { type ImportClient, createImportClient } from "./import-client.ts";

export interface StepClient extends ImportClient {
  /** The step's name; absent if a record needs only one request. */
  readonly name?: string;
  /** Returns the step in the form that the ledger stores when the step is complete (`completedStep`). */
  readonly completed?: (fields: StepValues | undefined) => string;
  /** Whether the step creates nothing, so that repeating it is harmless. */
  readonly idempotent: boolean;
  /** Whether the platform never creates two objects for one business key. */
  readonly dedupesByKey: boolean;
  /** Queries the result of the step if the step's reply does not contain the result. */
  readonly status?: StatusClient;
  /** The choices in the payload's type, as text. They are not confidential, so problems may quote them. */
  readonly choices?: ReadonlySet<string>;
}

/** Returns the clients for the requests that a record needs, in order; at least one. */
export function createStepClients(operation: Operation, tools: RequestDependencies): readonly StepClient[] {
  const choices = choicesIn(operation);
  if (operation.steps.length > 0)
    return operation.steps.map((step, index, all) => ({
      ...stepClient(step, operation, tools),
      completed: (fields) => completedStep(all.slice(0, index + 1), fields),
      choices,
    }));
  const client = createImportClient({ ...tools, operation: { ...operation, creates: true } });
  return [{ ...client, idempotent: false, dedupesByKey: operation.dedupesByKey, choices }];
}

function choicesIn({ body }: Operation): ReadonlySet<string> {
  const types = body === undefined ? [] : typesWithin(body);
  return new Set(types.flatMap((type) => (type.kind === "choice" ? type.choices.map(String) : [])));
}

/**
 * Returns the client for a run that must not create anything: it only sends the payload to the platform's own
 * validation. Returns undefined if the operation has no validation.
 */
export function createRemoteValidation(whole: Operation, tools: RequestDependencies): StepClient | undefined {
  const { steps, key } = whole;
  const step = steps.find(({ kind, body }) => kind === "validate" && body === undefined);
  const operation = step?.operation ?? steps.find(({ reasons }) => reasons !== undefined)?.reasons;
  if (operation === undefined) return undefined;
  const validation = { ...withKey(operation, key), validates: true };
  const client = createImportClient({ ...tools, operation: validation, compareEcho: true });
  return { ...client, name: step?.name ?? "validate", idempotent: true, dedupesByKey: true, choices: choicesIn(whole) };
}

/** Sets the key of the workflow. The replies to all steps must identify the record by this key. */
function withKey(operation: PlainOperation, key: AttrPath | undefined): PlainOperation {
  return key === undefined ? operation : { ...operation, key };
}

/** @param whole the operation of the record, with the path of its business key in its payload */
function stepClient(step: Step, { key, ...whole }: Operation, tools: RequestDependencies): StepClient {
  const { name, kind, operation, body = {}, reasons, poll } = step;
  const fields = Object.entries(body).map(
    ([field, source]) => [field, "attr" in source ? source.attr : undefined] as const,
  );
  const keyNames = namesOfKey(Object.fromEntries(fields), key);
  const sentTo = { ...withKey(operation, key), creates: kind === "process", validates: kind === "validate", keyNames };
  // The replies about a payload that an earlier step sent may name its fields as in the request of that step.
  const sendsFieldsOnly = step.body !== undefined && operation.wrap === undefined;
  const wrapInReplies = sendsFieldsOnly && !Object.hasOwn(body, whole.wrap ?? "") ? whole.wrap : operation.wrap;
  const client = createImportClient({
    ...tools,
    operation: sentTo,
    ...definedMembers({ body: step.body, wrapInReplies }),
  });
  const explain = reasons === undefined ? unexplained : explainer(withKey(reasons, key), tools);
  const status = poll && createStatusClient(poll, tools, { ...sentTo, ...definedMembers({ wrap: wrapInReplies }) });
  return {
    name,
    idempotent: kind === "validate" || kind === "stage",
    dedupesByKey: operation.dedupesByKey,
    send: async (...asked) => explain(await client.send(...asked), ...asked),
    ...(status !== undefined && {
      status: { ...status, poll: async (...asked) => explain(await status.poll(...asked), ...asked) },
    }),
  };
}

type Explain = (answer: RequestResult, ...asked: Parameters<ImportClient["send"]>) => Promise<RequestResult>;

const unexplained: Explain = (answer) => Promise.resolve(answer);

/**
 * Returns a function for rejections that name no field. The function asks the `reasons` operation for the problems of
 * the record. If any of them names a field, they replace the known problems; otherwise, they are added. If the request
 * to that operation is cancelled before it is sent, the result is `cancelled` too: nothing was processed, and the next
 * attempt repeats both requests.
 */
function explainer(reasons: PlainOperation, tools: RequestDependencies): Explain {
  const client = createImportClient({ ...tools, operation: { ...reasons, validates: true } });
  return async (answer, ...[payload, signal, maySend, given]) => {
    const { replyClass } = answer;
    if (replyClass.kind !== "rejected" || replyClass.problems.some(isAtField)) return answer;
    const { replyClass: reasonClass } = await client.send(payload, signal, maySend, { parameters: given?.parameters });
    if (reasonClass.kind === "cancelled") return { ...answer, replyClass: reasonClass };
    if (reasonClass.kind !== "rejected") return answer;
    const { problems } = reasonClass;
    const added = problems.some(isAtField) ? problems : withoutRepetitions([...replyClass.problems, ...problems]);
    return { ...answer, replyClass: { ...replyClass, problems: added } };
  };
}

function isAtField({ attr }: PlatformProblem): boolean {
  return attr !== NON_FIELD_ERRORS;
}

/** Omits repeated problems, and the problem of a reply without readable reasons if there is another problem. */
function withoutRepetitions(problems: readonly PlatformProblem[]): readonly PlatformProblem[] {
  const readable = problems.filter(({ code }) => code !== UNREADABLE);
  const texts = readable.map(({ code, detail }) => JSON.stringify([code, detail]));
  return readable.length === 0
    ? problems.slice(0, 1)
    : readable.filter((_, at) => texts.indexOf(texts[at] ?? "") === at);
}

/** Queries the status of work that the platform performs asynchronously. */
interface StatusClient {
  /**
   * Sends one query. `accepted` and `rejected` are final; `waiting` and `absent` (nothing in progress) are not final.
   * Never throws for a reply or a transport error, and changes nothing.
   */
  readonly poll: ImportClient["send"];
  /** Initial time between two queries. */
  readonly intervalMs: number;
  /** Time after which a run stops waiting. */
  readonly timeoutMs: number;
}

/** @param step the operation of the step whose status is queried */
function createStatusClient(poll: Poll, tools: RequestDependencies, { key, wrap }: PlainOperation): StatusClient {
  const { interval, patience, parameters, account } = poll;
  const keyNames = namesOfKey(parameters, key);
  const operation = { ...poll.operation, keyNames, ...definedMembers({ key, wrap, account }) };
  return {
    intervalMs: interval * 1000,
    timeoutMs: patience * 1000,
    poll: async (payload, signal, maySend, given) => {
      const target = lookupPath(poll, { payload, parameters: given?.parameters });
      if ("reason" in target) return { replyClass: { kind: "cancelled", ...target }, durationMs: 0 };
      const url = joinPath(tools.baseUrl, target.path);
      const classify = (reply: HttpReply): Classification =>
        classifyStatus(reply, { ...poll, operation }, tools.clock.now(), payload);
      return sendClassified({ method: "GET", url, signal, maySend, classify }, tools);
    },
  };
}

function classifyStatus(reply: HttpReply, poll: Poll, now: number, payload: JsonObject): Classification {
  const body = parseBody(reply);
  if (reply.status === 404 && !isHtml(reply)) return { replyClass: classOfNotFound(reply, body, poll, payload) };
  if (reply.status !== 200) return withoutRequestRejection(classifyReply(reply, poll.operation, now, payload), reply);
  const distrust = operationMismatch(reply, body, poll.operation, payload);
  if (distrust !== undefined) return { replyClass: ambiguous(distrust, true) };
  const status = codeText(valueAt(body, poll.status));
  if (status === undefined) return { replyClass: ambiguous("HTTP 200 without a status", body === undefined) };
  const replyClass = classOfStatus(status, body, poll);
  const mismatch = replyClass.kind === "accepted" ? contradictionOf(status, body, poll, payload) : undefined;
  return { replyClass: mismatch ?? replyClass };
}

/**
 * Two replies with status 404 prove that the scheduling request never arrived, so each reply is checked as strictly as
 * a success.
 */
function classOfNotFound(
  reply: HttpReply,
  body: JsonValue | undefined,
  { operation }: Poll,
  payload: JsonObject,
): ReplyClass {
  const mismatch = notFoundMismatch(reply, body) ?? sentRecordMismatch(body, operation, payload, reply.status);
  if (mismatch === undefined) return { kind: "absent", reason: "HTTP 404" };
  return ambiguous(`HTTP 404 ${mismatch}`, mismatch !== TRUNCATED);
}

/**
 * A rejection of the status request says nothing about the record, unless the contract names that reply. Neither does a
 * status such as 410, which ends the run only in the reply to a request that sends a record.
 */
function withoutRequestRejection(classification: Classification, reply: HttpReply): Classification {
  const { replyClass } = classification;
  const isWrongEndpoint = replyClass.kind === "stop" && replyClass.failure.code === "wrong_endpoint";
  if (!isWrongEndpoint && (replyClass.kind !== "rejected" || replyClass.isFinal === true)) return classification;
  return { ...classification, replyClass: ambiguous(`HTTP ${reply.status}`, isHtml(reply)) };
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
  if (account !== undefined && number !== undefined && isEmpty(number)) {
    return { kind: "waiting", reason: `the status is ${shown}, but the reply has no ${formatAttr(account)}` };
  }
  // Treats the status as a sent value, so that it does not count as a contradiction: the contract defines its meaning.
  const judged = { ...payload, [formatAttr(place)]: valueAt(body, place) ?? status };
  const contradiction = body === undefined ? undefined : contradictionIn(body, judged);
  if (contradiction === undefined) return undefined;
  return ambiguous(`HTTP 200 with ${cleanText(contradiction, 100)} in its body`, true);
}

function classOfStatus(status: string, body: JsonValue | undefined, poll: Poll): ReplyClass {
  const { outcomes, account } = poll;
  const outcome = Object.hasOwn(outcomes, status) ? outcomes[status] : undefined;
  const shown = cleanText(status, 60);
  const known = accountAt(body, account === undefined ? [] : [account]);
  if (outcome === "accepted") return { kind: "accepted", ...known };
  if (outcome === "rejected") return { kind: "rejected", problems: problemsIn(body, poll, shown), isFinal: true };
  return outcome === "absent"
    ? { kind: "absent", reason: `the status is ${shown}` }
    : { kind: "waiting", reason: `the status is ${shown}`, ...known };
}

function problemsIn(
  body: JsonValue | undefined,
  { error, operation: { wrap } }: Poll,
  status: string,
): readonly PlatformProblem[] {
  const found = error && valueAt(body, error);
  if (found !== undefined && found !== null) return replyProblems(found, wrap);
  return replyProblems({ code: status, detail: `The import on the platform ended with the status ${status}.` });
}
