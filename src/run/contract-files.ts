import type { Contract } from "../contract/contract.ts";
import { Failure } from "../model/failure.ts";
import { readTextFile } from "../read/text-file.ts";
import { cachedContract } from "./contract-cache.ts";
import type { Parts } from "./parts.ts";
import { shellLine } from "./shell-line.ts";
import { isShippedOverlay, readShippedOverlay } from "./shipped-overlay.ts";

/**
 * Loads an OpenAPI document and its overlays.
 * @throws Failure `usage` when there is none, `contract_invalid` when it cannot be trusted
 */
export async function readContract(files: readonly string[], parts: Pick<Parts, "contractCache">): Promise<Contract> {
  const contract = await cachedContract(await readContractFiles(files), parts.contractCache);
  const broken = contract.findings.find((finding) => finding.severity === "error");
  if (broken === undefined) return contract;
  throw new Failure("contract_invalid", broken.message, {
    place: broken.place,
    hint: `see everything at once with \`${shellLine(["migrate", "contract", "check", ...files])}\``,
  });
}

/**
 * The text of a contract's files: the OpenAPI document, then its overlays.
 * @throws Failure `usage` when there is none, `config` for one that cannot be read
 */
export async function readContractFiles(
  files: readonly string[],
): Promise<readonly { readonly file: string; readonly text: string }[]> {
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
