import type { Contract, Operation } from "../contract/contract.ts";
import type { FieldRow } from "../contract/field-table.ts";
import { fieldTable } from "../contract/field-table.ts";
import { findOperation } from "../contract/find-operation.ts";
import { loadContract } from "../contract/load-contract.ts";
import { readContractFiles } from "../run/job.ts";

export interface ContractShow {
  readonly contract: Contract;
  /** The operation asked for; undefined when none was: then the list of operations is the answer. */
  readonly operation?: Operation;
  readonly fields: readonly FieldRow[];
}

/** The field table of one operation, or the operations that there are. */
export async function contractShow(options: {
  readonly files: readonly string[];
  readonly operation?: string | undefined;
}): Promise<ContractShow> {
  const contract = loadContract(await readContractFiles(options.files));
  if (options.operation === undefined) return { contract, fields: [] };
  const operation = findOperation(contract, options.operation);
  return { contract, operation, fields: fieldTable(operation) };
}
