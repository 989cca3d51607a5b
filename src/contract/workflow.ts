import type { AttrPath } from "../model/attr.ts";
import type { JsonValue } from "../model/json.ts";
import type { PlainOperation } from "./plain-operation.ts";

/**
 * `validate` changes nothing, `stage` prepares and may be repeated at will; `process` creates at once, `schedule`
 * creates some time later.
 */
export const STEP_KINDS = ["validate", "stage", "process", "schedule"] as const;
type StepKind = (typeof STEP_KINDS)[number];

/** One of the operations that a record passes through (`x-migrate-steps`). */
export interface Step {
  /** Unique in its workflow; the kind, unless the contract gives another. */
  readonly name: string;
  readonly kind: StepKind;
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
  /** What a status means; one that is not listed is not final. `absent`: nothing is under way. */
  readonly outcomes: Readonly<Record<string, "accepted" | "rejected" | "absent">>;
  readonly account?: AttrPath;
  /** Where the reply holds what went wrong. */
  readonly error?: AttrPath;
}

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
  /** What must be there and not be empty in a record that has arrived. */
  readonly has?: AttrPath;
  readonly account?: AttrPath;
  /** What is not found here, asked twice, has not arrived and may be sent again. */
  readonly provesAbsence: boolean;
}

/**
 * Whether records whose fate is unknown may be taken up again: nothing that they pass through can create twice, or the
 * platform can be asked first.
 */
export function canSettleDoubts({ steps, dedupes }: Ways): boolean {
  const last = steps.at(-1);
  return last === undefined ? dedupes : last.operation.dedupes || last.poll !== undefined;
}

interface Ways {
  readonly steps: readonly Step[];
  readonly dedupes: boolean;
}
