import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect } from "vitest";
import type { Proof } from "../../src/model/proof.ts";
import { createTestFolder } from "../temporary-folder.ts";
import { type AccountCells, CONTRACT, useSandbox, type Workplace, workplace } from "./push-scene.ts";

/** An overlay that makes the read-back return two fields of the account, so that their values can be compared. */
const COMPARING = `
overlay: 1.0.0
info: { title: A platform that returns some of the content, version: "1" }
actions:
  - target: $.paths['/data-import/accounts/'].post['x-migrate-read-back'][0]
    update: { match: { name: billing_name, address: billing_address1 } }
`;
export const OTHER_LEDGER = ["--ledger", "other.db"];

/** Starts a sandbox that returns some of the content of its accounts, and resets it before each test. */
export function useComparingSandbox(): ReturnType<typeof useSandbox> & {
  /** Creates accounts on the platform with a push that uses another ledger. */
  readonly importedElsewhere: (accounts: readonly AccountCells[]) => Promise<Workplace>;
  readonly requests: (method: "GET" | "POST") => Promise<number>;
  /** The flags of a push that compares content. */
  readonly withContent: readonly string[];
} {
  const { folder, remove } = createTestFolder();
  afterAll(remove);
  const compare = path.join(folder, "compare.yaml");
  writeFileSync(compare, COMPARING);
  const withContent = ["--contract", compare];
  const { sandbox, admin } = useSandbox(["--contract", CONTRACT, ...withContent]);
  return {
    sandbox,
    admin,
    withContent,
    async importedElsewhere(accounts) {
      const work = workplace({ accounts }, sandbox);
      expect((await work.push(OTHER_LEDGER)).code).toBe(0);
      return work;
    },
    async requests(method) {
      return (await admin.imports()).filter((one) => one.method === method).length;
    },
  };
}

export function proofOf(work: Workplace): Proof {
  return JSON.parse(readFileSync(work.file("proof", "proof.json"), "utf8"));
}
