import type { Operation, PlainOperation, Step } from "../../contract/operations/operation.ts";
import { type AttrPath, NON_FIELD_ERRORS } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { namesOfKey } from "../reply/named-record.ts";
import type { RequestResult, RequestDependencies } from "./classified-request.ts";
import { createImportClient, type ImportClient } from "./import-client.ts";
import { createStatusClient, type StatusClient } from "./status-client.ts";

/** A client for one of the requests that a record needs. */
export interface StepClient extends ImportClient {
  /** The step's name; absent if a record needs only one request. */
  readonly name?: string;
  /** Whether the step creates nothing, so that repeating it is harmless. */
  readonly idempotent: boolean;
  /** Whether the platform never creates two objects for one business key. */
  readonly dedupesByKey: boolean;
  /** Queries the result of the step, if its reply does not contain it. */
  readonly status?: StatusClient;
}

/** The steps of an operation, at least one. */
export function createStepClients(operation: Operation, tools: RequestDependencies): readonly StepClient[] {
  if (operation.steps.length > 0) return operation.steps.map((step) => stepClient(step, operation.key, tools));
  const client = createImportClient({ ...tools, operation: { ...operation, creates: true } });
  return [{ ...client, idempotent: false, dedupesByKey: operation.dedupesByKey }];
}

/**
 * The client for a run that must not create anything: it only sends the payload to the platform's own validation.
 * Undefined if the operation has no validation.
 */
export function createRemoteValidation({ steps, key }: Operation, tools: RequestDependencies): StepClient | undefined {
  const step = steps.find(({ kind, body }) => kind === "validate" && body === undefined);
  const operation = step?.operation ?? steps.find(({ reasons }) => reasons !== undefined)?.reasons;
  if (operation === undefined) return undefined;
  const client = createImportClient({ ...tools, operation: withKey(operation, key), compareEcho: true });
  return { ...client, name: step?.name ?? "validate", idempotent: true, dedupesByKey: true };
}

/** Replies of every step must identify the record by the key of the workflow. */
function withKey(operation: PlainOperation, key: AttrPath | undefined): PlainOperation {
  return key === undefined ? operation : { ...operation, key };
}

/** @param key path of a record's business key in its payload */
function stepClient(step: Step, key: AttrPath | undefined, tools: RequestDependencies): StepClient {
  const { name, kind, operation, body = {}, reasons, poll } = step;
  const fields = Object.entries(body).map(
    ([field, source]) => [field, "attr" in source ? source.attr : undefined] as const,
  );
  const keyNames = namesOfKey(Object.fromEntries(fields), key);
  const sentTo = { ...withKey(operation, key), creates: kind === "process", keyNames };
  const client = createImportClient({ ...tools, operation: sentTo, ...definedMembers({ body: step.body }) });
  const explain = reasons === undefined ? unexplained : explainer(withKey(reasons, key), tools);
  const status = poll === undefined ? undefined : createStatusClient(poll, tools, key);
  return {
    name,
    idempotent: kind === "validate" || kind === "stage",
    dedupesByKey: operation.dedupesByKey,
    send: async (...asked) => explain(await client.send(...asked), ...asked),
    ...(status !== undefined && {
      status: {
        ...status,
        poll: async (...asked) => explain(await status.poll(...asked), ...asked),
      },
    }),
  };
}

type Explain = (answer: RequestResult, ...asked: Parameters<ImportClient["send"]>) => Promise<RequestResult>;

const unexplained: Explain = (answer) => Promise.resolve(answer);

/**
 * Returns a function that replaces the problems of a rejection that names no field with the problems that the `reasons`
 * operation reports. If that request is held back, the record is held back too: nothing was processed, and the next
 * attempt repeats both requests.
 */
function explainer(reasons: PlainOperation, tools: RequestDependencies): Explain {
  const client = createImportClient({ ...tools, operation: reasons });
  return async (answer, ...[payload, signal, maySend, given]) => {
    const { replyClass } = answer;
    if (replyClass.kind !== "rejected" || replyClass.problems.some(({ attr }) => attr !== NON_FIELD_ERRORS))
      return answer;
    const { replyClass: reasonClass } = await client.send(payload, signal, maySend, { parameters: given?.parameters });
    if (reasonClass.kind === "cancelled") return { ...answer, replyClass: reasonClass };
    if (reasonClass.kind !== "rejected") return answer;
    return { ...answer, replyClass: { ...replyClass, problems: reasonClass.problems } };
  };
}
