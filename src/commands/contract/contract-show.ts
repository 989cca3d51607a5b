import type { Contract } from "../../contract/contract.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import {
  type FieldRow,
  fieldTable,
  parameterTable,
  type StepTable,
  stepTables,
} from "../../contract/describe/field-table.ts";
import { type FieldFilter, filterFields, isFiltered, requireAttr } from "../../contract/describe/filter-fields.ts";
import { findOperation } from "../../contract/operations/find-operation.ts";
import { readContractWithFindings } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";

export interface ContractShow {
  readonly contract: Contract;
  /** The operation asked for; undefined when none was: then the list of operations is the answer. */
  readonly operation?: Operation;
  readonly fields: readonly FieldRow[];
  /** Parameters of its requests: path, query and headers. */
  readonly parameters: readonly FieldRow[];
  /** What its steps carry beside the payload, as far as a mapping can give it. */
  readonly steps: readonly StepTable[];
  /** How many fields the payload has, where only some of them were asked for. */
  readonly filteredFrom?: number;
}

export interface ContractShowOptions extends FieldFilter {
  readonly files: readonly string[];
  readonly operation?: string | undefined;
}

/**
 * The field table of one operation, or the fields of it that are asked for; without either the operations that there are.
 * @throws Failure `usage` where fields are asked for of several operations, or of an attr that is not there
 */
export async function contractShow(
  options: ContractShowOptions,
  dependencies: Pick<Dependencies, "contractCache">,
): Promise<ContractShow> {
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
