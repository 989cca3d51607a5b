import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import type { Proof, RunProof } from "../../src/model/proof.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli } from "./cli.ts";
import { CONTRACT, useSandbox } from "./push-scene.ts";

export const MAPPING = `
operation: import-account
key: external_account_number
sources:
  accounts:  { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: REF }
payload:
  external_account_number: REF
  import_supplier: { value: "\${supplier}" }
  account_type: { from: TYPE, lookup: { D: DOMESTIC, B: BUSINESS } }
  billing_name: { value: A }
  billing_address1: { value: 63 Station Road }
  billing_postcode: { value: DE1 2GU }
  balance: { from: OWED, number: { decimal: "," } }
  customers:
    each: customers
    item: { given_name: FIRST, family_name: { value: Hughes }, mobile: MOBILE }
  supply_addresses:
    - supply_address1: { value: 63 Station Road }
      supply_postcode: { value: DE1 2GU }
      meter_points:
        - identifier: { value: "1210000007919" }
          supply_type: { value: ELECTRICITY }
          supply_start_date: { value: "2024-01-01" }
measures:
  owed: { attr: balance, sum: decimal, by: account_type }
`;

/**
 * Three valid accounts, one of them without an amount; an account whose amount has too many decimal places; an account
 * that the platform refuses; a duplicate; and a blank line.
 */
export const ACCOUNTS = `REF;TYPE;OWED
0001;D;12,50
0002;D;1,005
0003;B;-7,25

0004;D;100
0004;D;100
0005;B;
`;
/** The last customer has no account. */
export const CUSTOMERS = `REF;FIRST;MOBILE
0001;Ann;07700 900001
0001;Abe;07700 900002
0002;Bob;07700 900003
0003;Cy;0400 777888
0004;Di;07700 900004
0005;Eve;07700 900005
0099;Zoe;07700 900006
`;

export interface ProofFolder {
  readonly folder: string;
  readonly file: (...names: readonly string[]) => string;
  readonly migrate: (...args: readonly string[]) => Promise<CliEnd>;
  readonly push: (...args: readonly string[]) => Promise<CliEnd>;
}

/** Starts a sandbox for all tests in a file. `proofFolder` creates a folder to push from. */
export function useProofFolders(): ReturnType<typeof useSandbox> & { readonly proofFolder: () => ProofFolder } {
  const { sandbox, admin } = useSandbox();
  const proofFolder = (): ProofFolder => {
    const folder = temporaryFolder({ "mapping.yaml": MAPPING, "accounts.csv": ACCOUNTS, "customers.csv": CUSTOMERS });
    const migrate = (...args: readonly string[]): Promise<CliEnd> => runCli(args, { cwd: folder, env: sandbox.env });
    const job = ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--yes"];
    return {
      folder,
      file: (...names) => path.join(folder, ...names),
      migrate,
      push: (...args) => migrate("push", ...job, ...args),
    };
  };
  return { sandbox, admin, proofFolder };
}

export function proofIn(work: ProofFolder, folder = "proof"): Proof {
  return JSON.parse(readFileSync(work.file(folder, "proof.json"), "utf8"));
}

export function onlyRun({ runs }: Proof): RunProof {
  const [run, ...others] = runs;
  if (run === undefined || others.length > 0) throw new Error(`${runs.length} runs`);
  return run;
}

export function rowsOf(work: ProofFolder, name: string): readonly Record<string, string>[] {
  const file = readdirSync(work.file("proof")).find((one) => one.startsWith(name));
  return parse(readFileSync(work.file("proof", file ?? ""), "utf8"), { columns: true });
}

export function rowsIn(rows: number, counts: object): object {
  return { rows, orphans: 0, duplicates: 0, leftOut: 0, notPicked: 0, unaccounted: 0, ...counts };
}
