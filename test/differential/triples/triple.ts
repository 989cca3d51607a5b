import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { newDraw } from "./draw.ts";
import { randomContract } from "./random-contract.ts";
import { FUNCTIONS } from "./random-leaf.ts";
import { randomMapping } from "./random-mapping.ts";
import { csvOf, ndjsonOf, randomFiles, type TripleFile } from "./random-sources.ts";

/** A contract, a mapping for it, and source files. */
export interface Triple {
  readonly seed: number;
  readonly contract: JsonObject;
  readonly mapping: JsonObject;
  readonly files: readonly TripleFile[];
  /** Lookup files by name. */
  readonly tables: Readonly<Record<string, string>>;
  /** The generated types and options. */
  readonly notes: ReadonlySet<string>;
}

export const SUPPLIER = "OLDCO";
const RECORDS = 200;

export function drawTriple(seed: number, records = RECORDS): Triple {
  const draw = newDraw(seed);
  const contract = randomContract(draw);
  const { document: mapping, root, tables } = randomMapping(draw, contract);
  const files = randomFiles(root, { draw, count: records, isDigits: contract.key.kind === "integer" });
  return { seed, contract: contract.document, mapping, files, tables, notes: draw.notes };
}

export function writeTriple(folder: string, { contract, mapping, files, tables }: Triple): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write("contract.json", JSON.stringify(contract, undefined, 1));
  write("mapping.json", JSON.stringify(mapping, undefined, 1));
  write("functions.mjs", FUNCTIONS);
  for (const [name, text] of Object.entries(tables)) write(name, text);
  for (const file of files) write(file.name, csvOf(file));
}

/**
 * Writes the rows of the triple as NDJSON, and a mapping that reads these files. Returns the mapping file, or undefined
 * if a line is malformed.
 */
export function writeAsNdjson(folder: string, { mapping, files }: Triple): string | undefined {
  if (files.some(({ rows }) => rows.some((row) => typeof row === "string"))) return undefined;
  for (const file of files) writeFileSync(path.join(folder, asNdjson(file.name)), ndjsonOf(file));
  const text = JSON.stringify(
    { ...mapping, sources: JSON.parse(asNdjson(JSON.stringify(mapping["sources"]))) },
    undefined,
    1,
  );
  writeFileSync(path.join(folder, "ndjson.json"), text);
  return "ndjson.json";
}

function asNdjson(text: string): string {
  return text.replaceAll(".csv", ".ndjson");
}
