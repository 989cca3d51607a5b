import { formatAttr } from "../model/attr.ts";
import type { Contract, Operation } from "./contract.ts";
import type { ContractChange } from "./contract-change.ts";
import { diffTypes } from "./diff-types.ts";

/**
 * What the new contract says differently from the old one, operation by operation in the old one's order. An operation
 * is the same one where method and path are, or else where the id is. `only`: ids of the old contract to look at.
 */
export function diffContracts(
  old: Contract,
  next: Contract,
  only: ReadonlySet<string> | undefined,
): readonly ContractChange[] {
  const successors = new Map(old.operations.map((operation) => [operation, successorOf(operation, next)]));
  const known = new Set(successors.values());
  const kept = old.operations.filter(({ id }) => only === undefined || only.has(id));
  const added = only === undefined ? next.operations.filter((operation) => !known.has(operation)) : [];
  return [
    ...kept.flatMap((operation) => diffOperation(operation, successors.get(operation))),
    ...added.map(additionOf),
  ];
}

/** The operation that takes the place of an older contract's. */
function successorOf({ method, path, id }: Operation, next: Contract): Operation | undefined {
  const { operations } = next;
  return (
    operations.find((operation) => operation.method === method && operation.path === path) ??
    operations.find((operation) => operation.id === id)
  );
}

function diffOperation(old: Operation, next: Operation | undefined): readonly ContractChange[] {
  const { id: operation } = old;
  if (next === undefined) {
    return [{ kind: "operation-removed", operation, breaks: true, text: `${old.method} ${old.path} is gone` }];
  }
  const changes = SETTINGS.flatMap(({ name, breaks, read }): readonly ContractChange[] => {
    const [before, now] = [read(old), read(next)];
    if (before === now) return [];
    return [{ kind: "operation-changed", operation, breaks, text: `${name}: ${now}, before ${before}` }];
  });
  return [...changes, ...diffBodies(old, next)];
}

function diffBodies({ id: operation, body: old }: Operation, { body: next }: Operation): readonly ContractChange[] {
  if (old !== undefined && next !== undefined) return diffTypes(old, next).map((change) => ({ ...change, operation }));
  if (old === next) return [];
  const text = next === undefined ? "takes no JSON body any more" : "takes a JSON body now";
  return [{ kind: "operation-changed", operation, breaks: true, text }];
}

function additionOf({ id, method, path }: Operation): ContractChange {
  return { kind: "operation-added", operation: id, breaks: false, text: `${method} ${path} is new` };
}

interface Setting {
  readonly name: string;
  /** Records that were moved under the old contract are not known again, or not reached. */
  readonly breaks: boolean;
  readonly read: (operation: Operation) => string;
}

const SETTINGS: readonly Setting[] = [
  { name: "address", breaks: true, read: ({ method, path }) => `${method} ${path}` },
  { name: "operation id", breaks: false, read: ({ id }) => id },
  { name: "business key", breaks: true, read: ({ key }) => (key === undefined ? "none" : formatAttr(key)) },
  { name: "wrapped in", breaks: false, read: ({ wrap }) => wrap ?? "nothing" },
  { name: "dedupes by business key", breaks: false, read: ({ dedupes }) => (dedupes ? "yes" : "no") },
  { name: "outcomes of replies", breaks: false, read: ({ outcomes }) => JSON.stringify(outcomes) },
];
