import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import type { FieldType, ObjectType } from "../types/field-type.ts";

/** What an operation is, without what it says of other operations. */
export interface PlainOperation {
  /** `operationId`, or "METHOD path" where the document gives none. */
  readonly id: string;
  readonly method: string;
  /** As the document writes it: may start with its own `/v1`. Ends in a slash where the document's does. */
  readonly path: string;
  readonly summary?: string;
  /** What a request carries beside its body; absent for operations without a body. */
  readonly parameters?: readonly RequestParameter[];
  /** The JSON request body; absent for operations without one. */
  readonly body?: FieldType;
  /** `x-migrate-key`: where the business key lies in the payload. */
  readonly key?: AttrPath;
  /** `x-migrate-wrap`: the field the payload is wrapped in on the wire. `body` is the payload's own type, unwrapped. */
  readonly wrap?: string;
  /** What a request may carry beside the wrapped payload; absent where nothing is wrapped. */
  readonly envelope?: ObjectType;
  /** `x-migrate-dedupe`: a repeat of the same business key cannot create twice. */
  readonly dedupesByKey: boolean;
  /** What the document says of replies below 300; for one of them see `documentedReply`. */
  readonly replies: readonly DocumentedReply[];
  /** `x-migrate-outcomes`, in order; the first that matches decides. */
  readonly outcomes: readonly OutcomeRule[];
  /** `x-migrate-items`: where a 2xx reply tells of single items; empty: nowhere; absent: wherever it seems to. */
  readonly items?: readonly ItemRule[];
  /** `x-migrate-supplier`: where the import supplier's code lies in the payload; absent: the payload names none. */
  readonly supplier?: AttrPath;
}

/** A single value in a request's address, query or headers. */
export interface RequestParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly type: FieldType;
}

/** One of the document's operations, with what it says of others. */
export interface Operation extends PlainOperation {
  /** `x-migrate-steps`: the operations that a record passes through, in order; empty: this one alone. */
  readonly steps: readonly Step[];
  /** `x-migrate-read-back`: how to find out whether a record arrived, the surest way first. */
  readonly readBack: readonly ReadBack[];
}

/** The types of all that a request carries. */
export function requestTypes({ body, envelope }: Pick<Operation, "body" | "envelope">): readonly FieldType[] {
  return [body, envelope].filter((type) => type !== undefined);
}

/** A reply below 300 that the document describes (OpenAPI 3.0.3 and 3.1.0, Responses Object). */
export interface DocumentedReply {
  /** `2xx`: any that is not listed itself. `default`: any, where none below 300 is listed. */
  readonly status: number | "2xx" | "default";
  /** As the document writes them; empty: it says nothing of a body. */
  readonly mediaTypes: readonly string[];
  /** The form of the JSON body (see `replyMismatch`); undefined: the document says nothing of it. */
  readonly body: FieldType | undefined;
}

/**
 * One entry of `x-migrate-outcomes`: a reply that matches `status` and, where given, `code` and `has`, means `outcome`.
 *
 * ```yaml
 * x-migrate-outcomes:
 *   - { status: 201, outcome: accepted, account: account_number }
 *   - { status: 400, code: account_already_imported, outcome: accepted, account: account_number }
 *   - { status: 400, code: import_supplier_migration_not_ongoing, outcome: blocked }
 *   - { status: 503, outcome: retry }
 * ```
 */
export interface OutcomeRule {
  /** A status (`201`), or a class of them (`2xx`). */
  readonly status: number | "2xx" | "4xx" | "5xx";
  /** Matches the reply's top code or the code of any of its errors. */
  readonly code?: string;
  /** A path that must be there and not be empty in the reply's body. */
  readonly has?: AttrPath;
  readonly outcome: "accepted" | "rejected" | "blocked" | "retry" | "ambiguous";
  /** Where the reply holds the account number. */
  readonly account?: AttrPath;
}

