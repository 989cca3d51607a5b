import type { PayloadGroup } from "./payload-group.ts";

/** As many as may have an intent at once where 32 are in flight. */
const MOST_RECORDS = 64;

/**
 * The same records in groups of a few: the first request of a run does not wait for hundreds of payloads, and few
 * records are in memory as objects before it is their turn.
 */
export async function* smallGroups(groups: AsyncIterable<PayloadGroup>): AsyncGenerator<PayloadGroup> {
  for await (const group of groups) {
    for (let first = group.first; first <= group.last; first += MOST_RECORDS) {
      yield { ...group, first, last: Math.min(group.last, first + MOST_RECORDS - 1) };
    }
  }
}
