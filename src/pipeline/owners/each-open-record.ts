import { compareInventory, type MissingKey } from "../../job/inventory/compare-inventory.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { OpenFilter, OpenRecord } from "../../ledger/migration-state.ts";
import type { Inventory } from "../../options/migration-options.ts";
import { timestamp } from "../../time/clock.ts";

export interface OpenRecordOptions extends OpenFilter {
  /** Absent: no key is missing. */
  readonly inventory?: Inventory | undefined;
}

/** Passes the open records of the migration, and the missing keys of the inventory, to `add` in batches. */
export async function eachOpenRecord(
  ledger: Ledger,
  { since, inventory }: OpenRecordOptions,
  { temporaryFolder, clock }: Pick<Dependencies, "temporaryFolder" | "clock">,
  add: (records: readonly OpenRecord[]) => Promise<void> | void,
): Promise<void> {
  for await (const records of ledger.openRecords({ since })) await add(records);
  if (inventory === undefined) return;
  const starts = firstPushes(await ledger.runs());
  await compareInventory(ledger, { inventory, temporaryFolder }, async (keys) => {
    const records = keys.map((key) => missingRecord(key, starts.get(key.target) ?? timestamp(clock)));
    await add(since === undefined ? records : records.filter((record) => record.since >= since));
  });
}

/** The start of the first planned push to each target. */
function firstPushes(runs: Awaited<ReturnType<Ledger["runs"]>>): ReadonlyMap<string, string> {
  const pushes = runs.filter(({ command, dryRun, state }) => command === "push" && !dryRun && state !== "planning");
  return new Map(pushes.map(({ target, startedAt }) => [target, startedAt]));
}

function missingRecord({ target, key, file, line }: MissingKey, since: string): OpenRecord {
  return { key, state: "missing", source: { file, line }, problems: [], run: "", target, supplier: "", since };
}
