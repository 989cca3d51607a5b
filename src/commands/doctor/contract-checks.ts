import type { Contract } from "../../contract/contract.ts";
import { fieldTable } from "../../contract/describe/field-table.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { pathsFrom, readContractWithFindings, usableOperation } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { mappingOf, readJobMapping } from "../../job/job-mapping.ts";
import { requireKey, rulesOf } from "../../job/job.ts";
import { type NamingPlace, withNamingPlace } from "../../job/settings/naming-place.ts";
import { loadRuleContext, skippedRulesText } from "../../job/settings/rule-configuration.ts";
import type { MappingDocument } from "../../map/document/mapping-document.ts";
import { mappedAttrs } from "../../map/node/mapped-attrs.ts";
import { recover } from "../../model/failure.ts";
import { counted, formatCount } from "../../text/count.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { type Check, checked, failed, failedBy, inspect, INVALID_EXIT_CODE, ok, skipped, warning } from "./check.ts";

/**
 * Checks the contract, the operation and its rules, and counts the required attrs that the mapping fills.
 * @param placeOf returns the place at which the configuration names a file
 */
export async function contractChecks(
  settings: JobSettings,
  document: MappingDocument | undefined | "unreadable",
  placeOf: NamingPlace | undefined,
  dependencies: Dependencies,
): Promise<readonly Check[]> {
  const files = settings.contract.map(pathsFrom(settings.folder));
  const { check, found: contract } = await inspect(
    "contract",
    async () => {
      const read = await readContractWithFindings(files, dependencies, settings.rules);
      return { check: contractCheck(read, files), found: read };
    },
    placeOf,
  );
  if (contract === undefined)
    return [check, ...["operation", "rules", "mapping"].map((name) => skipped(name, "needs the contract"))];
  const name = settings.operation ?? (document === "unreadable" ? undefined : document?.operation);
  const { check: operationCheck, found: operation } = await inspect("operation", async () => {
    const usable = usableOperation(contract, name, files);
    return { check: ok("operation", `${usable.id}: ${usable.method} ${usable.path}`), found: usable };
  });
  if (operation === undefined) {
    return [check, operationCheck, ...["rules", "mapping"].map((each) => skipped(each, "needs the operation"))];
  }
  const rules = await checked("rules", () => rulesCheck(contract, operation, settings, dependencies));
  if (document === "unreadable") return [check, operationCheck, rules];
  const mapping = await checked("mapping", () => mappingCheck(document, operation, settings));
  return [check, operationCheck, rules, mapping];
}

/**
 * Reports findings as a warning, because findings alone do not stop a push. The check of the operation fails if an
 * error affects the operation.
 */
function contractCheck({ title, version, operations, findings }: Contract, files: readonly string[]): Check {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.filter(({ severity }) => severity === "warning").length;
  const text = `${title} ${version}: ${counted(operations.length, "operation")}, ${counted(errors, "error")}, ${counted(warnings, "warning")}`;
  const figures = { operations: operations.length, errors, warnings };
  if (errors + warnings === 0) return ok("contract", text, { figures });
  return warning("contract", text, { figures, fix: shellCommand(["migrate", "contract", "check", ...files]) });
}

async function rulesCheck(
  contract: Contract,
  operation: Operation,
  settings: JobSettings,
  { clock }: Dependencies,
): Promise<Check> {
  const rules = rulesOf(operation);
  const context = await loadRuleContext(contract, settings, { resolve: pathsFrom(settings.folder), now: clock.now() });
  const left = context && skippedRulesText(rules, context);
  if (left !== undefined) return warning("rules", left, { fix: "declare them in migrate.yaml (docs/rules.md)" });
  return ok("rules", rules.length === 0 ? "none in this operation" : `${counted(rules.length, "rule")}, none skipped`);
}

/** `unreadable` means that the mapping file cannot be read or parsed; `check` states the reason. */
export interface ReadMapping {
  readonly check?: Check;
  readonly document: MappingDocument | undefined | "unreadable";
}

export function mappingDocument(settings: JobSettings, placeOf: NamingPlace | undefined): Promise<ReadMapping> {
  return recover<ReadMapping>(
    async () => ({ document: await withNamingPlace(placeOf, () => readJobMapping(settings)) }),
    (failure) => ({ check: failedBy("mapping", failure), document: "unreadable" }),
  );
}

async function mappingCheck(
  document: MappingDocument | undefined,
  operation: Operation,
  settings: JobSettings,
): Promise<Check> {
  const mapping = await mappingOf(document, operation, settings);
  await mapping.close?.();
  requireKey(mapping);
  if (document === undefined) return ok("mapping", "none: the sources already contain payloads");
  const { unmappedRequired } = mapping;
  const figures = { ...coverageOf(document, operation), missing: unmappedRequired.length };
  const covered = `${formatCount(figures.mapped)} of ${counted(figures.required, "required attr")}`;
  if (unmappedRequired.length > 0) {
    return failed("mapping", `${covered}; nothing fills ${listed(unmappedRequired)}`, {
      exitCode: INVALID_EXIT_CODE,
      fix: `map them in ${document.file}`,
      figures,
    });
  }
  const rest =
    figures.mapped === figures.required ? "" : "; the other required attrs are in parts that the mapping omits";
  return ok("mapping", covered + rest, { figures });
}

function coverageOf(
  { payload }: MappingDocument,
  operation: Operation,
): { readonly mapped: number; readonly required: number } {
  const required = new Set(fieldTable(operation).flatMap((row) => (row.required ? [row.attr] : [])));
  const filled = operation.body === undefined ? new Map() : mappedAttrs(payload, operation.body);
  return { mapped: [...required].filter((attr) => filled.has(attr)).length, required: required.size };
}

function listed(attrs: readonly string[]): string {
  const shown = attrs.slice(0, 4).join(", ");
  return attrs.length > 4 ? `${shown} and ${formatCount(attrs.length - 4)} more` : shown;
}
