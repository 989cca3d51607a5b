import type { Operation } from "./contract.ts";
import type { FieldType } from "./field-type.ts";

/** An operation that takes records and says nothing of how they are known again. */
export interface MissingKey {
  readonly operation: Operation;
  /** The field of the payload that looks most like a business key; absent where none does. */
  readonly likely?: string;
}

/** The operations with a request body for which no business key is declared, in the contract's order. */
export function missingKeys(operations: readonly Operation[]): readonly MissingKey[] {
  return operations.flatMap((operation) => {
    if (operation.body === undefined || operation.key !== undefined) return [];
    const likely = likelyKey(operation.body);
    return [{ operation, ...(likely !== undefined && { likely }) }];
  });
}

/** The most telling name first: what the records are called outside of the platform. */
const TELLING = [/^external_.*(?:number|reference|identifier|id)$/, /(?:number|reference|identifier|key)$/, /_id$/];

function likelyKey(body: FieldType): string | undefined {
  if (body.kind !== "object") return undefined;
  const texts = [...body.properties.values()].filter(({ type }) => type.kind === "text").map(({ name }) => name);
  return TELLING.flatMap((words) => texts.filter((name) => words.test(name)))[0];
}
