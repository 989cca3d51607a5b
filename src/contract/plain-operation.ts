import type { AttrPath } from "../model/attr.ts";
import type { FieldType, ObjectType } from "./field-type.ts";
import type { ItemRule, OutcomeRule } from "./outcome-rule.ts";

/** What an operation is, without what it says of other operations. */
export interface PlainOperation {
  /** `operationId`, or "METHOD path" where the document gives none. */
  readonly id: string;
  readonly method: string;
  /** As the document writes it: may start with its own `/v1`. Ends in a slash where the document's does. */
  readonly path: string;
  readonly summary?: string;
  /** The JSON request body; absent for operations without one. */
  readonly body?: FieldType;
  /** `x-migrate-key`: where the business key lies in the payload. */
  readonly key?: AttrPath;
  /** `x-migrate-wrap`: the field the payload is wrapped in on the wire. `body` is the payload's own type, unwrapped. */
  readonly wrap?: string;
  /** What a request may carry beside the wrapped payload; absent where nothing is wrapped. */
  readonly beside?: ObjectType;
  /** `x-migrate-dedupe`: a repeat of the same business key cannot create twice. */
  readonly dedupes: boolean;
  /** `x-migrate-outcomes`, in order; the first that matches decides. */
  readonly outcomes: readonly OutcomeRule[];
  /** `x-migrate-items`: where a 2xx reply tells of single items; empty: nowhere; absent: wherever it seems to. */
  readonly items?: readonly ItemRule[];
  /** `x-migrate-supplier`: where the import supplier's code lies in the payload; absent: the payload names none. */
  readonly supplier?: AttrPath;
}