/**
 * One entry of `x-migrate-items`: a list in a 2xx reply whose items say, each for one item of the payload, what became
 * of it.
 *
 * ```yaml
 * x-migrate-items:
 *   - { at: results, attr: transactions, failed: [TRANSACTION_IMPORT_ERROR] }
 * ```
 */
export interface ItemRule {
  /** Where the list lies in the reply; empty: the reply is the list. */
  readonly at: AttrPath;
  /** The list of the payload that the items answer to, one for one; absent: found by its name. */
  readonly attr?: AttrPath;
  /** The member of an item that holds its status. */
  readonly status: string;
  /** The statuses of items that were not taken. */
  readonly failed: readonly string[];
}

/**
 * `validate` changes nothing, `stage` prepares and may be repeated at will; `process` creates at once, `schedule`
 * creates some time later.
 */
export const STEP_KINDS = ["validate", "stage", "process", "schedule"] as const;

/** One of the operations that a record passes through (`x-migrate-steps`). */
export interface Step {
  /** Unique in its workflow; the kind, unless the contract gives another. */
  readonly name: string;
  readonly kind: (typeof STEP_KINDS)[number];
  /** With the step's own outcome rules before those of the operation. */
  readonly operation: PlainOperation;
  /** Fields of the body. Where the operation wraps the payload they stand beside it; otherwise they are the whole body. */
  readonly body?: Readonly<Record<string, BodySource>>;
  /** The operation that knows why, where a refusal names no field. */
  readonly reasons?: PlainOperation;
  /** How the end of the step is learnt; absent where its reply tells. */
  readonly poll?: Poll;
}

/** Where a field of a small body comes from: an attr of the payload, or a constant. */
export type BodySource = { readonly attr: AttrPath } | { readonly value: JsonValue };

/** How to ask what became of something that the platform does later (`x-migrate-poll`). */
export interface Poll extends Lookup {
  /** Seconds between two looks, at first. */
  readonly interval: number;
  /** Seconds after which a run leaves the record `pending`. */
  readonly patience: number;
  /** Where the reply holds the status. */
  readonly status: AttrPath;
  /** What a status means; one that is not listed is not final, as `pending`. `absent`: nothing is under way. */
  readonly outcomes: StatusOutcomes;
  readonly account?: AttrPath;
  /** Where the reply holds what went wrong. */
  readonly error?: AttrPath;
}

/** The meaning of each status that the platform reports. */
type StatusOutcomes = Readonly<Record<string, "accepted" | "rejected" | "absent" | "pending">>;

/** A GET operation and where in the payload the parameters of its path lie. */
interface Lookup {
  readonly operation: PlainOperation;
  readonly parameters: Readonly<Record<string, AttrPath>>;
}

/**
 * How to find out whether a record arrived (`x-migrate-read-back`). HTTP 404 says that it did not, unless a list is asked
 * for.
 */
export interface ReadBack extends Lookup {
  /** Where the reply holds a list (the empty path: it is one) with one item a record; absent: the reply is the record. */
  readonly list?: AttrPath;
  /** Attrs of the reply (of the item) and the attrs of the payload that they must be equal to. */
  readonly match: readonly { readonly reply: AttrPath; readonly payload: AttrPath }[];
  /** What must be there and not be empty in a record that has arrived. Its lack alone does not prove absence. */
  readonly has?: AttrPath;
  readonly account?: AttrPath;
  /** Where the reply (the item) holds the status; absent with `outcomes`. */
  readonly status?: AttrPath;
  /** What a status means; one that is not listed proves nothing. `rejected`: nothing was created, as `absent`. */
  readonly outcomes?: StatusOutcomes;
  /** What is not found here, asked twice, has not arrived and may be sent again. */
  readonly provesAbsence: boolean;
}

/**
 * Whether records whose fate is unknown may be taken up again: nothing that they pass through can create twice, or the
 * platform can be asked first.
 */
export function canResolveAmbiguous({ steps, dedupesByKey }: Pick<Operation, "steps" | "dedupesByKey">): boolean {
  const last = steps.at(-1);
  return last === undefined ? dedupesByKey : last.operation.dedupesByKey || last.poll !== undefined;
}
