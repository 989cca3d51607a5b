import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What a run over a public suite came to; .ci/run prints it. */
    counts?: string;
  }
}

const SHARED = process.env["MIGRATE_SHARED"] ?? fileURLToPath(new URL("../../../shared", import.meta.url));

/** Public test data: the folder that MIGRATE_CORPORA names, or `corpora` in the one that MIGRATE_SHARED names. */
const CORPORA: string = process.env["MIGRATE_CORPORA"] ?? join(SHARED, "corpora");

export function corpus(...names: readonly string[]): string {
  return join(CORPORA, ...names);
}

/** One of the operators' published documents, or the folder of them. */
export function publishedContract(...names: readonly string[]): string {
  return join(SHARED, "contracts", ...names);
}

/** Tests over one corpus; where it is not there they are shown as skipped, under a name that says where it was sought. */
export function describeCorpus(name: string, tests: () => void): void {
  describe.skipIf(!existsSync(corpus(name)))(`${name} (sought in ${CORPORA})`, () => {
    tests();
  });
}
