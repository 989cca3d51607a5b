import type { JsonObject } from "../json/json-value.ts";
import type { RuleDeclarations } from "../rules/language/rule.ts";
import type { ContractFinding } from "./contract-findings.ts";
import type { Operation } from "./operations/operation.ts";

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
