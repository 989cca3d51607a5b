import type { PayloadGroup } from "./payload-group.ts";

/** Number of records that may have an intent at the same time when 32 requests are in flight. */
const MAX_RECORDS = 64;

/**
 * Splits groups into small groups. The first request of a run therefore does not wait for hundreds of payloads, and
 * only a few records are in memory as objects before they are sent.
 */
export async function* smallGroups(groups: AsyncIterable<PayloadGroup>): AsyncGenerator<PayloadGroup> {
  for await (const group of groups) {
    for (let first = group.first; first <= group.last; first += MAX_RECORDS) {
      yield { ...group, first, last: Math.min(group.last, first + MAX_RECORDS - 1) };
    }
  }
}
