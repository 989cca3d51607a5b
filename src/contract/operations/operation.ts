import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import type { FieldType, ObjectType } from "../types/field-type.ts";

export interface OperationAddress {
  readonly method: string;
  /** As written in the document, including a leading `/v1` or a trailing slash. */
  readonly path: string;
}

export function addressOf({ method, path }: OperationAddress): string {
  return `${method} ${path}`;
}

/** The content of a request. */
export interface RequestForm {
  /** Parameters that a request sends in addition to its body; absent for operations without a body. */
  readonly parameters?: readonly RequestParameter[];
  /** The JSON request body; absent for operations without a body. */
  readonly body?: FieldType;
  /** `x-migrate-wrap`: the field that wraps the payload in the request. `body` is the payload's own type, unwrapped. */
  readonly wrap?: string;
  /** Fields that a request may carry next to the wrapped payload; absent if the payload is not wrapped. */
  readonly envelope?: ObjectType;
  /**
   * Path of the import supplier's code in the payload: from `x-migrate-supplier`, otherwise detected by the name of the
   * field. Absent if there is neither.
   */
  readonly supplier?: AttrPath;
}

/** The method, path and id of an operation, by which users and extensions refer to it. */
export interface NamedOperation extends OperationAddress {
  /** `operationId`, or "METHOD path" if the document has none. */
  readonly id: string;
}

/** The well-formed values of an operation's `x-migrate-...` keys. */
export interface OperationExtensions {
  /** `x-migrate-key`: path of the business key in the payload. */
  readonly key?: AttrPath;
  /** `x-migrate-wrap`: the field that wraps the payload in the request. */
  readonly wrap?: string;
  /** `x-migrate-supplier`: path of the import supplier's code in the payload; absent if not declared. */
  readonly supplier?: AttrPath;
  /** `x-migrate-dedupe`: true if a repeated request with the same business key cannot create a second object. */
  readonly dedupesByKey: boolean;
  /** `x-migrate-outcomes`, in order; the first match applies. */
  readonly outcomes: readonly OutcomeRule[];
  /**
   * `x-migrate-items`: where a 2xx reply contains the statuses of individual items. Empty if replies contain no such
   * statuses; absent if they are detected automatically.
   */
  readonly items?: readonly ItemRule[];
}

/** An operation without its references to other operations. */
export interface PlainOperation extends NamedOperation, RequestForm, OperationExtensions {
  readonly summary?: string;
  /** The documented replies with a status below 300; use `documentedReply` to look up a reply. */
  readonly replies: readonly DocumentedReply[];
}

/** A single value in the path, query or headers of a request. */
export interface RequestParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly type: FieldType;
}

export interface StepSequence {
  /** `x-migrate-steps`: the operations that a record needs, in order; empty if a record needs only this operation. */
  readonly steps: readonly Step[];
}

/** An operation of the document, with its references to other operations. */
export interface Operation extends PlainOperation, StepSequence {
  /** `x-migrate-read-back`: the lookups that show whether a record arrived, most reliable first. */
  readonly readBack: readonly ReadBack[];
}

/** Returns the types of the payload and of the fields next to a wrapped payload. */
export function requestTypes({ body, envelope }: RequestForm): readonly FieldType[] {
  return [body, envelope].filter((type) => type !== undefined);
}

/** A reply with a status below 300 that the document describes (OpenAPI 3.0.3 and 3.1.0, Responses Object). */
export interface DocumentedReply {
  /** `2xx`: any 2xx status without its own entry. `default`: any status, if no status below 300 is listed. */
  readonly status: number | "2xx" | "default";
  /** As written in the document; empty if the document describes no body. */
  readonly mediaTypes: readonly string[];
  /** The schema of the JSON body (see `replyMismatch`); undefined if the document has none. */
  readonly body: FieldType | undefined;
}

/**
 * One entry of `x-migrate-outcomes`: a reply has this `outcome` if it matches `status` and, if given, `code` and `has`.
 *
 * ```yaml
 * x-migrate-outcomes:
 *   - { status: 201, outcome: accepted, account: account_number }
 *   - { status: 400, code: account_already_imported, outcome: exists, account: account_number }
 *   - { status: 400, code: import_supplier_migration_not_ongoing, outcome: blocked }
 *   - { status: 503, outcome: retry }
 * ```
 */
export interface OutcomeRule {
  /** A status (`201`) or a class of statuses (`2xx`). */
  readonly status: number | "2xx" | "4xx" | "5xx";
  /** Matches the reply's top-level code or the code of any of its errors. */
  readonly code?: string;
  /** A path that must exist in the body of the reply and have a non-empty value. */
  readonly has?: AttrPath;
  /**
   * `exists`: the platform had the record before, perhaps with different content. `accepted` with a status of 300 or
   * above means the same.
   */
  readonly outcome: "accepted" | "exists" | "rejected" | "blocked" | "retry" | "ambiguous";
  /** Path of the account number in the reply. */
  readonly account?: AttrPath;
}

