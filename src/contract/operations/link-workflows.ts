import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { fieldAt, type FieldType } from "../types/field-type.ts";
import type { DocumentPart } from "./document-part.ts";
import { operationsNamed } from "./find-operation.ts";
import type { Findings } from "../contract-findings.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { Compilation } from "../types/schema-node.ts";
import { didYouMean } from "../../text/suggestion.ts";
import type { Lookup, Operation, PlainOperation, Poll, ReadBack, Step } from "./operation.ts";
import { namesInPath } from "./request-parameters.ts";
import { pollSchema, readBackSchema, readExtension, stepsSchema, type WrittenStep } from "./operation-extensions.ts";

/** A compiled operation whose references to other operations are not resolved yet. */
export interface UnlinkedOperation extends DocumentPart {
  readonly operation: PlainOperation;
}

/**
 * Resolves the references between operations: steps, polling and reading back. Adds a finding of severity `error` for
 * each error, such as an unknown operation, an attr that the payload does not have, or a missing parameter. A list of
 * steps, a poll or a read-back with an error is omitted.
 */
export function linkWorkflows(all: readonly UnlinkedOperation[], { findings }: Compilation): readonly Operation[] {
  return all.map((owner) => {
    const context: LinkContext = { owner, all, findings };
    const steps = stepsOf(context);
    return { ...owner.operation, steps, readBack: readBackOf(context).map((one) => withPollStatus(one, steps)) };
  });
}

/** Returns the fields that an operation's own steps add next to the wrapped payload. */
export function envelopeFields(written: JsonObject): ReadonlySet<string> {
  const steps = written[STEPS];
  const bodies = (isJsonArray(steps) ? steps : []).map((step) => (isJsonObject(step) ? step["body"] : undefined));
  return new Set(bodies.flatMap((body) => (isJsonObject(body) ? Object.keys(body) : [])));
}

interface LinkContext {
  /** The operation that declares the workflow: steps and parameters use its payload. */
  readonly owner: UnlinkedOperation;
  readonly all: readonly UnlinkedOperation[];
  readonly findings: Findings;
}

const STEPS = "x-migrate-steps";
const POLL = "x-migrate-poll";
const READ_BACK = "x-migrate-read-back";

/** Returns the declared steps. An operation that declares only polling has one step. */
function stepsOf(context: LinkContext): readonly Step[] {
  const { owner, findings } = context;
  const written = readExtension(STEPS, stepsSchema, owner, findings);
  if (written === undefined) {
    const poll = pollOf(owner, context);
    return poll === undefined ? [] : [{ name: "schedule", kind: "schedule", operation: owner.operation, poll }];
  }
  const steps = written
    .map((step, index) => linkStep(step, [...owner.path, STEPS, index], context))
    .filter((step) => step !== undefined);
  return steps.length === written.length && checkStepOrder(steps, context) ? steps : [];
}

function linkStep(step: WrittenStep, place: AttrPath, context: LinkContext): Step | undefined {
  const { operation: name, reasons: reasonsName, outcomes, body = {}, ...rest } = step;
  const found = operationNamed(name, "POST", [...place, "operation"], context);
  const reasons =
    reasonsName === undefined ? found : operationNamed(reasonsName, "POST", [...place, "reasons"], context);
  const attrs = Object.values(body).flatMap((source) => ("attr" in source ? [source.attr] : []));
  if (!checkPayloadFields(attrs, [...place, "body"], context) || found === undefined || reasons === undefined)
    return undefined;
  const { operation } = found;
  return {
    ...rest,
    operation: { ...operation, outcomes: [...outcomes, ...operation.outcomes] },
    ...definedMembers({
      body: step.body,
      reasons: reasonsName === undefined ? undefined : reasons.operation,
      poll: pollOf(found, context),
    }),
  };
}

/**
 * Checks that step names are unique, because the ledger identifies steps by name, and that only the last step creates
 * the record.
 */
function checkStepOrder(steps: readonly Step[], { owner, findings }: LinkContext): boolean {
  const place = [...owner.path, STEPS];
  const names = steps.map(({ name }) => name);
  const repeated = names.findIndex((name, index) => names.indexOf(name) < index);
  if (repeated >= 0) {
    const message = `${STEPS}: two steps are called "${names[repeated]}"; rename one of them`;
    findings.add("error", "bad-extension", message, [...place, repeated]);
    return false;
  }
  const creating = steps.findIndex(({ kind }) => kind === "process" || kind === "schedule");
  if (creating === steps.length - 1) return true;
  const message = `${STEPS}: the last step, and only the last step, must be of kind process or schedule`;
  findings.add("error", "bad-extension", message, creating < 0 ? place : [...place, creating]);
  return false;
}

function pollOf(asked: UnlinkedOperation, context: LinkContext): Poll | undefined {
  const written = readExtension(POLL, pollSchema, asked, context.findings);
  if (written === undefined) return undefined;
  const operation = lookupOperation(written, [...asked.path, POLL], context);
  return operation && { ...written, operation };
}

function readBackOf(context: LinkContext): readonly ReadBack[] {
  const { owner, findings } = context;
  const written = readExtension(READ_BACK, readBackSchema, owner, findings) ?? [];
  return written.flatMap((one, index) => {
    const place = [...owner.path, READ_BACK, index];
    const operation = lookupOperation(one, place, context);
    const attrs = one.match.map(({ payload }) => payload);
    if (one.list !== undefined && !attrs.some((attr) => isKey(attr, owner.operation))) {
      const message = `${READ_BACK}: "match" must include the business key, which identifies the records in a list`;
      findings.add("error", "bad-extension", message, [...place, "match"]);
      return [];
    }
    const { body } = owner.operation;
    const match = one.match.map((pair) => ({
      ...pair,
      ...definedMembers({ type: body && fieldAt(body, pair.payload) }),
    }));
    return operation !== undefined && checkPayloadFields(attrs, [...place, "match"], context)
      ? [{ ...one, match, operation }]
      : [];
  });
}

