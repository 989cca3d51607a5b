import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ContractFinding } from "../contract/contract-findings.ts";
import type { Contract } from "../contract/contract.ts";
import { findOperation, requireBody } from "../contract/operations/find-operation.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { errorReachedBy } from "../contract/operations/reached-findings.ts";
import { isJsonArray, type JsonValue, valueAt } from "../json/json-value.ts";
import { Failure } from "../model/failure.ts";
import { readTextFile, type TextFile } from "../read/text/text-file.ts";
import { shellCommand } from "../text/shell-command.ts";
import { suggestionOr } from "../text/suggestion.ts";
import { cachedContract, type ContractCache, storedContract } from "./contract-cache.ts";
import type { RuleSettings } from "./settings/rule-configuration.ts";
import type { ContractCaching } from "./dependencies.ts";

/**
 * Loads an OpenAPI document and its overlays.
 * @throws Failure `contract_invalid` if the contract has errors; the failures of `readContractWithFindings`
 */
export async function readContract(files: readonly string[], dependencies: ContractCaching): Promise<Contract> {
  const contract = await readContractWithFindings(files, dependencies);
  const broken = contract.findings.find((finding) => finding.severity === "error");
  if (broken !== undefined) throw contractFailure(broken, files);
  return contract;
}

/**
 * Returns one operation of a contract. Ignores errors in unrelated parts of the contract.
 * @param name the operation's id or "METHOD path"; default: the only operation with a body and a key
 * @throws Failure `contract_invalid` for an error in the document as a whole, in the operation, or in anything it
 * refers to, and if records cannot be sent to the operation; `config` if there is not exactly one matching operation
 */
export function usableOperation(contract: Contract, name: string | undefined, files: readonly string[]): Operation {
  requireUsable(contract, undefined, files);
  const operation = findOperation(contract, name);
  requireUsable(contract, operation, files);
  requireBody(operation);
  return operation;
}

/**
 * @throws Failure `contract_invalid` for an error in the document as a whole, in the operation, or in anything it
 * refers to
 */
export function requireUsable(contract: Contract, operation: Operation | undefined, files: readonly string[]): void {
  const broken = errorReachedBy(contract, operation);
  if (broken !== undefined) throw contractFailure(broken, files);
}

function contractFailure({ message, place }: ContractFinding, files: readonly string[]): Failure {
  return new Failure("contract_invalid", message, {
    place,
    hint: `see all findings with \`${shellCommand(["migrate", "contract", "check", ...files])}\``,
  });
}

/**
 * Loads a contract that may have errors. Its findings list the errors.
 * @param pathOf returns the location of a file, given its name
 * @throws Failure `usage` if `files` is empty or names an unknown bundled overlay, `config` for a file that cannot be
 * read, `contract_invalid` if compilation is impossible
 */
export async function readContractWithFindings(
  files: readonly string[],
  { contractCache }: ContractCaching,
  settings?: RuleSettings["rules"],
  pathOf: PathOf = ownPath,
): Promise<Contract> {
  return cachedContract(await readContractFiles(files, pathOf), contractCache, settings);
}

type PathOf = (name: string) => string;

/** Returns the contract if the cache contains it; otherwise undefined. */
export async function readStoredContract(
  files: readonly string[],
  cache: ContractCache | undefined,
  settings?: RuleSettings["rules"],
): Promise<Contract | undefined> {
  return storedContract(await readContractFiles(files), cache, settings);
}

/**
 * Reads the files of a contract: the OpenAPI document, then its overlays.
 * @throws Failure `usage` if `files` is empty or names an unknown bundled overlay, `config` for a file that cannot be
 * read
 */
async function readContractFiles(files: readonly string[], pathOf: PathOf = ownPath): Promise<readonly TextFile[]> {
  if (files.length === 0) {
    throw new Failure("usage", "no contract was given", {
      hint: "pass the platform's OpenAPI document with --contract, or set it in migrate.yaml",
    });
  }
  const texts = await Promise.all(
    files.map((file) => (isShippedOverlay(file) ? readShippedOverlay(file, pathOf) : readTextFile(file, pathOf(file)))),
  );
  return texts.flat();
}

