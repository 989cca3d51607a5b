import type { Ledger, Run } from "../../ledger/ledger.ts";
import { identitiesOf } from "../../ledger/records/record-hashes.ts";

/** Returns a test for the keys of a run whose records are excluded from the migration now. */
export async function excludedKeys(
  ledger: Pick<Ledger, "exclusions">,
): Promise<(run: Pick<Run, "endpoint" | "supplier">) => (key: string) => boolean> {
  const excluded = new Set((await ledger.exclusions()).map(({ identity }) => hexOf(identity)));
  return (run) => {
    const identityOf = identitiesOf(run);
    return (key) => excluded.size > 0 && excluded.has(hexOf(identityOf(key)));
  };
}

function hexOf(identity: Uint8Array): string {
  return Buffer.from(identity).toString("hex");
}
