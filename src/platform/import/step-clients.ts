import type { Operation, PlainOperation, Step } from "../../contract/operations/operation.ts";
import { type AttrPath, NON_FIELD_ERRORS } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { namesOfKey } from "../reply/named-record.ts";
import type { RequestResult, RequestDependencies } from "./classified-request.ts";
import { createImportClient, type ImportClient } from "./import-client.ts";
import { createStatusClient, type StatusClient } from "./status-client.ts";

/** One of the requests that a record passes through, ready to be made. */
export interface StepClient extends ImportClient {
  /** The step's name; absent where one request is all. */
  readonly name?: string;
  /** It creates nothing: to make it twice, or once too often, does no harm. */
  readonly idempotent: boolean;
  /** The platform cannot create twice from one business key. */
  readonly dedupesByKey: boolean;
  /** How the end of the step is learnt, where its reply does not tell. */
  readonly status?: StatusClient;
}

/** The steps of an operation, at least one. */
export function createStepClients(operation: Operation, tools: RequestDependencies): readonly StepClient[] {
  if (operation.steps.length > 0) return operation.steps.map((step) => stepClient(step, operation.key, tools));
  const client = createImportClient({ ...tools, operation: { ...operation, creates: true } });
  return [{ ...client, idempotent: false, dedupesByKey: operation.dedupesByKey }];
}

/**
 * The platform's own validation alone, for a run that is to create nothing: the first step that validates the payload
 * itself. Undefined where the operation has none.
 */
export function createRemoteValidation({ steps, key }: Operation, tools: RequestDependencies): StepClient | undefined {
  const step = steps.find(({ kind, body }) => kind === "validate" && body === undefined);
  const operation = step?.operation ?? steps.find(({ reasons }) => reasons !== undefined)?.reasons;
  if (operation === undefined) return undefined;
  const client = createImportClient({ ...tools, operation: withKey(operation, key), compareEcho: true });
  return { ...client, name: step?.name ?? "validate", idempotent: true, dedupesByKey: true };
}

/** The replies of every step are to name the record by the key of the workflow. */
function withKey(operation: PlainOperation, key: AttrPath | undefined): PlainOperation {
  return key === undefined ? operation : { ...operation, key };
}

/** @param key where the business key of a record lies in its payload */
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
 * A refusal that names no field is explained by the operation that knows; what that one adds, and nothing else, counts.
 * Held back, the record is: nothing was done for it, and its next try is refused and explained.
 */
function explainer(reasons: PlainOperation, tools: RequestDependencies): Explain {
  const client = createImportClient({ ...tools, operation: reasons });
  return async (answer, ...[payload, signal, maySend, given]) => {
    const { replyClass } = answer;
    if (replyClass.kind !== "rejected" || replyClass.problems.some(({ attr }) => attr !== NON_FIELD_ERRORS))
      return answer;
    const { replyClass: told } = await client.send(payload, signal, maySend, { parameters: given?.parameters });
    if (told.kind === "cancelled") return { ...answer, replyClass: told };
    if (told.kind !== "rejected") return answer;
    return { ...answer, replyClass: { ...replyClass, problems: told.problems } };
  };
}
