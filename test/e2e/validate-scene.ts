import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type CliEnd, type CliOptions, runCli } from "./cli.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A small contract: an account with its customers. */
export const CONTRACT = `openapi: 3.0.3
info: { title: Small platform, version: "1" }
paths:
  /data-import/accounts/:
    post:
      operationId: import-account
      x-migrate-key: number
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Account" }
      responses: { "201": { description: Created } }
components:
  schemas:
    Account:
      type: object
      required: [number, name]
      properties:
        number: { type: string, maxLength: 32, description: The account's number. }
        name: { type: string, maxLength: 40 }
        note: { type: string }
        mobile: { type: string, pattern: '^[0-9]{11}$' }
        supplier: { type: string }
        customers:
          type: array
          items:
            type: object
            required: [family_name]
            properties:
              family_name: { type: string }
              email: { type: string, format: email }
              joined_at: { type: string, format: date-time }
        tenants:
          type: array
          items: { type: object, properties: { family_name: { type: string } } }
`;

/** A mapping for one file with the columns REF, NAME, NOTE and MOBILE. */
const FLAT_MAPPING = `operation: import-account
key: number
payload:
  number: REF
  name: NAME
  note: NOTE
  mobile: MOBILE
`;

/** A mapping for accounts whose customers are in a second file. */
export const JOINED_MAPPING = `operation: import-account
key: number
sources:
  accounts:  { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: REF, orderBy: SEQ }
payload:
  number: REF
  name: NAME
  supplier: { value: "\${supplier}" }
  customers:
    each: customers
    item: { family_name: LAST, email: MAIL }
`;

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Creates a folder with these files, the contract and a mapping. The folder is removed when the test ends. */
export function workFolder(files: Files): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries({ "contract.yaml": CONTRACT, "mapping.yaml": FLAT_MAPPING, ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

export const CONTRACT_FLAGS: readonly string[] = ["--contract", "contract.yaml"];
export const JOB_FLAGS: readonly string[] = [...CONTRACT_FLAGS, "--mapping", "mapping.yaml"];

/** Runs `migrate validate` in a folder, with the folder's contract and mapping, and NDJSON output. */
export function validate(folder: string, args: readonly string[], options: CliOptions = {}): Promise<CliEnd> {
  return runCli(["validate", ...args, ...JOB_FLAGS, "--format", "ndjson"], { ...options, cwd: folder });
}

export interface Line {
  readonly record: number;
  readonly key?: string;
  readonly source: { readonly file: string; readonly line: number };
  readonly status: string;
  readonly errors?: readonly { readonly attr: string; readonly code: string; readonly source?: object }[];
}

export function linesOf(ndjson: string): readonly Line[] {
  return ndjson
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}
