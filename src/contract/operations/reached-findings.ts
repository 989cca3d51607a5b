import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { formatPointer, isAtOrIn, parseFragment, parsePointer } from "../../json/json-pointer.ts";
import type { ContractFinding } from "../contract-findings.ts";
import type { Contract } from "../contract.ts";
import type { Operation, PlainOperation } from "./operation.ts";

/**
 * Returns the first finding of severity `error` that affects the operation: a finding in the operation, in an operation
 * of its workflow, in any part that these operations refer to, or outside all operations and components. Errors in
 * other operations do not block this operation. Without an operation, returns the first error that concerns the
 * document as a whole.
 */
export function errorReachedBy({ document, findings }: Contract, operation?: Operation): ContractFinding | undefined {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return undefined;
  const reached = operation === undefined ? [] : placesReachedBy(document, operationsOf(operation));
  return errors.find(({ pointer }) => {
    const isReached = reached.some((place) => isAtOrIn(pointer, place));
    return isReached || !isInsideOperationOrComponent(pointer);
  });
}

function isInsideOperationOrComponent(pointer: string): boolean {
  const [top, ...below] = parsePointer(pointer);
  return (top === "paths" || top === "components") && below.length >= 2;
}

/** Returns the operation, the operations of its workflow, and the operations that query the result of a record. */
function operationsOf(operation: Operation): readonly PlainOperation[] {
  const inSteps = operation.steps.flatMap(({ operation: own, reasons, poll }) => [own, reasons, poll?.operation]);
  const lookups = operation.readBack.map((readBack) => readBack.operation);
  return [operation, ...inSteps, ...lookups].filter((one) => one !== undefined);
}

/** Returns JSON Pointers to the operations and to every part that they reference, directly or indirectly. */
function placesReachedBy(document: JsonObject, operations: readonly PlainOperation[]): readonly string[] {
  const places = new Set<string>();
  const visit = (path: readonly string[]): void => {
    const place = formatPointer(path);
    if (places.has(place)) return;
    places.add(place);
    for (const target of referencesIn(valueAt(document, path))) visit(target);
  };
  for (const { path, method } of operations) {
    const item = ["paths", path];
    const written = valueAt(document, [...item, "$ref"]);
    for (const place of [item, ...(written === undefined ? [] : targetsOf(written))]) {
      visit([...place, method.toLowerCase()]);
      visit([...place, "parameters"]);
    }
  }
  return [...places];
}

/** Yields the paths to which each `$ref` and each discriminator mapping refers. */
function* referencesIn(value: JsonValue | undefined): Generator<readonly string[]> {
  if (isJsonArray(value)) for (const item of value) yield* referencesIn(item);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === "$ref" || name === "mapping") yield* targetsOf(member);
    yield* referencesIn(member);
  }
}

function targetsOf(written: JsonValue): readonly (readonly string[])[] {
  const texts = isJsonObject(written) ? Object.values(written) : [written];
  return texts.flatMap((text) => {
    if (typeof text !== "string") return [];
    const path = parseFragment(text);
    return path === undefined ? [["components", "schemas", text]] : [path];
  });
}
