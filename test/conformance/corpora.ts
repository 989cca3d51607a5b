import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** Result counts of a public suite, printed by .ci/run. */
    counts?: string;
  }
}

const SHARED = process.env["MIGRATE_SHARED"] ?? fileURLToPath(new URL("../../../shared", import.meta.url));

/** Folder of public test data: MIGRATE_CORPORA, or `corpora` in MIGRATE_SHARED. */
const CORPORA: string = process.env["MIGRATE_CORPORA"] ?? join(SHARED, "corpora");

export function corpus(...names: readonly string[]): string {
  return join(CORPORA, ...names);
}

/** Returns the path of an operator's published document, or of the folder with all documents. */
export function publishedContract(...names: readonly string[]): string {
  return join(SHARED, "contracts", ...names);
}

/**
 * Defines tests over a corpus. If the corpus is missing, the tests are skipped, and the title of their group names the
 * expected folder.
 */
export function describeCorpus(name: string, tests: () => void): void {
  describe.skipIf(!existsSync(corpus(name)))(`${name} (expected in ${CORPORA})`, () => {
    tests();
  });
}
