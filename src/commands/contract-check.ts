import type { Contract } from "../contract/contract.ts";
import { coverageOf, type Coverage } from "../rules/coverage.ts";
import { cachedContract } from "../run/contract-cache.ts";
import { readContractFiles } from "../run/contract-files.ts";
import { pathsFrom } from "../run/paths-from.ts";
import type { Parts } from "../run/parts.ts";
import { ruleWorldOf, settingsKnownTo, type RuleSettings } from "../run/rule-world.ts";

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
  parts: Pick<Parts, "contractCache" | "clock">,
): Promise<ContractCheck> {
  const contract = await cachedContract(await readContractFiles(files), parts.contractCache);
  const broken = contract.findings.some((finding) => finding.severity === "error");
  const world = await ruleWorldOf(contract, settingsKnownTo(contract, settings), {
    resolve: pathsFrom(folder),
    now: parts.clock.now(),
  });
  return { contract, coverage: coverageOf(contract, world), exitCode: broken ? 1 : 0 };
}
