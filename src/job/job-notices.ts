import type { Contract } from "../contract/contract.ts";
import { WRITTEN_FOR_ANOTHER } from "../contract/document/written-for.ts";
import { operationsNamed } from "../contract/operations/find-operation.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { sentTypes } from "../contract/operations/step-fields.ts";
import type { MappingDocument } from "../map/document/mapping-document.ts";
import type { Mapping } from "../map/mapping.ts";
import type { RuleContext } from "../rules/engine/rule-context.ts";
import { rulesWithin } from "../rules/engine/rule-requirements.ts";
import type { Rule } from "../rules/language/rule.ts";
import type { Notifier } from "./dependencies.ts";
import { skippedRulesText } from "./settings/rule-configuration.ts";

export function noticeOtherOperation(
  document: MappingDocument | undefined,
  used: Operation,
  { operations }: Contract,
  dependencies: Notifier,
): void {
  if (document?.operation === undefined || operationsNamed(operations, document.operation).includes(used)) return;
  const { file, lineOf, operation } = document;
  dependencies.notice(
    `${file}:${lineOf(["operation"])}: the operation ${operation} is not used: --operation, MIGRATE_OPERATION or ` +
      `\`operation\` in migrate.yaml overrides it with ${used.id}`,
  );
}

export function noticeUnmappedFields(mapping: Mapping, file: string | undefined, dependencies: Notifier): void {
  const { unmappedRequired } = mapping;
  if (unmappedRequired.length === 0) return;
  dependencies.notice(`${file ?? ""}: nothing fills ${unmappedRequired.join(", ")}, which the contract requires`);
}

/** Shows one notice about rules that cannot be checked, instead of a problem for every record. */
export function noticeSkippedRules(
  operation: Operation,
  ruleContext: RuleContext | undefined,
  dependencies: Notifier,
): void {
  const skipped = ruleContext && skippedRulesText(rulesOf(operation), ruleContext);
  if (skipped !== undefined) dependencies.notice(skipped);
}

/** Returns every rule that can apply to a payload of the operation. */
export function rulesOf(operation: Operation): readonly Rule[] {
  return [...new Set(sentTypes(operation).flatMap(rulesWithin))];
}

export function noticeForeignOverlays({ findings }: Contract, dependencies: Notifier): void {
  for (const { code, place, message } of findings) {
    if (code === WRITTEN_FOR_ANOTHER) dependencies.notice(`${place.file}: ${message}`);
  }
}
