// The script that real-job.mjs is compared with: three files joined by Maps, one payload per account, Ajv over the operator's
// document. No rules, no locations of errors, no check for duplicate keys, no ledger. Not a benchmark.
//   node test/bench/plain-validate.mjs <gb|au> <folder of the files> <OpenAPI document> <import supplier>
import { createReadStream, readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { parse } from "csv-parse";
import { parse as parseYaml } from "yaml";
import { gbPayload, auPayload } from "./plain-payloads.mjs";

const [operator, folder, document, supplier] = process.argv.slice(2);
const { supplyPoints, schema, payloadOf } = {
  gb: { supplyPoints: "meter_points", schema: "EnergyAccount", payloadOf: gbPayload },
  au: { supplyPoints: "unmetered", schema: "OriginAccount", payloadOf: auPayload },
}[operator];

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "document", ...parseYaml(readFileSync(document, "utf8"), withoutBareNullable) });
const validate = ajv.compile({ $ref: `document#/components/schemas/${schema}` });

/** Ajv refuses `nullable` without a type. */
function withoutBareNullable(_name, node) {
  if (node?.nullable !== undefined && node.type === undefined) delete node.nullable;
  return node;
}

const rowsOf = (name) => createReadStream(path.join(folder, `${name}.csv`)).pipe(parse({ columns: true }));

async function byAccount(name) {
  const groups = new Map();
  for await (const row of rowsOf(name)) {
    const group = groups.get(row.ACCOUNT);
    if (group === undefined) groups.set(row.ACCOUNT, [row]);
    else group.push(row);
  }
  return groups;
}

const customers = await byAccount("customers");
const points = await byAccount(supplyPoints);
const counts = { valid: 0, invalid: 0 };
const errors = [];
for await (const row of rowsOf("accounts")) {
  const people = (customers.get(row.ACCOUNT) ?? []).toSorted((one, other) => one.SEQ - other.SEQ);
  const payload = payloadOf(row, people, points.get(row.ACCOUNT) ?? [], supplier);
  const isValid = validate(payload);
  counts[isValid ? "valid" : "invalid"] += 1;
  for (const { instancePath, message } of validate.errors ?? []) {
    errors.push(`${row.ACCOUNT} ${instancePath} ${message}`);
  }
}
process.stdout.write(`${JSON.stringify({ ...counts, errors: errors.length })}\n`);
