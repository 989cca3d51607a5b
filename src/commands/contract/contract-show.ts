import type { Contract } from "../../contract/contract.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import {
  type FieldRow,
  fieldTable,
  parameterTable,
  type StepTable,
  stepTables,
} from "../../contract/describe/field-table.ts";
import { findOperation } from "../../contract/operations/find-operation.ts";
import { readContractWithFindings } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";

export interface ContractShow {
  readonly contract: Contract;
  /** The operation asked for; undefined when none was: then the list of operations is the answer. */
  readonly operation?: Operation;
  readonly fields: readonly FieldRow[];
  /** What its requests carry in their address, query and headers. */
  readonly parameters: readonly FieldRow[];
  /** What its steps carry beside the payload, as far as a mapping can give it. */
  readonly steps: readonly StepTable[];
}

/** The field table of one operation, or the operations that there are. */
export async function contractShow(
  options: { readonly files: readonly string[]; readonly operation?: string | undefined },
  dependencies: Pick<Dependencies, "contractCache">,
): Promise<ContractShow> {
  const contract = await readContractWithFindings(options.files, dependencies);
  if (options.operation === undefined) return { contract, fields: [], parameters: [], steps: [] };
  const operation = findOperation(contract, options.operation);
  return {
    contract,
    operation,
    fields: fieldTable(operation),
    parameters: parameterTable(operation),
    steps: stepTables(operation),
  };
}
