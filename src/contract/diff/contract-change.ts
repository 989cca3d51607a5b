export interface ContractChange {
  readonly kind: ChangeKind;
  /** The operation's id, in the old contract if it exists there. */
  readonly operation: string;
  /**
   * `customers.*.mobile`: `*` matches every index, or every name of an object that accepts any. Absent if the change
   * concerns the operation itself.
   */
  readonly attr?: string;
  /** For the fields of an alternative: `method is DIRECT_DEBIT`. */
  readonly when?: string;
  /** A payload that was valid under the old contract may be rejected under the new one. */
  readonly breaks: boolean;
  /** A short description of the change. */
  readonly text: string;
  /** For `choices-removed` and `choices-added`: the choices; for `codes-...`: the platform's error codes. */
  readonly values?: readonly string[];
}

/** Stable, for scripts. `tighter` and `looser` concern lengths, digits, limits, patterns, formats. */
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

/** A change whose operation has not been set yet. */
export type TypeChange = Omit<ContractChange, "operation">;