/**
 * Adds the statuses of the poll to a read-back that queries the same operation and declares no statuses, because the
 * statuses have the same meaning in both.
 */
function withPollStatus(readBack: ReadBack, steps: readonly Step[]): ReadBack {
  if (readBack.status !== undefined || readBack.list !== undefined) return readBack;
  const poll = steps.find((step) => step.poll?.operation.id === readBack.operation.id)?.poll;
  return poll === undefined ? readBack : { ...readBack, status: poll.status, outcomes: poll.outcomes };
}

/** Whether the attr may be the key. If the contract leaves the key to the mapping, any attr may be the key. */
function isKey(attr: AttrPath, { key }: PlainOperation): boolean {
  return key === undefined || formatAttr(attr) === formatAttr(key);
}

/**
 * Returns the GET operation that an extension names. Adds a finding and returns undefined if there is no such
 * operation, if its path parameters are missing or unknown, or if the payload does not have their attrs.
 */
function lookupOperation(
  { operation: name, parameters }: Lookup<string>,
  place: AttrPath,
  context: LinkContext,
): PlainOperation | undefined {
  const found = operationNamed(name, "GET", [...place, "operation"], context);
  if (found === undefined || !checkPayloadFields(Object.values(parameters), [...place, "parameters"], context))
    return undefined;
  const wanted = namesInPath(found.operation.path);
  const open = wanted.find((parameter) => parameters[parameter] === undefined && !isSentInPath(parameter, context));
  const unknown = Object.keys(parameters).find((parameter) => !wanted.includes(parameter));
  if (open === undefined && unknown === undefined) return found.operation;
  const what = open === undefined ? `has no parameter "${unknown}"` : `needs the parameter "${open}"`;
  const message = `${extensionName(place)}: ${found.operation.path} ${what}`;
  return context.findings.add("error", "bad-extension", message, [...place, "parameters"]);
}

/** Whether the path of the operation that declares the workflow has the parameter, so that the mapping supplies it. */
function isSentInPath(name: string, { owner }: LinkContext): boolean {
  return owner.operation.parameters?.some((one) => one.in === "path" && one.name === name) ?? false;
}

function operationNamed(
  name: string,
  method: string,
  place: AttrPath,
  context: LinkContext,
): UnlinkedOperation | undefined {
  const candidates = context.all.filter(({ operation }) => operation.method === method);
  const matches = operationsNamed(
    candidates.map((one) => ({ ...one.operation, one })),
    name,
  );
  const [match, second] = matches;
  if (match !== undefined && second === undefined) return match.one;
  const ids = candidates.map(({ operation }) => operation.id).filter((id) => id !== name);
  const hint = didYouMean(name, ids);
  const what = match === undefined ? `there is no ${method} operation` : `more than one ${method} operation is called`;
  return context.findings.add("error", "bad-extension", `${extensionName(place)}: ${what} "${name}"${hint}`, place);
}

/** Whether the payload has all of these fields. Adds a finding for each missing field. */
function checkPayloadFields(attrs: readonly AttrPath[], place: AttrPath, { owner, findings }: LinkContext): boolean {
  const { body } = owner.operation;
  return attrs.map((attr) => checkPayloadField(body, attr, place, findings)).every(Boolean);
}

/** Whether the payload has the field that an extension names; if not, adds a finding at `place`. */
export function checkPayloadField(
  body: FieldType | undefined,
  attr: AttrPath,
  place: AttrPath,
  findings: Findings,
): boolean {
  if (body !== undefined && canHold(body, attr)) return true;
  const hint = body === undefined ? "" : suggestedField(body, attr);
  const message = `${extensionName(place)}: the payload has no field "${formatAttr(attr)}"${hint}`;
  findings.add("error", "bad-extension", message, place);
  return false;
}

/** Adds a finding if the payload has no list that an extension names. */
export function checkPayloadList(body: FieldType, attr: AttrPath, place: AttrPath, findings: Findings): void {
  if (!checkPayloadField(body, attr, place, findings) || canHold(body, [...attr, 0])) return;
  const message = `${extensionName(place)}: "${formatAttr(attr)}" is not a list in the payload`;
  findings.add("error", "bad-extension", message, place);
}

/** Whether a payload can have a field at this path: a property, or a member of an open object or of a list. */
function canHold(type: FieldType, [name, ...rest]: AttrPath): boolean {
  if (name === undefined || type.kind === "any") return true;
  if (type.kind === "union") return type.options.some((option) => canHold(option, [name, ...rest]));
  if (type.kind === "list") return /^\d+$/.test(String(name)) && canHold(type.items, rest);
  if (type.kind !== "object") return false;
  const member = type.properties.get(String(name))?.type ?? type.additional;
  return member !== "closed" && canHold(member, rest);
}

function suggestedField(type: FieldType, [name, ...rest]: AttrPath): string {
  if (name === undefined) return "";
  const member = fieldAt(type, [name]);
  if (member !== undefined) return suggestedField(member, rest);
  return didYouMean(String(name), type.kind === "object" ? type.properties.keys() : []);
}

function extensionName(place: AttrPath): string {
  return String(place.find((part) => typeof part === "string" && part.startsWith("x-migrate-")) ?? "");
}
