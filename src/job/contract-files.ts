import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ContractFinding } from "../contract/contract-findings.ts";
import type { Contract } from "../contract/contract.ts";
import { findOperation } from "../contract/operations/find-operation.ts";
import type { Operation } from "../contract/operations/operation.ts";
import { errorReachedBy } from "../contract/operations/reached-findings.ts";
import { isJsonArray, type JsonValue, valueAt } from "../json/json-value.ts";
import { Failure } from "../model/failure.ts";
import { readTextFile, type TextFile } from "../read/text/text-file.ts";
import { shellCommand } from "../text/shell-command.ts";
import { suggestionOr } from "../text/suggestion.ts";
import { cachedContract, type ContractCache, keptContract } from "./contract-cache.ts";
import type { RuleSettings } from "./settings/rule-configuration.ts";
import type { Dependencies } from "./dependencies.ts";

/**
 * Loads an OpenAPI document and its overlays. `settings`: `rules:` of the configuration.
 * @throws Failure `usage` when there is none, `contract_invalid` when it cannot be trusted
 */
export async function readContract(
  files: readonly string[],
  dependencies: Pick<Dependencies, "contractCache">,
  settings?: RuleSettings["rules"],
): Promise<Contract> {
  const contract = await readContractWithFindings(files, dependencies, settings);
  const broken = contract.findings.find((finding) => finding.severity === "error");
  if (broken !== undefined) throw contractFailure(broken, files);
  return contract;
}

/**
 * One operation of a contract, of which nothing else has to be sound.
 * @param name its id or "METHOD path"; none: the only one that there is
 * @throws Failure `contract_invalid` where the operation, or what it refers to, cannot be trusted; `usage` where there is none
 */
export function soundOperation(contract: Contract, name: string | undefined, files: readonly string[]): Operation {
  requireSound(contract, undefined, files);
  const operation = findOperation(contract, name);
  requireSound(contract, operation, files);
  return operation;
}

/**
 * @throws Failure `contract_invalid` where the document as a whole cannot be trusted, or the operation, or what it refers to
 */
export function requireSound(contract: Contract, operation: Operation | undefined, files: readonly string[]): void {
  const broken = errorReachedBy(contract, operation);
  if (broken !== undefined) throw contractFailure(broken, files);
}

function contractFailure({ message, place }: ContractFinding, files: readonly string[]): Failure {
  return new Failure("contract_invalid", message, {
    place,
    hint: `see everything at once with \`${shellCommand(["migrate", "contract", "check", ...files])}\``,
  });
}

/**
 * The same for a contract that need not be sound: its findings say what is wrong.
 * @throws Failure `usage` when there is none, `config` for a file that cannot be read
 */
export async function readContractWithFindings(
  files: readonly string[],
  { contractCache }: Pick<Dependencies, "contractCache">,
  settings?: RuleSettings["rules"],
): Promise<Contract> {
  return cachedContract(await readContractFiles(files), contractCache, settings);
}

/** The same if an earlier command has compiled it; undefined where it would have to be compiled now. */
export async function readKeptContract(
  files: readonly string[],
  cache: ContractCache | undefined,
  settings?: RuleSettings["rules"],
): Promise<Contract | undefined> {
  return keptContract(await readContractFiles(files), cache, settings);
}

/**
 * The text of a contract's files: the OpenAPI document, then its overlays.
 * @throws Failure `usage` when there is none, `config` for one that cannot be read
 */
async function readContractFiles(files: readonly string[]): Promise<readonly TextFile[]> {
  if (files.length === 0) {
    throw new Failure("usage", "no contract is given", {
      hint: "name the platform's OpenAPI document with --contract, or in migrate.yaml",
    });
  }
  const texts = await Promise.all(
    files.map((file) => (isShippedOverlay(file) ? readShippedOverlay(file) : readTextFile(file))),
  );
  return texts.flat();
}

const PREFIX = "overlay:";
const FOLDER = fileURLToPath(new URL("../overlays/", import.meta.url));
/** What the documents of several operators have alike; it stands before each of the others. */
const SHARED = "shared";

/** True for `overlay:<name>`, which stands for overlays that the package ships. */
export function isShippedOverlay(file: string): boolean {
  return file.startsWith(PREFIX);
}

/** Where a file of a contract lies: itself, or the overlays that `overlay:<name>` stands for, in their order. */
export function contractPaths(file: string): readonly string[] {
  return isShippedOverlay(file) ? [SHARED, nameOf(file)].map((name) => `${FOLDER}${name}.yaml`) : [file];
}

/**
 * The texts of `overlay:<name>`, in their order, known by such names.
 * @throws Failure `usage` for a name that is not there
 */
export async function readShippedOverlay(file: string): Promise<readonly TextFile[]> {
  const names = await shippedNames();
  const name = nameOf(file);
  if (names.includes(name)) {
    const paths = contractPaths(file);
    const texts = await Promise.all(paths.map(async (each) => (await readTextFile(each)).text));
    return texts.map((text, index) => ({ file: index === 0 ? `${PREFIX}${SHARED}` : file, text }));
  }
  throw new Failure("usage", `this version ships no overlay named "${name}"`, {
    hint: suggestionOr(
      `there are ${names.toSorted().join(", ")}`,
      file,
      names.map((one) => PREFIX + one),
    ),
  });
}

/** For every code that a rule of a shipped overlay reports, the overlays that have one: `overlay:<name>`. */
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

async function shippedNames(): Promise<readonly string[]> {
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".yaml"));
  return files.map((name) => name.slice(0, -5)).filter((name) => name !== SHARED);
}

function nameOf(file: string): string {
  return file.slice(PREFIX.length);
}

/** Makes a path of the settings usable from the current folder, unchanged when it already is. */
export function pathsFrom(folder: string): (file: string) => string {
  const isHere = folder === process.cwd();
  return (file) =>
    isHere || path.isAbsolute(file) || file === "-" || isShippedOverlay(file) ? file : path.join(folder, file);
}
