import type { Contract } from "../../contract/contract.ts";
import type { ContractChange } from "../../contract/diff/contract-change.ts";
import { diffContracts } from "../../contract/diff/diff-contracts.ts";
import { findOperation } from "../../contract/operations/find-operation.ts";
import { mappedAttrs, type MappedAttr } from "../../map/node/mapped-attrs.ts";
import { readMapping } from "../../map/document/mapping-document.ts";
import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { readContract } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";

export interface ContractDiffOptions {
  readonly old: string;
  readonly new: string;
  /** Applied to both. */
  readonly overlays: readonly string[];
  /** Only this one; with a mapping the one that it is for. */
  readonly operation?: string | undefined;
  readonly mapping?: string | undefined;
}

export interface ContractDiff {
  readonly old: Contract;
  readonly new: Contract;
  readonly mapping: string | undefined;
  readonly changes: readonly MappedChange[];
  /** 1 when something breaks the mapping; without one, when something breaks payloads. */
  readonly exitCode: number;
}

/** A change, and what it is to the mapping where one is given. */
export type MappedChange = ContractChange & { readonly mapping?: "broken" | "touched" | "untouched" };

/** What changed from one contract to the next, and what of it a mapping has to follow. */
export async function contractDiff(
  options: ContractDiffOptions,
  dependencies: Pick<Dependencies, "contractCache">,
): Promise<ContractDiff> {
  const old = await readContract([options.old, ...options.overlays], dependencies);
  const next = await readContract([options.new, ...options.overlays], dependencies);
  const { mapping } = options;
  const document = mapping === undefined ? undefined : readMapping(await readTextFile(mapping));
  const wanted = options.operation ?? document?.operation;
  const operation = wanted === undefined && mapping === undefined ? undefined : findOperation(old, wanted);
  const attrs = document && operation?.body && mappedAttrs(document.payload, operation.body);
  const changes = diffContracts(old, next, operation && new Set([operation.id]));
  const seen = attrs === undefined ? changes : changes.map((change) => ({ ...change, mapping: roleOf(change, attrs) }));
  const breaks = seen.some((change: MappedChange) =>
    change.mapping === undefined ? change.breaks : change.mapping === "broken",
  );
  return { old, new: next, mapping, changes: seen, exitCode: breaks ? 1 : 0 };
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

/** The object that the field stands in; "" is the payload. */
function parentAttr(attr: string): string {
  return attr.split(".").slice(0, -1).join(".");
}

function producesRemovedChoice(gone: readonly string[] = [], mapped: readonly string[] | "" | undefined): boolean {
  return mapped === undefined || mapped === "" || mapped.some((value) => gone.includes(value));
}
