import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { hexOf } from "../../ledger/records/record-hashes.ts";
import { canonicalKey } from "../../text/canonical-key.ts";

/**
 * Reads the current exclusions of the migration. The returned function takes a run, and resolves to a function that
 * tests whether the run's record with a given key is excluded.
 */
export async function excludedKeys(ledger: Ledger): Promise<(run: Run) => Promise<(key: string) => boolean>> {
  const exclusions = await ledger.exclusions();
  const excluded = new Set(exclusions.map(({ identity }) => hexOf(identity)));
  const excludedKeyList = [...new Set(exclusions.map(({ key }) => key))];
  return async (run) => {
    const keys = new Set<string>();
    for (const [key, identities] of await ledger.identitiesByKey(run, excludedKeyList)) {
      if (identities.some((identity) => excluded.has(hexOf(identity)))) keys.add(key);
    }
    return (key) => keys.has(canonicalKey(key));
  };
}
