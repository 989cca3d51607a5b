import type { Contract } from "../../contract/contract.ts";
import { coverageOf, type Coverage } from "../../rules/engine/rule-coverage.ts";
import { pathsFrom, readContractWithFindings } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { loadRuleContext, relevantRuleSettings, type RuleSettings } from "../../job/settings/rule-configuration.ts";

export interface ContractCheckOptions extends RuleSettings {
  readonly files: readonly string[];
  /** The folder that relative paths are relative to. */
  readonly folder: string;
}

export interface ContractCheck {
  readonly contract: Contract;
  /** Which of the published codes rules check here; absent where nothing is published and no rule written. */
  readonly coverage: Coverage | undefined;
  /** 1 when something in the contract is wrong, 0 otherwise. */
  readonly exitCode: number;
}

/** Loads a contract and says what in it is wrong, not understood or not enforced, and what its rules cover. */
export async function contractCheck(
  { files, folder, ...settings }: ContractCheckOptions,
  dependencies: Pick<Dependencies, "contractCache" | "clock">,
): Promise<ContractCheck> {
  const contract = await readContractWithFindings(files, dependencies, settings.rules);
  const broken = contract.findings.some((finding) => finding.severity === "error");
  const context = await loadRuleContext(contract, relevantRuleSettings(contract, settings), {
    resolve: pathsFrom(folder),
    now: dependencies.clock.now(),
  });
  return { contract, coverage: coverageOf(contract, context), exitCode: broken ? 1 : 0 };
}
