import { writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "../../src/json/json-value.ts";
import { CONTRACT } from "./push-scene.ts";

const MAPPING = `
operation: import-account
key: external_account_number
sources:
  accounts:  { files: accounts.ndjson, key: account.ref }
  customers: { files: customers.json, parent: accounts, on: ref }
payload:
  external_account_number: account.ref
  import_supplier: { value: "\${supplier}" }
  account_type: { from: account.type, lookup: { D: DOMESTIC, B: BUSINESS } }
  unknown_occupier: account.vacant
  balance: balance
  billing_name: name
  billing_address1: address.lines.0
  billing_postcode: address.postcode
  customers:
    each: customers
    item:
      given_name: name.given
      family_name: name.family
      mobile: phones.0
      date_of_birth: born
  supply_addresses:
    - supply_address1: address.lines.0
      supply_postcode: address.postcode
      meter_points:
        - identifier: mpan
          supply_type: { value: ELECTRICITY }
          supply_start_date: { value: "2024-01-01" }
`;

export interface JsonExtract {
  readonly accounts: readonly JsonObject[];
  readonly customers: readonly JsonObject[];
}

export function jsonAccount(ref: string, other: JsonObject = {}): JsonObject {
  return {
    account: { ref, type: "D", vacant: false },
    name: "Amina Hughes",
    balance: "12.50",
    address: { lines: ["63 Station Road"], postcode: "DE1 2GU" },
    mpan: "1210000007919",
    ...other,
  };
}

export function jsonCustomer(ref: string, other: JsonObject = {}): JsonObject {
  return {
    ref,
    name: { given: "Amina", family: "Hughes" },
    phones: ["07700 900730"],
    born: "1947-06-16",
    ...other,
  };
}

/** Writes accounts as NDJSON, their customers as a JSON list, and a mapping that joins them. */
export function writeJsonExtract(folder: string, { accounts, customers }: JsonExtract): void {
  const file = (name: string): string => path.join(folder, name);
  writeFileSync(file("accounts.ndjson"), accounts.map((each) => `${JSON.stringify(each)}\n`).join(""));
  writeFileSync(file("customers.json"), JSON.stringify(customers, undefined, 1));
  writeFileSync(file("mapping.yaml"), MAPPING);
  writeFileSync(file("migrate.yaml"), `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`);
}
