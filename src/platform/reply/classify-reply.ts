import { jsonMediaType } from "../../contract/operations/document-part.ts";
import { namesInPath } from "../../contract/operations/request-parameters.ts";
import { ACCOUNT_FIELDS, documentedReply } from "../../contract/operations/documented-reply.ts";
import type { DocumentedReply, Operation, OutcomeRule } from "../../contract/operations/operation.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { formatAttr } from "../../json/attr.ts";
import { Failure } from "../../model/failure.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import type { PlatformProblem } from "../../model/problem.ts";
import { SUPPLIER_CLOSED } from "../../model/supplier-status.ts";
import { listed } from "../../text/suggestion.ts";
import type { HttpReply } from "../../transport/http.ts";
import { hadItems, type ItemOperation, itemProblems, replyProblems } from "./reply-problems.ts";
import { sentRecordMismatch } from "./named-record.ts";
import { accountAt, codeText, isEmpty, isHtml, parseBody, TRUNCATED, unreadableReason } from "./reply-body.ts";
import { retryAfterMs } from "../../transport/retrying-http.ts";
import { reasonForDistrust, type RepliesContract } from "./reply-trust.ts";
import {
  ambiguous,
  type Classification,
  isNotAuthenticated,
  type PushBack,
  type ReplyClass,
  statusFailure,
} from "./reply-class.ts";

type ClassifiedOperation = Pick<Operation, "wrap" | "path"> & RepliesContract & ItemOperation;

/**
 * Classifies a reply for its record: the contract's `x-migrate-outcomes` in order, then the defaults
 * (docs/contract.md). 5xx statuses are ambiguous unless the contract states that nothing was processed (RFC 9110,
 * 9.2.2). A success that violates the contract is not trusted (`reasonForDistrust`). A reply settles no record if its
 * body is unreadable or names another record.
 * @param now wall clock, for a `Retry-After` with a date
 * @param payload the sent payload, for the business key in the reply
 */
export function classifyReply(
  reply: HttpReply,
  operation: ClassifiedOperation,
  now: number,
  payload?: JsonObject,
): Classification {
  const facts = factsOf(reply, operation, now, payload);
  const replyClass = withItemResults(classOf(facts, operation), facts, operation, payload);
  return facts.pushBack === undefined ? { replyClass } : { replyClass, pushBack: facts.pushBack };
}

interface Facts {
  readonly reply: HttpReply;
  readonly body: JsonValue | undefined;
  readonly problems: readonly PlatformProblem[];
  readonly pushBack: PushBack | undefined;
  /** The reason why a success is not trusted. */
  readonly distrust: string | undefined;
  /** The class of a reply that cannot settle its record, regardless of its meaning (`unsettledBy`). */
  readonly unsettled: Classification["replyClass"] | undefined;
}

function factsOf(
  reply: HttpReply,
  operation: ClassifiedOperation,
  now: number,
  payload: JsonObject | undefined,
): Facts {
  const body = parseBody(reply);
  return {
    reply,
    body,
    distrust: reply.status < 300 ? reasonForDistrust(reply, body, operation, payload) : undefined,
    unsettled: unsettledBy(reply, body, operation, payload),
    problems: reply.status >= 400 ? replyProblems(body, operation.wrap, reply.status) : [],
    pushBack: pushBackOf(reply, now),
  };
}

/** Statuses that ask for a slower rate only if the reply has a `Retry-After` header. */
const POSTPONED_STATUSES: ReadonlySet<number> = new Set([408, 421, 425]);

function pushBackOf(reply: HttpReply, now: number): PushBack | undefined {
  const afterMs = retryAfterMs(reply, now);
  const isThrottled = reply.status === 429 || reply.status === 503;
  if (!isThrottled && (afterMs === undefined || !POSTPONED_STATUSES.has(reply.status))) return undefined;
  return { reason: `HTTP ${reply.status}`, ...(afterMs === undefined ? {} : { afterMs }) };
}

function unsettledBy(
  reply: HttpReply,
  body: JsonValue | undefined,
  operation: ClassifiedOperation,
  payload: JsonObject | undefined,
): ReplyClass | undefined {
  const unreadable = unreadableReason(reply, body);
  if (unreadable !== undefined) {
    return ambiguous(`HTTP ${reply.status} ${unreadable}`, unreadable !== TRUNCATED);
  }
  const foreign = sentRecordMismatch(body, operation, payload, reply.status);
  return foreign === undefined ? undefined : notFromApi(`HTTP ${reply.status} ${foreign}`);
}

