import { readContractWithFindings, usableOperation } from "../job/contract-files.ts";
import type { ContractCaching } from "../job/dependencies.ts";
import type { JobSettings } from "../job/settings/job-settings.ts";
import type { JsonObject } from "../json/json-value.ts";
import { mappingSchema } from "../map/schema/mapping-schema.ts";

/** Returns the JSON Schema for mappings. If a contract is given, the schema contains the fields of its operation. */
export async function schemaOfMapping(
  { contract: files, operation, rules }: JobSettings,
  dependencies: ContractCaching,
): Promise<JsonObject> {
  if (files.length === 0) return mappingSchema();
  const contract = await readContractWithFindings(files, dependencies, rules);
  return mappingSchema(usableOperation(contract, operation, files));
}
