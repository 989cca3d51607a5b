import { readFileSync } from "node:fs";
import path from "node:path";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";

const WORKFLOWS = contractIn("fixtures/workflows/contract.yaml");
const plain = operationOf(contractIn("fixtures/contract/contract.yaml"), "import-account");

/** The operations of the fixtures' contracts to which records are sent. */
export const importOperations = {
  deduping: plain,
  /** A repeated request creates another account. */
  notDeduping: { ...plain, dedupesByKey: false },
  /** A repeated request replaces the content of the account. */
  updating: { ...plain, outcomes: plain.outcomes.filter(({ outcome }) => outcome !== "exists") },
  staged: operationOf(WORKFLOWS, "stage-account"),
  scheduled: operationOf(WORKFLOWS, "schedule-account"),
} as const;

function contractIn(file: string): readonly Operation[] {
  const text = readFileSync(path.join(import.meta.dirname, "../..", file), "utf8");
  return loadContract([{ file, text }]).operations;
}

function operationOf(operations: readonly Operation[], id: string): Operation {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
}
