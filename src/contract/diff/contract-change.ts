export interface ContractChange extends TypeChange {
  /** The operation's id; its id in the old contract if both contracts have the operation. */
  readonly operation: string;
}

/** A change whose operation has not been set yet. */
export interface TypeChange {
  readonly kind: ChangeKind;
  /**
   * `customers.*.mobile`: `*` matches every index, or every name of an object that accepts any name.
   * `parameters.companyId` is a parameter of the request, `steps.schedule.team` a field of a step, and
   * `non_field_errors` the whole payload. Absent if the change concerns the operation itself.
   */
  readonly attr?: string;
  /** For the fields of an alternative: `method is DIRECT_DEBIT`. */
  readonly when?: string;
  /**
   * Whether a payload that was valid under the old contract may be rejected under the new contract, or whether migrated
   * records can no longer be recognised or reached.
   */
  readonly breaks: boolean;
  /** A short description of the change. */
  readonly text: string;
  /** For `choices-removed` and `choices-added`: the choices; for `codes-...`: the platform's error codes. */
  readonly values?: readonly string[];
}

/** Stable names for scripts. `tighter` and `looser` are changes to constraints, such as lengths and patterns. */
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
