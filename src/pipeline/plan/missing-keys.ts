import type { Job } from "../../job/job.ts";
import type { Notifier } from "../../job/dependencies.ts";
import { canonicalKey } from "../../text/canonical-key.ts";
import { plural } from "../../text/count.ts";
import { plainText } from "../../text/plain-text.ts";
import { listed } from "../../text/suggestion.ts";
import type { PlanHandle } from "./plan-records.ts";

/**
 * Shows one notice about keys of `--only` that no planned record has. Does nothing if `--limit` may have excluded the
 * records with these keys.
 */
export async function noticeMissingKeys(
  { job, ledger, run }: PlanHandle & { readonly job: Job },
  { notice }: Notifier,
): Promise<void> {
  const { only, limit } = job.settings;
  if (only === undefined) return;
  const missing = new Map(only.map((key) => [canonicalKey(key), key]));
  let records = 0;
  for await (const batch of ledger.outcomes(run.id)) {
    records += batch.length;
    for (const { key } of batch) if (key !== undefined) missing.delete(key);
  }
  if (missing.size === 0 || records === limit) return;
  notice(noSuchKeys([...missing.values()]));
}

export function noSuchKeys(keys: readonly string[]): string {
  return `--only: no record has the ${plural(keys.length, "key")} ${listed(keys.map((key) => plainText(key)))}`;
}
