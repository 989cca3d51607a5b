import type { Contract } from "../../contract/contract.ts";
import type { ContractChange } from "../../contract/diff/contract-change.ts";
import type { ContractFinding } from "../../contract/contract-findings.ts";
import { diffContracts, successorOf } from "../../contract/diff/diff-contracts.ts";
import { mappedAttrs, type MappedAttr } from "../../map/node/mapped-attrs.ts";
import { readMapping } from "../../map/document/mapping-document.ts";
import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { readContractWithFindings, requireUsable, usableOperation } from "../../job/contract-files.ts";
import type { ContractCaching } from "../../job/dependencies.ts";

export interface ContractDiffOptions {
  readonly old: string;
  readonly new: string;
  /** Overlays applied to both contracts. */
  readonly overlays: readonly string[];
  /** The operation to compare. Default: the operation of the mapping or, without a mapping, every operation. */
  readonly operation?: string | undefined;
  readonly mapping?: string | undefined;
}

export interface ContractDiff {
  readonly old: Contract;
  readonly new: Contract;
  readonly mapping: string | undefined;
  readonly changes: readonly MappedChange[];
  /**
   * Errors outside the requested operation. The comparison may miss changes that depend on these parts of the
   * contracts.
   */
  readonly warnings: readonly ContractFinding[];
  /** 1 if a change breaks the mapping, or if a change breaks payloads and there is no mapping; 0 otherwise. */
  readonly exitCode: number;
}

/** A change and, if a mapping is given, its effect on the mapping. */
export type MappedChange = ContractChange & { readonly mapping?: "broken" | "touched" | "untouched" };

/** Lists the changes from one contract to the next and their effects on a mapping. */
export async function contractDiff(options: ContractDiffOptions, dependencies: ContractCaching): Promise<ContractDiff> {
  const oldFiles = [options.old, ...options.overlays];
  const newFiles = [options.new, ...options.overlays];
  const old = await readContractWithFindings(oldFiles, dependencies);
  const next = await readContractWithFindings(newFiles, dependencies);
  const { mapping } = options;
  const document = mapping === undefined ? undefined : readMapping(await readTextFile(mapping));
  const wanted = options.operation ?? document?.operation;
  const isOne = wanted !== undefined || document !== undefined;
  const operation = isOne ? usableOperation(old, wanted, oldFiles) : undefined;
  if (!isOne) requireUsable(old, undefined, oldFiles);
  requireUsable(next, operation && successorOf(operation, next), newFiles);
  const attrs = document && operation?.body && mappedAttrs(document.payload, operation.body);
  const changes = withRoles(diffContracts(old, next, operation && new Set([operation.id])), attrs);
  const warnings = [old, next].flatMap(({ findings }) => findings.filter(({ severity }) => severity === "error"));
  return { old, new: next, mapping, changes, warnings, exitCode: Number(changes.some(isBreaking)) };
}

function withRoles(
  changes: readonly ContractChange[],
  attrs: ReadonlyMap<string, MappedAttr> | undefined,
): readonly MappedChange[] {
  return attrs === undefined ? changes : changes.map((change) => ({ ...change, mapping: roleOf(change, attrs) }));
}

function isBreaking({ mapping, breaks }: MappedChange): boolean {
  return mapping === undefined ? breaks : mapping === "broken";
}

function roleOf(
  { kind, attr, breaks, values }: ContractChange,
  attrs: ReadonlyMap<string, MappedAttr>,
): NonNullable<MappedChange["mapping"]> {
  const isFilled = attr === undefined || attr === NON_FIELD_ERRORS || attrs.has(attr);
  if (kind === "required") {
    if (isFilled) return "touched";
    return attrs.has(parentAttr(attr)) ? "broken" : "untouched";
  }
  if (!isFilled) return "untouched";
  if (kind === "choices-removed" && !producesRemovedChoice(values, attr && attrs.get(attr)?.values)) return "touched";
  return breaks ? "broken" : "touched";
}

/** Returns the attr of the enclosing object; "" for the payload. */
function parentAttr(attr: string): string {
  return attr.split(".").slice(0, -1).join(".");
}

function producesRemovedChoice(removed: readonly string[] = [], mapped: readonly string[] | "" | undefined): boolean {
  return mapped === undefined || mapped === "" || mapped.some((value) => removed.includes(value));
}