/**
 * Converts a success with rejected items into a rejection, because a person must review these items. Notes whether the
 * platform had every item already.
 */
function withItemResults(
  replyClass: ReplyClass,
  { reply, body }: Facts,
  operation: ClassifiedOperation,
  payload: JsonObject | undefined,
): ReplyClass {
  if (replyClass.kind !== "accepted" || reply.status >= 300) return replyClass;
  const problems = itemProblems(body, operation, payload);
  if (problems.length === 0) return hadItems(body, operation, payload) ? { ...replyClass, hadItems: true } : replyClass;
  const { account } = replyClass;
  return { kind: "rejected", problems, isPartial: true, isFinal: true, ...(account !== undefined && { account }) };
}

function matches(rule: OutcomeRule, { reply, body, problems }: Facts): boolean {
  const { code, has } = rule;
  if (!hasStatus(rule, reply)) return false;
  if (has !== undefined && isEmpty(valueAt(body, has))) return false;
  return (
    code === undefined ||
    codeText(valueAt(body, ["code"])) === code ||
    problems.some((problem) => problem.code === code)
  );
}

function hasStatus({ status }: OutcomeRule, reply: HttpReply): boolean {
  return status === (typeof status === "number" ? reply.status : `${Math.floor(reply.status / 100)}xx`);
}

function classOf(facts: Facts, operation: ClassifiedOperation): ReplyClass {
  const { reply, unsettled } = facts;
  if (reply.status < 300 && isHtml(reply)) return notFromApi(`HTTP ${reply.status} with a web page`);
  if (reply.status < 300 && unsettled !== undefined && !reply.complete) return unsettled;
  const rule = operation.outcomes.find((candidate) => matches(candidate, facts));
  const replyClass = rule === undefined ? byDefault(facts, operation) : byRule(rule, facts, operation);
  const isSettled = replyClass.kind === "accepted" || (replyClass.kind === "rejected" && reply.status !== TOO_LARGE);
  return isSettled ? (unsettled ?? replyClass) : replyClass;
}

/**
 * HTTP 413. The status alone is conclusive: a server may send it before it has read the request, then close the
 * connection.
 */
const TOO_LARGE = 413;

function byRule(rule: OutcomeRule, facts: Facts, operation: ClassifiedOperation): ReplyClass {
  const { outcome } = rule;
  if (outcome === "accepted" || outcome === "exists") {
    if (facts.distrust !== undefined) return notFromApi(facts.distrust);
    const account = accountAt(facts.body, rule.account === undefined ? ACCOUNT_FIELDS : [rule.account]);
    return { kind: "accepted", ...account, ...(existsBy(rule, facts, operation) && { exists: true }) };
  }
  if (outcome === "retry") return retry(facts);
  if (outcome === "ambiguous") return ambiguous(`HTTP ${facts.reply.status}`);
  if (outcome === "blocked") return { kind: outcome, problems: explained(facts, operation) };
  return { kind: outcome, problems: explained(facts, operation), isFinal: isNamed(rule, facts) };
}

/** Whether the record exists on the platform already, according to a rule with the outcome `accepted` or `exists`. */
function existsBy({ outcome, account }: OutcomeRule, { reply }: Facts, { validates }: ClassifiedOperation): boolean {
  // Some platforms reply to a successful dry run with an error status and without an account number.
  const isDryRun = validates === true && account === undefined;
  return outcome === "exists" || (reply.status >= 300 && !isDryRun);
}

/**
 * Whether the rule identifies this reply by more than an error status. The status alone could also mean that the
 * platform rejected a repeated request.
 */
function isNamed({ code, has }: OutcomeRule, { reply }: Facts): boolean {
  return reply.status < 300 || code !== undefined || has !== undefined;
}

function retry({ reply, pushBack }: Facts): ReplyClass {
  return { kind: "retry", reason: `HTTP ${reply.status}`, ...definedMembers({ afterMs: pushBack?.afterMs }) };
}

/**
 * Returns the problems of a rejection. A 2xx reply that the contract defines as a rejection also has its reasons in the
 * body.
 */
function explained({ problems, body, reply }: Facts, { wrap }: ClassifiedOperation): readonly PlatformProblem[] {
  return problems.length > 0 ? problems : replyProblems(body, wrap, reply.status);
}

