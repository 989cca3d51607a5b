import path from "node:path";
import { expect, test } from "vitest";
import { checkMapping } from "../../../src/commands/init/check-mapping.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { initDependencies } from "./init-scene.ts";

const CONTRACT = `
openapi: 3.1.0
info: { title: A platform with companies, version: "1" }
paths:
  /companies/{company}/customers/:
    post:
      operationId: import-customer
      parameters:
        - { name: company, in: path, required: true, schema: { type: string } }
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { ref: { type: string }, name: { type: string } } }
      responses: { "201": { description: Created } }
`;
const MAPPING = `
operation: import-customer
key: ref
sources: { customers: { files: customers.csv } }
payload: { ref: REF, name: NAME }
parameters: { company: COMPANY }
`;

test("records with the same key and different path parameters repeat a key, as in validate", async () => {
  const rows = ["1,Ada,north", "1,Ada,south", "2,Grace,north", "2,Grace,north"];
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": MAPPING,
    "customers.csv": `${["REF,NAME,COMPANY", ...rows].join("\n")}\n`,
  });
  const settings = {
    folder,
    contract: [path.join(folder, "contract.yaml")],
    mapping: path.join(folder, "mapping.yaml"),
    sources: [path.join(folder, "customers.csv")],
    namedSources: {},
  };
  expect(await checkMapping(settings, initDependencies(temporaryFolder()))).toEqual({
    records: 4,
    valid: 1,
    more: false,
    causes: [{ code: "duplicate_key", attr: "ref", records: 3 }],
  });
});
