import path from "node:path";
import { isShippedOverlay } from "../../../job/contract-files.ts";
import { CONFIG_SCHEMA_FILE, schemaLine } from "./schema-files.ts";
import { type Line, renderLines, yamlText } from "./yaml-text.ts";

/** Settings that the commands of a folder share. */
export interface ConfigFacts {
  /** Paths relative to the current folder. */
  readonly contract: readonly string[];
  readonly supplier: string | undefined;
  /** Encoding of sources that do not declare one, if it is not UTF-8. */
  readonly encoding: string | undefined;
  /** One character, if given on the command line. */
  readonly delimiter: string | undefined;
}

/** Returns the text of `migrate.yaml` for the folder of the mapping. */
export function configText(facts: ConfigFacts, folder: string): string {
  const contract = facts.contract.map((file) => yamlText(isShippedOverlay(file) ? file : fromFolder(file, folder)));
  return renderLines([
    { depth: 0, text: "", comment: schemaLine(CONFIG_SCHEMA_FILE) },
    { depth: 0, text: "" },
    {
      depth: 0,
      text: "",
      comment: "Settings for all commands in this folder. Flags and MIGRATE_* variables override them.",
    },
    { depth: 0, text: `contract: ${contract.length === 1 ? contract.join("") : `[${contract.join(", ")}]`}` },
    { depth: 0, text: "mapping: mapping.yaml" },
    supplierLine(facts.supplier),
    ...(facts.encoding === undefined
      ? []
      : [{ depth: 0, text: `encoding: ${facts.encoding}`, comment: "guessed, because the sources are not UTF-8" }]),
    ...(facts.delimiter === undefined ? [] : [{ depth: 0, text: `delimiter: ${JSON.stringify(facts.delimiter)}` }]),
    { depth: 0, text: "" },
    ...TARGET.map((comment) => ({ depth: 0, text: "", comment })),
  ]);
}

const TARGET = [
  "The platform to push to. Fill in its address, and uncomment the lines:",
  "target: test",
  "targets:",
  '  test: { baseUrl: "https://.../v1/", environment: test }',
];

function supplierLine(supplier: string | undefined): Line {
  if (supplier !== undefined) return { depth: 0, text: `supplier: ${yamlText(supplier)}` };
  return { depth: 0, text: "supplier: TODO", comment: "TODO the code of your import supplier" };
}

function fromFolder(file: string, folder: string): string {
  return path.relative(folder, file).replaceAll(path.sep, "/");
}
