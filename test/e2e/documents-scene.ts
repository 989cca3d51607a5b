import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import { CONTRACT } from "./push-scene.ts";

const MAPPING = `
operation: import-account
key: external_account_number
sources:
  accounts: { files: accounts.csv, key: REF }
  letters:  { files: letters.csv, parent: accounts, on: REF }
payload:
  external_account_number: REF
  notes:
    each: letters
    item: { body: TEXT, document_paths: [ { document_path: FILE } ] }
`;

export const CONFIG = `
contract: ${CONTRACT}
mapping: mapping.yaml
supplier: SPRING
suppliers: { SPRING: { rootLocation: sftp/spring, bucket: files } }
`;

const LETTERS = ["A,Hello,2024/a b.pdf", "B,Hello,2024/missing.pdf", "B,Bye,../up.pdf", "B,Again,2024/a b.pdf"];

/**
 * Writes three accounts, two of which have letters, and a copy of the file store. One document is missing from the
 * copy, and one path leads out of the folder.
 */
export function scene(letters: readonly string[] = LETTERS): string {
  const folder = temporaryFolder();
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write("migrate.yaml", CONFIG);
  write("mapping.yaml", MAPPING);
  write("accounts.csv", "REF,NAME\nA,\nB,\nC,\n");
  write("letters.csv", ["REF,TEXT,FILE", ...letters, ""].join("\n"));
  mkdirSync(path.join(folder, "copy/sftp/spring/2024"), { recursive: true });
  write("copy/sftp/spring/2024/a b.pdf", "document");
  return folder;
}

/**
 * Writes one file with accounts of two import suppliers. Each account has a letter, and each supplier has its own root.
 */
export function sceneOfTwoSuppliers(letters: readonly string[]): string {
  const folder = scene(letters);
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write("accounts.csv", "REF,COHORT\nA,SPRING\nB,WINTER\n");
  write("mapping.yaml", MAPPING.replace("payload:", "payload:\n  import_supplier: COHORT"));
  write(
    "migrate.yaml",
    CONFIG.replace("supplier: SPRING\n", "").replace(" } }", " }, WINTER: { rootLocation: sftp/winter } }"),
  );
  mkdirSync(path.join(folder, "copy/sftp/winter/2024"), { recursive: true });
  write("copy/sftp/winter/2024/w.pdf", "document");
  return folder;
}
