import type { Ledger, Run } from "../../ledger/ledger.ts";
import { identitiesOf } from "../../ledger/records/record-hashes.ts";

/** Returns a test for the keys of a run whose records are excluded from the migration now. */
export async function excludedKeys(
  ledger: Pick<Ledger, "exclusions">,
): Promise<(run: Pick<Run, "endpoint" | "supplier">) => (key: string) => boolean> {
  const hex = (identity: Uint8Array): string => Buffer.from(identity).toString("hex");
  const excluded = new Set((await ledger.exclusions()).map(({ identity }) => hex(identity)));
  return (run) => {
    const identityOf = identitiesOf(run);
    return (key) => excluded.size > 0 && excluded.has(hex(identityOf(key)));
  };
}
