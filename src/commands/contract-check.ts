import type { Contract } from "../contract/contract.ts";
import { loadContract } from "../contract/load-contract.ts";
import { readContractFiles } from "../run/job.ts";

export interface ContractCheck {
  readonly contract: Contract;
  /** 1 when something in the contract is wrong, 0 otherwise. */
  readonly exitCode: number;
}

/** Loads a contract and says what in it is wrong, not understood or not enforced. */
export async function contractCheck(options: { readonly files: readonly string[] }): Promise<ContractCheck> {
  const contract = loadContract(await readContractFiles(options.files));
  const broken = contract.findings.some((finding) => finding.severity === "error");
  return { contract, exitCode: broken ? 1 : 0 };
}
