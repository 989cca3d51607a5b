/** Something that two contracts say differently. */
export interface ContractChange {
  readonly kind: ChangeKind;
  /** The operation's id, in the old contract where it has one. */
  readonly operation: string;
  /** `customers.*.mobile`: `*` stands for every index, or every name of an object that takes any. Absent: the operation. */
  readonly attr?: string;
  /** For the fields of an alternative: `method is DIRECT_DEBIT`. */
  readonly when?: string;
  /** A payload that was right under the old contract may be refused under the new one. */
  readonly breaks: boolean;
  /** What changed, in a few words for a person. */
  readonly text: string;
  /** For `choices-removed` and `choices-added`: which; for `codes-...`: the platform's error codes. */
  readonly values?: readonly string[];
}

/** Stable, for scripts. `tighter` and `looser`: of lengths, digits, limits, patterns, formats. */
type ChangeKind =
  | "operation-removed"
  | "operation-added"
  | "operation-changed"
  | "field-removed"
  | "field-added"
  | "required"
  | "optional"
  | "type"
  | "tighter"
  | "looser"
  | "choices-removed"
  | "choices-added"
  | "deprecated"
  | "codes-removed"
  | "codes-added";

/** A change before anybody says of which operation. */
export type TypeChange = Omit<ContractChange, "operation">;
