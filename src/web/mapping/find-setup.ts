import { open, readdir } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../files/error-code.ts";
import { pathsFrom, readContractWithFindings, shippedOverlays } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import { CORRECTION_COLUMNS } from "../../read/corrections/corrections-file.ts";
import { inspectFile } from "../../read/input/source-files.ts";
import { DEFAULT_LIMITS } from "../../read/read-limits.ts";
import type { FoundData, OperationData } from "./mapping-data.ts";

const MAX_FILES = 500;
const MAX_DEPTH = 2;
/** The number of bytes to read from a file, enough to recognise an OpenAPI document. */
const HEAD_BYTES = 4096;

const SOURCE = /\.(?:csv|tsv|txt|json|ndjson|jsonl|xlsx|xlsm)(?:\.gz)?$/i;
const MODULE = /\.(?:mjs|js|cjs)$/i;
const DOCUMENT = /\.(?:ya?ml|json)$/i;
/** Names of files that this program writes. */
const OWN = /^(?:migrate\.yaml|.*\.schema\.json)$/;
/** The first bytes of other files that this program writes: corrections, and the ready file of a sandbox. */
const OWN_HEAD = new RegExp(String.raw`^(?:\uFEFF?${CORRECTION_COLUMNS.join()}\r?\n|\{\s*"baseUrl":)`);
/** Files that mark a folder as a report or a proof. */
const OWN_FOLDER = new Set(["summary.json", "proof.json"]);

/**
 * Returns the bundled overlays, and the files in the folder and its direct subfolders that may be extracts, OpenAPI
 * documents, overlays or modules. Reads at most `MAX_FILES` files.
 */
export async function findSetup(folder: string): Promise<FoundData> {
  const files = (await filesIn(folder, "", MAX_DEPTH)).slice(0, MAX_FILES);
  const kinds = await Promise.all(files.map(async (file) => ({ file, kind: await kindOf(folder, file) })));
  const named = (wanted: FileKind): readonly string[] =>
    kinds.flatMap(({ file, kind }) => (kind === wanted ? file : []));
  return {
    sources: named("source"),
    contracts: named("contract"),
    overlays: [...named("overlay"), ...(await shippedOverlays())],
    modules: named("module"),
  };
}

/** Replaces each workbook with several visible sheets by these sheets, such as `book.xlsx#Customers`. */
export async function withSheets(folder: string, files: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(files.map((file) => sheetsOf(folder, file)))).flat();
}

async function filesIn(folder: string, below: string, depth: number): Promise<readonly string[]> {
  const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return [];
  });
  const shown = entries
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  if (below !== "" && shown.some(({ name }) => OWN_FOLDER.has(name))) return [];
  const files = shown.filter((entry) => entry.isFile() && !OWN.test(entry.name)).map(({ name }) => below + name);
  const folders = depth > 1 ? shown.filter((entry) => entry.isDirectory()) : [];
  const inside = await Promise.all(folders.map(({ name }) => filesIn(folder, `${below}${name}/`, depth - 1)));
  return [...files, ...inside.flat()];
}

type FileKind = "source" | "contract" | "overlay" | "module" | "other";

async function kindOf(folder: string, file: string): Promise<FileKind> {
  const head = DOCUMENT.test(file) || /\.csv$/i.test(file) ? await headOf(path.join(folder, file)) : "";
  if (OWN_HEAD.test(head)) return "other";
  if (DOCUMENT.test(file)) {
    if (/^\s*\{?\s*["']?(?:openapi|swagger)["']?\s*:/m.test(head)) return "contract";
    if (/^\s*\{?\s*["']?overlay["']?\s*:/m.test(head)) return "overlay";
  }
  if (MODULE.test(file)) return "module";
  return SOURCE.test(file) ? "source" : "other";
}

async function sheetsOf(folder: string, file: string): Promise<readonly string[]> {
  if (!/\.xls[xm]$/i.test(file)) return [file];
  const { visibleSheets } = await import("../../read/workbook/open-workbook.ts");
  try {
    const found = await inspectFile(path.join(folder, file));
    const sheets = await visibleSheets({ ...found, file, limits: DEFAULT_LIMITS });
    return sheets.length < 2 ? [file] : sheets.map((sheet) => `${file}#${sheet}`);
  } catch (error) {
    // The page reports the failure when the user chooses the file.
    if (error instanceof Failure) return [file];
    throw error;
  }
}

async function headOf(file: string): Promise<string> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return "";
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Returns the operations of a contract that accept a payload. Operations with a business key come first.
 * @throws Failure if the contract cannot be read
 */
export async function operationsOf(job: JobSettings, dependencies: Dependencies): Promise<readonly OperationData[]> {
  const files = job.contract.map(pathsFrom(job.folder));
  const { operations } = await readContractWithFindings(files, dependencies, job.rules);
  const taking = operations.filter(({ body }) => body !== undefined);
  const ordered = [...taking.filter(({ key }) => key !== undefined), ...taking.filter(({ key }) => key === undefined)];
  return ordered.map(({ id, method, path: address, summary }) => ({
    id,
    address: `${method} ${address}`,
    ...definedMembers({ summary }),
  }));
}
