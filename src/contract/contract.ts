import type { JsonObject } from "../json/json-value.ts";
import type { RuleDeclarations } from "../rules/language/rule.ts";
import type { ContractFinding } from "./contract-findings.ts";
import type { Operation } from "./operations/operation.ts";

/** A compiled OpenAPI document with its overlays applied. */
export interface Contract {
  readonly title: string;
  readonly version: string;
  /** The document as plain data, with all overlays applied and references to schema names replaced with pointers. */
  readonly document: JsonObject;
  readonly operations: readonly Operation[];
  /** Named values and settings that the rules of all schemas share. */
  readonly ruleDeclarations: RuleDeclarations;
  /** Every part of the document and its overlays that is wrong, unknown or not enforced. */
  readonly findings: readonly ContractFinding[];
}
