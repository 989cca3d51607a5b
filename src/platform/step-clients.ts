import type { Operation } from "../contract/contract.ts";
import type { PlainOperation } from "../contract/plain-operation.ts";
import type { Step } from "../contract/workflow.ts";
import { NON_FIELD_ERRORS } from "../model/attr.ts";
import type { Answer, RequestTools } from "./judged-request.ts";
import { createImportClient, type ImportClient } from "./import-client.ts";
import { createStatusClient, type StatusClient } from "./status-client.ts";

/** One of the requests that a record passes through, ready to be made. */
export interface StepClient extends ImportClient {
  /** The step's name; absent where one request is all. */
  readonly name?: string;
  /** It creates nothing: to make it twice, or once too often, does no harm. */
  readonly harmless: boolean;
  /** The platform cannot create twice from one business key. */
  readonly dedupes: boolean;
  /** How the end of the step is learnt, where its reply does not tell. */
  readonly status?: StatusClient;
}

/** The steps of an operation, at least one. */
export function createStepClients(operation: Operation, tools: RequestTools): readonly StepClient[] {
  if (operation.steps.length > 0) return operation.steps.map((step) => stepClient(step, tools));
  return [{ ...createImportClient({ ...tools, operation }), harmless: false, dedupes: operation.dedupes }];
}

/**
 * The platform's own validation alone, for a run that is to create nothing: the first step that validates the payload
 * itself. Undefined where the operation has none.
 */
export function createRehearsal({ steps }: Operation, tools: RequestTools): StepClient | undefined {
  const step = steps.find(({ kind, body }) => kind === "validate" && body === undefined);
  const operation = step?.operation ?? steps.find(({ reasons }) => reasons !== undefined)?.reasons;
  if (operation === undefined) return undefined;
  const client = createImportClient({ ...tools, operation, compareEcho: true });
  return { ...client, name: step?.name ?? "validate", harmless: true, dedupes: true };
}

function stepClient(step: Step, tools: RequestTools): StepClient {
  const { name, kind, operation, body, reasons, poll } = step;
  const client = createImportClient({ ...tools, operation, ...(body !== undefined && { body }) });
  const explain = reasons === undefined ? unexplained : explainer(reasons, tools);
  const status = poll === undefined ? undefined : createStatusClient(poll, tools);
  return {
    name,
    harmless: kind === "validate" || kind === "stage",
    dedupes: operation.dedupes,
    send: async (...asked) => explain(await client.send(...asked), ...asked),
    ...(status !== undefined && {
      status: {
        ...status,
        ask: async (...asked) => explain(await status.ask(...asked), ...asked),
      },
    }),
  };
}

type Explain = (answer: Answer, ...asked: Parameters<ImportClient["send"]>) => Promise<Answer>;

const unexplained: Explain = (answer) => Promise.resolve(answer);

/**
 * A refusal that names no field is explained by the operation that knows; what that one adds, and nothing else, counts.
 * Held back, the record is: nothing was done for it, and its next try is refused and explained.
 */
function explainer(reasons: PlainOperation, tools: RequestTools): Explain {
  const client = createImportClient({ ...tools, operation: reasons });
  return async (answer, payload, signal, mayLeave) => {
    const { verdict } = answer;
    if (verdict.kind !== "rejected" || verdict.problems.some(({ attr }) => attr !== NON_FIELD_ERRORS)) return answer;
    const { verdict: told } = await client.send(payload, signal, mayLeave);
    if (told.kind === "held") return { ...answer, verdict: told };
    if (told.kind !== "rejected") return answer;
    return { ...answer, verdict: { ...verdict, problems: told.problems } };
  };
}
