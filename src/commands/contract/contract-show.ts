import type { Contract } from "../../contract/contract.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import {
  type FieldFilter,
  type FieldRow,
  type StepTable,
  fieldTable,
  filterFields,
  isFiltered,
  parameterTable,
  requireAttr,
  stepTables,
} from "../../contract/describe/field-table.ts";
import { findOperation } from "../../contract/operations/find-operation.ts";
import { readContractWithFindings } from "../../job/contract-files.ts";
import type { ContractCaching } from "../../job/dependencies.ts";

export interface ContractShow {
  readonly contract: Contract;
  /** The requested operation; absent if the result is the list of operations. */
  readonly operation?: Operation;
  readonly fields: readonly FieldRow[];
  /** Path, query and header parameters of the operation's requests. */
  readonly parameters: readonly FieldRow[];
  /** Fields of the operation's steps that a mapping can set in addition to the payload. */
  readonly steps: readonly StepTable[];
  /** The number of fields in the payload; present only if `fields` is filtered. */
  readonly filteredFrom?: number;
}

export interface ContractShowOptions extends FieldFilter {
  readonly files: readonly string[];
  readonly operation?: string | undefined;
}

/**
 * Returns the field table of one operation, optionally filtered. If neither an operation nor a filter is given, returns
 * the list of operations.
 * @throws Failure `usage` if a filter is given but the contract has several operations and none is chosen, or if the
 * attr does not exist
 */
export async function contractShow(options: ContractShowOptions, dependencies: ContractCaching): Promise<ContractShow> {
  const contract = await readContractWithFindings(options.files, dependencies);
  const isWhole = !isFiltered(options);
  if (options.operation === undefined && isWhole) return { contract, fields: [], parameters: [], steps: [] };
  const operation = findOperation(contract, options.operation);
  const fields = fieldTable(operation);
  const [parameters, steps] = [parameterTable(operation), stepTables(operation)];
  if (isWhole) return { contract, operation, fields, parameters, steps };
  const { under } = options;
  if (under !== undefined) requireAttr([...fields, ...parameters, ...steps.flatMap((step) => step.fields)], under);
  return {
    contract,
    operation,
    fields: filterFields(fields, options),
    parameters: filterFields(parameters, options),
    steps: steps
      .map((step) => ({ ...step, fields: filterFields(step.fields, options) }))
      .filter((step) => step.fields.length > 0),
    filteredFrom: fields.length,
  };
}
