import type { Contract } from "../../contract/contract.ts";
import { findOperation } from "../../contract/operations/find-operation.ts";
import type { Operation, Step } from "../../contract/operations/operation.ts";
import { parameterFields } from "../../contract/operations/request-parameters.ts";
import { stepFieldsType } from "../../contract/operations/step-fields.ts";
import type { ContractChange } from "../../contract/diff/contract-change.ts";
import type { ContractFinding } from "../../contract/contract-findings.ts";
import { diffContracts, successorOf } from "../../contract/diff/diff-contracts.ts";
import { mappedAttrs, type MappedAttr } from "../../map/node/mapped-attrs.ts";
import { ANY_SUPPLIER, type MappingValues } from "../../map/compile-context.ts";
import { compileMapping } from "../../map/compile-mapping.ts";
import { type MappingDocument, readMapping } from "../../map/document/mapping-document.ts";
import { recoverSync } from "../../model/failure.ts";
import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import type { JsonObject } from "../../json/json-value.ts";
import { readTextFile } from "../../read/text/text-file.ts";
import { readContractWithFindings, requireUsable, usableOperation } from "../../job/contract-files.ts";
import type { ContractCaching } from "../../job/dependencies.ts";
import { mappingValuesOf, namingPlaceIn } from "../../job/job-mapping.ts";
import { withNamingPlace } from "../../job/settings/naming-place.ts";

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

/**
 * Lists the changes from one contract to the next and their effects on a mapping.
 * @throws Failure `mapping_invalid` for a mapping that is not valid for the old contract, because its effects are
 * unknown
 */
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
  const successor = operation && successorOf(operation, next);
  requireUsable(next, successor, newFiles);
  const found = diffContracts(old, next, operation && new Set([operation.id]));
  const changes =
    document === undefined || operation === undefined
      ? found
      : await withMapping(found, { document, operation, successor, next, wanted });
  const warnings = [old, next].flatMap(({ findings }) => findings.filter(({ severity }) => severity === "error"));
  return { old, new: next, mapping, changes, warnings, exitCode: Number(changes.some(isBreaking)) };
}

interface MappedOperation {
  readonly document: MappingDocument;
  readonly operation: Operation;
  readonly successor: Operation | undefined;
  readonly next: Contract;
  /** The name by which the command line or the mapping refers to the operation. */
  readonly wanted: string | undefined;
}

/** Adds the effect of each change, and the reasons why the next contract rejects the mapping as a whole. */
async function withMapping(
  changes: readonly ContractChange[],
  mapped: MappedOperation,
): Promise<readonly MappedChange[]> {
  const { document, operation, successor } = mapped;
  const settings = { folder: process.cwd(), mapping: document.file };
  const values = await withNamingPlace(namingPlaceIn(document, settings), () => mappingValuesOf(document, settings));
  try {
    const check = { ...values, supplier: ANY_SUPPLIER } as const;
    compileMapping(document, operation, check);
    const attrs = attrsOf(document, operation, successor);
    const all = changes.map((change) => ({ ...change, mapping: roleOf(change, attrs) }));
    if (successor === undefined) return all;
    const reason = otherOperation(mapped) ?? (all.some(isBreaking) ? undefined : refusal(document, successor, check));
    if (reason === undefined) return all;
    return [
      { kind: "operation-changed", operation: operation.id, breaks: false, text: reason, mapping: "broken" },
      ...all,
    ];
  } finally {
    await values.functions.close();
  }
}

/** Returns the reason why the name of the operation no longer refers to it; undefined if it still does. */
function otherOperation({ wanted, next, successor }: MappedOperation): string | undefined {
  const otherName = (): string | undefined => {
    const named = findOperation(next, wanted);
    return named === successor ? undefined : `"${wanted ?? ""}" is now ${named.method} ${named.path}`;
  };
  return recoverSync(otherName, ({ message }) => message);
}

function refusal(document: MappingDocument, operation: Operation, values: MappingValues): string | undefined {
  const compile = (): undefined => void compileMapping(document, operation, values);
  return recoverSync<string | undefined>(compile, ({ message }) => message);
}

/** Returns the attrs of the payload, the parameters and the steps that a mapping or the next contract fills. */
function attrsOf(
  document: MappingDocument,
  operation: Operation,
  successor: Operation | undefined,
): ReadonlyMap<string, MappedAttr> {
  const { body, steps } = operation;
  return new Map([
    ...(body === undefined ? [] : mappedAttrs(document.payload, body)),
    ...mappedAttrs(document.parameters, parameterFields(operation), "parameters"),
    ...steps.flatMap((step) => stepAttrs(step, document.steps.get(step.name))),
    ...(successor?.steps ?? []).flatMap((step) => stepAttrs(step, setFields(step))),
  ]);
}

function stepAttrs(step: Step, entry: JsonObject = {}): readonly (readonly [string, MappedAttr])[] {
  const type = stepFieldsType(step);
  return type === undefined ? [] : [...mappedAttrs(entry, type, `steps.${step.name}`)];
}

/** Returns the fields that the contract sets, with any value for fields that are copied from the payload. */
function setFields({ body = {} }: Step): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([name, source]) => [name, "value" in source ? source.value : null]),
  );
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
    const parent = attr.split(".").slice(0, -1).join(".");
    return attrs.has(parent) ? "broken" : "untouched";
  }
  if (!isFilled) return "untouched";
  if (kind === "choices-removed" && !producesRemovedChoice(values, attr && attrs.get(attr)?.values)) return "touched";
  return breaks ? "broken" : "touched";
}

function producesRemovedChoice(removed: readonly string[] = [], mapped: readonly string[] | "" | undefined): boolean {
  return mapped === undefined || mapped === "" || mapped.some((value) => removed.includes(value));
}
