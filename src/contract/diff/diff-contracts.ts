import type { Contract } from "../contract.ts";
import { addressOf, type Operation } from "../operations/operation.ts";
import { parameterFields, parameterLocations } from "../operations/request-parameters.ts";
import { stepFieldsType } from "../operations/step-fields.ts";
import { COMPARED_SETTINGS } from "./compared-settings.ts";
import type { ContractChange } from "./contract-change.ts";
import { diffTypes } from "./diff-types.ts";
import type { DeclarationPair } from "./other-kind.ts";

/**
 * Returns the differences between two contracts by operation, in the order of the old contract, followed by new
 * operations. Operations are matched by method and path, otherwise by id. `only`: ids of the old contract's operations
 * to compare, without new operations; undefined compares all operations.
 */
export function diffContracts(
  old: Contract,
  next: Contract,
  only: ReadonlySet<string> | undefined,
): readonly ContractChange[] {
  const declarations = [old.ruleDeclarations, next.ruleDeclarations] as const;
  const successors = new Map(old.operations.map((operation) => [operation, successorOf(operation, next)]));
  const known = new Set(successors.values());
  const kept = old.operations.filter(({ id }) => only === undefined || only.has(id));
  const added = only === undefined ? next.operations.filter((operation) => !known.has(operation)) : [];
  const additions = added.map((operation): ContractChange => {
    return { kind: "operation-added", operation: operation.id, breaks: false, text: `${addressOf(operation)} is new` };
  });
  return [
    ...kept.flatMap((operation) => diffOperation(operation, successors.get(operation), declarations)),
    ...additions,
  ];
}

/**
 * Returns the operation in the next contract that has the same method and path. If there is none, returns the operation
 * with the same id.
 */
export function successorOf({ method, path, id }: Operation, next: Contract): Operation | undefined {
  const { operations } = next;
  return (
    operations.find((operation) => operation.method === method && operation.path === path) ??
    operations.find((operation) => operation.id === id)
  );
}

function diffOperation(
  old: Operation,
  next: Operation | undefined,
  declarations: DeclarationPair,
): readonly ContractChange[] {
  const { id: operation } = old;
  if (next === undefined) {
    return [{ kind: "operation-removed", operation, breaks: true, text: `${addressOf(old)} was removed` }];
  }
  const changes = COMPARED_SETTINGS.flatMap(({ name, breaks, read }): readonly ContractChange[] => {
    const [before, now] = [read(old), read(next)];
    if (before === now) return [];
    return [{ kind: "operation-changed", operation, breaks, text: `${name}: ${now}, previously ${before}` }];
  });
  return [
    ...changes,
    ...diffParameters(old, next, declarations),
    ...diffSteps(old, next, declarations),
    ...diffBodies(old, next, declarations),
  ];
}

/** Compares the parameters of requests. Their attrs are `parameters.companyId`, as in mappings. */
function diffParameters(old: Operation, next: Operation, declarations: DeclarationPair): readonly ContractChange[] {
  const { id: operation } = old;
  const types = diffTypes(parameterFields(old), parameterFields(next), declarations, "parameters");
  const locations = parameterLocations(next);
  const moves = [...parameterLocations(old)].flatMap(([name, before]): readonly ContractChange[] => {
    const now = locations.get(name);
    if (now === undefined || now === before) return [];
    const attr = `parameters.${name}`;
    return [{ kind: "operation-changed", operation, attr, breaks: false, text: `in: ${now}, previously ${before}` }];
  });
  return [...types.map((change) => ({ ...change, operation })), ...moves];
}

/** Compares the fields that steps send, next to the payload or instead of it. Their attrs are `steps.schedule.team`. */
function diffSteps(old: Operation, next: Operation, declarations: DeclarationPair): readonly ContractChange[] {
  return next.steps.flatMap((step) => {
    const before = old.steps.find(({ name }) => name === step.name);
    const type = stepFieldsType(step);
    if (type === undefined) return [];
    const known = (before && stepFieldsType(before)) ?? { ...type, properties: new Map() };
    const changes = diffTypes(known, type, declarations, `steps.${step.name}`);
    return changes.map((change) => ({ ...change, operation: old.id }));
  });
}

function diffBodies(
  { id: operation, body: old }: Operation,
  { body: next }: Operation,
  declarations: DeclarationPair,
): readonly ContractChange[] {
  if (old !== undefined && next !== undefined) {
    return diffTypes(old, next, declarations).map((change) => ({ ...change, operation }));
  }
  if (old === next) return [];
  const text = next === undefined ? "no longer has a JSON body" : "now has a JSON body";
  return [{ kind: "operation-changed", operation, breaks: true, text }];
}
