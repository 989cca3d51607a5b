import { requestTypes } from "../../contract/operations/operation.ts";
import type { Contract } from "../../contract/contract.ts";
import type { Rule } from "../language/rule.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../../json/json-value.ts";
import { rulesWithin, skipReason } from "./rule-requirements.ts";
import type { RuleContext } from "./rule-context.ts";

/**
 * The extent to which rules check the codes that a contract publishes (`x-validators`). Each list is sorted and
 * contains each code once.
 */
export interface Coverage {
  readonly published: readonly string[];
  readonly byClass: Readonly<Record<CoverageClass, readonly string[]>>;
  /** The number of rules that apply to requests, and how many of them are skipped. */
  readonly rules: number;
  readonly skipped: number;
  /** Settings and lists that rules need and the configuration lacks: `rules.<name>`, `references.<name>`. */
  readonly missing: readonly string[];
}

/**
 * `checked`: a rule checks the code. `partial`: the rules only warn or, according to the contract, cover only part of
 * the published text. `setting`, `reference`: a rule checks the code once the setting or the list is configured;
 * `reference` is also the class of a code for which the contract declares that a list is needed. `platform`, `unclear`,
 * `not-in-schema`: no rule checks the code, and the contract declares the class. `open`: no rule checks the code, and
 * the contract declares no class.
 */
export const COVERAGE_CLASSES = [
  "checked",
  "partial",
  "setting",
  "reference",
  "platform",
  "unclear",
  "not-in-schema",
  "open",
] as const;
export type CoverageClass = (typeof COVERAGE_CLASSES)[number];

/** Returns the coverage, or undefined for a contract with neither published validators nor rules. */
export function coverageOf(contract: Contract, context: RuleContext | undefined): Coverage | undefined {
  const published = [...new Set(publishedCodes(contract.document))].toSorted();
  const rules = [...new Set(contract.operations.flatMap(requestTypes).flatMap(rulesWithin))];
  if (published.length === 0 && rules.length === 0) return undefined;
  const missing = new Set<string>();
  const classes = new Map<string, CoverageClass>();
  let skipped = 0;
  for (const rule of rules) {
    const reason = context && skipReason(rule, context);
    if (reason !== undefined) {
      skipped += 1;
      missing.add(`${reason.kind === "setting" ? "rules" : "references"}.${reason.name}`);
    }
    const found = reason?.kind ?? classOfCheckedRule(rule, contract);
    classes.set(rule.code, strongerClass(classes.get(rule.code), found));
  }
  const { undecided } = contract.ruleDeclarations;
  const classOf = (code: string): CoverageClass => classes.get(code) ?? undecided.get(code) ?? "open";
  return {
    published,
    byClass: groupByClass(published, classOf),
    rules: rules.length,
    skipped,
    missing: [...missing].toSorted(),
  };
}

function classOfCheckedRule({ code, severity }: Rule, { ruleDeclarations }: Contract): CoverageClass {
  return severity === "warning" || ruleDeclarations.partial.has(code) ? "partial" : "checked";
}

/** Returns the class of a code with several rules. If all rules are skipped, returns the class of the last rule. */
function strongerClass(known: CoverageClass | undefined, found: CoverageClass): CoverageClass {
  if (known === "checked" || found === "checked") return "checked";
  return known === "partial" ? known : found;
}

function groupByClass(codes: readonly string[], classOf: (code: string) => CoverageClass): Coverage["byClass"] {
  const codesIn = (wanted: CoverageClass): readonly string[] => codes.filter((code) => classOf(code) === wanted);
  return {
    checked: codesIn("checked"),
    partial: codesIn("partial"),
    setting: codesIn("setting"),
    reference: codesIn("reference"),
    platform: codesIn("platform"),
    unclear: codesIn("unclear"),
    "not-in-schema": codesIn("not-in-schema"),
    open: codesIn("open"),
  };
}

/**
 * Returns the published codes in the whole document. Includes codes in schemas that no request uses, because operators
 * count these codes too.
 */
function publishedCodes(document: JsonValue): readonly string[] {
  const codes: string[] = [];
  const open: JsonValue[] = [document];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isJsonArray(value)) for (const item of value) open.push(item);
    if (!isJsonObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      if (name !== "x-validators" || !isJsonArray(member)) open.push(member);
      else for (const code of member.flatMap(codesOf)) codes.push(code);
    }
  }
  return codes;
}

function codesOf(validator: JsonValue): readonly string[] {
  const codes = isJsonObject(validator) ? validator["possible_errors"] : undefined;
  return isJsonArray(codes) ? codes.filter((code) => typeof code === "string") : [];
}
