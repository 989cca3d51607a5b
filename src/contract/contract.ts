import type { JsonObject } from "../json/json-value.ts";
import type { RuleDeclarations } from "../rules/language/rule.ts";
import type { ContractFinding } from "./contract-findings.ts";
import type { Operation } from "./operations/operation.ts";

/** An OpenAPI document with its overlays, compiled once. */
export interface Contract {
  readonly title: string;
  readonly version: string;
  /** The document with all overlays applied, as plain data; the sandbox uses it. */
  readonly document: JsonObject;
  readonly operations: readonly Operation[];
  /** Declarations shared by the rules of its schemas. */
  readonly ruleDeclarations: RuleDeclarations;
  /** Everything that the compiler could not interpret or that is wrong. Nothing is ignored silently. */
  readonly findings: readonly ContractFinding[];
}