function byDefault(facts: Facts, operation: ClassifiedOperation): ReplyClass {
  const { status } = facts.reply;
  if (status < 300) return classifySuccess(facts, operation);
  // RFC 9110, 15.4.4: the server has performed the request, and the redirect leads to its result.
  if (status === 303 && operation.method !== "GET") return notFromApi("HTTP 303: the platform may have the record");
  if (status < 500) return classifyRefusal(facts, operation);
  return ambiguous(`HTTP ${status}`);
}

const SUCCESS_STATUSES: ReadonlySet<number> = new Set([200, 201, 202]);

function classifySuccess({ reply, body, distrust }: Facts, operation: ClassifiedOperation): ReplyClass {
  if (distrust !== undefined) return notFromApi(distrust);
  const { replies = [], outcomes } = operation;
  const { has } = outcomes.find((rule) => rule.outcome === "accepted" && rule.has && hasStatus(rule, reply)) ?? {};
  if (has !== undefined) return notFromApi(`HTTP ${reply.status} without "${formatAttr(has)}"`);
  const documented = replies.length === 0 ? undefined : documentedReply(operation, reply.status);
  const hasJson = isJsonObject(body) || isJsonArray(body);
  if (hasJson && (documented !== undefined || SUCCESS_STATUSES.has(reply.status)))
    return { kind: "accepted", ...accountAt(body, ACCOUNT_FIELDS) };
  return isJsonOptional(reply, documented)
    ? { kind: "accepted" }
    : notFromApi(`HTTP ${reply.status} without the expected JSON`);
}

/**
 * Whether a reply without JSON is as documented. If the contract does not document the reply, an empty body with status
 * 201 or 202 is sufficient.
 */
function isJsonOptional({ status, body }: HttpReply, documented: DocumentedReply | undefined): boolean {
  if (documented === undefined) return body === "" && (status === 201 || status === 202);
  if (documented.body !== undefined) return false;
  return body === "" || (documented.mediaTypes.length > 0 && jsonMediaType(documented.mediaTypes) === undefined);
}

function notFromApi(reason: string): ReplyClass {
  return ambiguous(reason, true);
}

const WRONG_ENDPOINT_STATUSES: ReadonlySet<number> = new Set([404, 405, 406, 410, 415]);
const NOT_PROCESSED_STATUSES: ReadonlySet<number> = new Set([421, 425, 429]);

function classifyRefusal(facts: Facts, operation: ClassifiedOperation): ReplyClass {
  const { reply, problems } = facts;
  const { status } = reply;
  const codes = problems.map((problem) => problem.code);
  const failure = statusFailure(reply, { what: operation.path, permission: "import", showsPath: true });
  if (codes.includes(SUPPLIER_CLOSED) || valueAt(facts.body, ["code"]) === SUPPLIER_CLOSED) {
    return { kind: "blocked", problems };
  }
  if (status === 401 || (status === 403 && codes.some(isNotAuthenticated))) {
    return { kind: "unauthorised" };
  }
  if (failure !== undefined) return { kind: "stop", failure };
  if (NOT_PROCESSED_STATUSES.has(status)) return retry(facts);
  // A proxy may have forwarded the complete request and then timed out while it waited for the platform.
  if (status === 408) {
    return reply.isEarly === true ? retry(facts) : ambiguous("HTTP 408 after the whole request was sent");
  }
  if (status === 409) return ambiguous("HTTP 409: the record may already exist");
  if (WRONG_ENDPOINT_STATUSES.has(status)) return { kind: "stop", failure: wrongEndpoint(status, operation) };
  return { kind: "rejected", problems };
}

function wrongEndpoint(status: number, operation: ClassifiedOperation): Failure {
  return new Failure("wrong_endpoint", `the platform does not accept records at ${operation.path} (HTTP ${status})`, {
    hint: wrongEndpointHint(status, operation),
  });
}

function wrongEndpointHint(status: number, { path }: ClassifiedOperation): string {
  const names = namesInPath(path);
  if (status !== 404 || names.length === 0) return "check the base URL and the contract's path for this operation";
  return `check the base URL, the contract's path for this operation, and the record's ${listed(names)}. If a 404 means that only the record is wrong, declare { status: 404, outcome: rejected } in x-migrate-outcomes (docs/contract.md)`;
}
