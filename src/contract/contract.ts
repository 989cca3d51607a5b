import type { AttrPath } from "../model/attr.ts";
import type { JsonObject } from "../model/json.ts";
import type { Place } from "../model/place.ts";
import type { FieldType, ObjectType } from "./field-type.ts";
import type { ItemRule, OutcomeRule } from "./outcome-rule.ts";
import type { RuleBook } from "./rule.ts";
import type { ReadBack, Step } from "./workflow.ts";

/** An OpenAPI document with its overlays, compiled once. */
export interface Contract {
  readonly title: string;
  readonly version: string;
  /** The document after the overlays, as plain data; what the sandbox judges by. */
  readonly document: JsonObject;
  readonly operations: readonly Operation[];
  /** What the rules of its schemas share. */
  readonly ruleBook: RuleBook;
  /** What the compiler did not understand or thinks wrong; never empty silence. */
  readonly findings: readonly ContractFinding[];
}

export interface ContractFinding {
  /** `error`: the contract cannot be trusted; `warning`: a keyword is not enforced; `info`: nothing is lost. */
  readonly severity: "error" | "warning" | "info";
  /** Stable, kebab-case: `unknown-keyword`, `broken-ref`, `bad-pattern`... */
  readonly code: string;
  readonly message: string;
  readonly place: Place;
  /** RFC 6901 pointer into the document. */
  readonly pointer: string;
}

export interface Operation {
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
  /** `x-migrate-steps`: the operations that a record passes through, in order; empty: this one alone. */
  readonly steps: readonly Step[];
  /** `x-migrate-read-back`: how to find out whether a record arrived, the surest way first. */
  readonly readBack: readonly ReadBack[];
}

/** The types of all that a request carries. */
export function requestTypes({ body, beside }: Pick<Operation, "body" | "beside">): readonly FieldType[] {
  return [body, beside].filter((type) => type !== undefined);
}
