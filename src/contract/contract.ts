import type { JsonObject } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import type { FieldType } from "./types/field-type.ts";
import type { PlainOperation } from "./operations/operation.ts";
import type { RuleDeclarations } from "../rules/language/rule.ts";
import type { ReadBack, Step } from "./operations/operation.ts";

/** An OpenAPI document with its overlays, compiled once. */
export interface Contract {
  readonly title: string;
  readonly version: string;
  /** The document after the overlays, as plain data; what the sandbox judges by. */
  readonly document: JsonObject;
  readonly operations: readonly Operation[];
  /** What the rules of its schemas share. */
  readonly ruleDeclarations: RuleDeclarations;
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

/** One of the document's operations, with what it says of others. */
export interface Operation extends PlainOperation {
  /** `x-migrate-steps`: the operations that a record passes through, in order; empty: this one alone. */
  readonly steps: readonly Step[];
  /** `x-migrate-read-back`: how to find out whether a record arrived, the surest way first. */
  readonly readBack: readonly ReadBack[];
}

/** The types of all that a request carries. */
export function requestTypes({ body, beside }: Pick<Operation, "body" | "beside">): readonly FieldType[] {
  return [body, beside].filter((type) => type !== undefined);
}