/**
 * One entry of `x-migrate-items`: a list in a 2xx reply that contains a status for each item of a payload list.
 *
 * ```yaml
 * x-migrate-items:
 *   - { at: results, attr: transactions, failed: [TRANSACTION_IMPORT_ERROR] }
 * ```
 */
export interface ItemRule {
  /** Path of the list in the reply; empty if the reply itself is the list. */
  readonly at: AttrPath;
  /**
   * The payload list whose items correspond one to one with the items in the reply. Default: the list with the same
   * name, otherwise the only list of objects, otherwise the path in the reply.
   */
  readonly attr?: AttrPath;
  /** The member of an item that contains its status. */
  readonly status: string;
  /** The statuses of rejected items. */
  readonly failed: readonly string[];
}

/**
 * `validate` changes nothing; `stage` prepares and may be repeated; `process` creates immediately; `schedule` creates
 * later.
 */
export const STEP_KINDS = ["validate", "stage", "process", "schedule"] as const;

/** A step without its references to operations. */
export interface StepRequest {
  /** Unique in its workflow. The default is the kind. */
  readonly name: string;
  readonly kind: (typeof STEP_KINDS)[number];
  /**
   * Fields of the body. If the operation wraps the payload, these fields are next to the payload; otherwise they are
   * the whole body.
   */
  readonly body?: Readonly<Record<string, BodySource>>;
}

/** One of the operations that a record needs (`x-migrate-steps`). */
export interface Step extends StepRequest {
  /**
   * The operation that the step calls. Its outcome rules are the rules of the step, followed by the operation's own
   * rules.
   */
  readonly operation: PlainOperation;
  /** The operation that provides the reasons if a rejection names no field. */
  readonly reasons?: PlainOperation;
  /** How to query the result of the step; absent if its reply contains the result. */
  readonly poll?: Poll;
}

/** The source of a field in the body of a step: an attr of the payload, or a constant. */
export type BodySource = { readonly attr: AttrPath } | { readonly value: JsonValue };

/** How to query the result of asynchronous work on the platform (`x-migrate-poll`). */
export interface Poll<Reference = PlainOperation> extends Lookup<Reference> {
  /** Initial delay between two queries, in seconds. */
  readonly interval: number;
  /** Time in seconds after which a run leaves the record `pending`. */
  readonly patience: number;
  /** Path of the status in the reply. */
  readonly status: AttrPath;
  /** The meaning of each status; an unlisted status is not final, like `pending`. `absent`: nothing is in progress. */
  readonly outcomes: StatusOutcomes;
  readonly account?: AttrPath;
  /** Path of the error in the reply. */
  readonly error?: AttrPath;
}

/** The meaning of each status that the platform reports. */
type StatusOutcomes = Readonly<Record<string, "accepted" | "rejected" | "absent" | "pending">>;

/**
 * A GET operation, and the payload path for each of its path parameters. `Reference`: how the lookup refers to the
 * operation; a name, if the reference has not been resolved yet.
 */
export interface Lookup<Reference = PlainOperation> {
  readonly operation: Reference;
  readonly parameters: Readonly<Record<string, AttrPath>>;
}

interface Match {
  readonly reply: AttrPath;
  readonly payload: AttrPath;
  /** The documented type of the payload's attr; absent if the attr is undocumented. */
  readonly type?: FieldType;
}

/**
 * How to find out whether a record arrived (`x-migrate-read-back`). A reply with status 404 means that the record did
 * not arrive, unless the operation returns a list.
 */
export interface ReadBack<Reference = PlainOperation> extends Lookup<Reference> {
  /**
   * Path of a list in the reply with one item per record; empty if the reply itself is the list; absent if the reply is
   * the record.
   */
  readonly list?: AttrPath;
  /** Attrs of the reply (or of its item), and the attrs of the payload that they must match. */
  readonly match: readonly Match[];
  /**
   * Path that must exist and have a non-empty value in a record that has arrived. A missing path alone does not prove
   * that the record did not arrive.
   */
  readonly has?: AttrPath;
  readonly account?: AttrPath;
  /** Path of the status in the reply (or its item); absent if `outcomes` is absent. */
  readonly status?: AttrPath;
  /**
   * The meaning of each status; an unlisted status proves nothing. `rejected` and `absent` both mean that nothing was
   * created.
   */
  readonly outcomes?: StatusOutcomes;
  /** Whether a record has certainly not arrived if two queries do not find it. Such a record may be sent again. */
  readonly provesAbsence: boolean;
}

type RepeatedOperation = Pick<Operation, "steps" | "dedupesByKey">;

/** Whether the operation, or the last step of its workflow, cannot create a second object for the same business key. */
export function createsOnce({ steps, dedupesByKey }: RepeatedOperation): boolean {
  return steps.at(-1)?.operation.dedupesByKey ?? dedupesByKey;
}

/**
 * Whether records with unknown delivery status may be sent again: they are created only once, or the result of the last
 * step can be queried first.
 */
export function canResolveAmbiguous(operation: RepeatedOperation): boolean {
  return createsOnce(operation) || operation.steps.at(-1)?.poll !== undefined;
}
