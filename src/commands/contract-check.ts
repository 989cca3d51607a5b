import type { Contract } from "../contract/contract.ts";
import { cachedContract } from "../run/contract-cache.ts";
import { readContractFiles } from "../run/job.ts";
import type { Parts } from "../run/parts.ts";

export interface ContractCheck {
  readonly contract: Contract;
  /** 1 when something in the contract is wrong, 0 otherwise. */
  readonly exitCode: number;
}

/** Loads a contract and says what in it is wrong, not understood or not enforced. */
export async function contractCheck(
  options: { readonly files: readonly string[] },
  parts: Pick<Parts, "contractCache">,
): Promise<ContractCheck> {
  const contract = await cachedContract(await readContractFiles(options.files), parts.contractCache);
  const broken = contract.findings.some((finding) => finding.severity === "error");
  return { contract, exitCode: broken ? 1 : 0 };
}
