// The script that real-job.mjs compares with `migrate validate`. It joins three files with Maps, builds one payload
// per account, and validates it with Ajv and the operator's document. It has no rules, no source locations, no check
// for duplicate keys and no ledger. Not a benchmark.
//   node test/bench/plain-validate.mjs <gb|au> <folder of the files> <OpenAPI document> <import supplier>
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { parse as parseYaml } from "yaml";
import { plainPayloads } from "./plain-payloads.mjs";

const [operator, folder, document, supplier] = process.argv.slice(2);
const schema = { gb: "EnergyAccount", au: "OriginAccount" }[operator];

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "document", ...parseYaml(readFileSync(document, "utf8"), withoutBareNullable) });
const validate = ajv.compile({ $ref: `document#/components/schemas/${schema}` });

/** Removes `nullable` from schemas without a type, because Ajv rejects this combination. */
function withoutBareNullable(_name, node) {
  if (node?.nullable !== undefined && node.type === undefined) delete node.nullable;
  return node;
}

const counts = { valid: 0, invalid: 0 };
const errors = [];
for await (const payload of plainPayloads(operator, folder, supplier)) {
  const isValid = validate(payload);
  counts[isValid ? "valid" : "invalid"] += 1;
  for (const { instancePath, message } of validate.errors ?? []) {
    errors.push(`${payload.external_account_number} ${instancePath} ${message}`);
  }
}
process.stdout.write(`${JSON.stringify({ ...counts, errors: errors.length })}\n`);