const PREFIX = "overlay:";
const FOLDER = fileURLToPath(new URL("../overlays/", import.meta.url));
/** The overlay that all operators share. It is applied before the overlay of the operator. */
const SHARED = "shared";

/** Whether a name has the format `overlay:<name>`, which represents bundled overlays. */
export function isShippedOverlay(file: string): boolean {
  return file.startsWith(PREFIX);
}

/**
 * Returns `overlay:shared` and the given name for a bundled overlay (`overlay:<name>`), in this order. For any other
 * name, returns only that name.
 */
export function contractNames(file: string): readonly string[] {
  return isShippedOverlay(file) ? [`${PREFIX}${SHARED}`, file] : [file];
}

/**
 * Returns the path of the file with this name. For a bundled overlay, returns the path of the overlay in this version
 * of the program.
 */
export function ownPath(name: string): string {
  return isShippedOverlay(name) ? `${FOLDER}${nameOf(name)}.yaml` : name;
}

/**
 * Reads the two overlays that `overlay:<name>` represents. Returns `overlay:shared` first, then `overlay:<name>`.
 * @param pathOf returns the location of each overlay; another version may have stored an overlay that this version does
 * not have
 * @throws Failure `usage` for an unknown name
 */
export async function readShippedOverlay(file: string, pathOf: PathOf = ownPath): Promise<readonly TextFile[]> {
  const names = await shippedNames();
  if (names.includes(nameOf(file)) || pathOf(file) !== ownPath(file))
    return Promise.all(contractNames(file).map((name) => readTextFile(name, pathOf(name))));
  throw new Failure("usage", `this version has no bundled overlay named "${nameOf(file)}"`, {
    hint: suggestionOr(
      `available: ${names.toSorted().join(", ")}`,
      file,
      names.map((one) => PREFIX + one),
    ),
  });
}

/** Returns, for each rule code, the bundled overlays (`overlay:<name>`) that have a rule with this code. */
export async function shippedRuleCodes(): Promise<ReadonlyMap<string, readonly string[]>> {
  const { parseDocument } = await import("../contract/document/yaml-document.ts");
  const overlays = new Map<string, readonly string[]>();
  for (const name of await shippedNames()) {
    const overlay = `${PREFIX}${name}`;
    const texts = await readShippedOverlay(overlay);
    const codes = new Set(texts.flatMap((text) => ruleCodesOf(parseDocument(text).value)));
    for (const code of codes) overlays.set(code, [...(overlays.get(code) ?? []), overlay]);
  }
  return overlays;
}

function ruleCodesOf(overlay: JsonValue): readonly string[] {
  const actions = valueAt(overlay, ["actions"]);
  const lists = (isJsonArray(actions) ? actions : []).map((action) => valueAt(action, ["update", "x-rules"]));
  return lists
    .flatMap((list) => (isJsonArray(list) ? list : []))
    .flatMap((rule) => {
      const code = valueAt(rule, ["code"]);
      return typeof code === "string" ? [code] : [];
    });
}

/** Returns the names of the bundled overlays that users choose from: `overlay:au`, `overlay:gb`. */
export async function shippedOverlays(): Promise<readonly string[]> {
  return (await shippedNames()).map((name) => PREFIX + name).toSorted();
}

async function shippedNames(): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml"));
  return files.map((name) => name.slice(0, -5)).filter((name) => name !== SHARED);
}

function nameOf(file: string): string {
  return file.slice(PREFIX.length);
}

/**
 * Returns a function that resolves a relative path against the folder of the settings, for use from the current folder.
 * The function returns absolute paths, `-` and `overlay:<name>` unchanged.
 */
export function pathsFrom(folder: string): (file: string) => string {
  const isHere = folder === process.cwd();
  return (file) =>
    isHere || path.isAbsolute(file) || file === "-" || isShippedOverlay(file) ? file : path.join(folder, file);
}
