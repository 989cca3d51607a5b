import type { Contract } from "../../contract/contract.ts";
import { coverageOf, type Coverage } from "../../rules/engine/rule-coverage.ts";
import { pathsFrom, readContractWithFindings } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { loadRuleContext, relevantRuleSettings, type RuleSettings } from "../../job/settings/rule-configuration.ts";

export interface ContractCheckOptions extends RuleSettings {
  readonly files: readonly string[];
  /** Base folder for relative paths. */
  readonly folder: string;
}

export interface ContractCheck {
  readonly contract: Contract;
  /** How many of the published codes the rules cover; absent if the contract publishes no codes and has no rules. */
  readonly coverage: Coverage | undefined;
  /** 1 if the contract contains an error, 0 otherwise. */
  readonly exitCode: number;
}

/** Loads a contract, and reports its invalid, unknown and unenforced parts and the coverage of its rules. */
export async function contractCheck(
  { files, folder, ...settings }: ContractCheckOptions,
  dependencies: Dependencies,
): Promise<ContractCheck> {
  const contract = await readContractWithFindings(files, dependencies, settings.rules);
  const broken = contract.findings.some((finding) => finding.severity === "error");
  const context = await loadRuleContext(contract, relevantRuleSettings(contract, settings), {
    resolve: pathsFrom(folder),
    now: dependencies.clock.now(),
  });
  return { contract, coverage: coverageOf(contract, context), exitCode: broken ? 1 : 0 };
}
