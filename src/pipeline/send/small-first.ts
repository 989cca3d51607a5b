import type { PayloadGroup } from "./payload-group.ts";

const FIRST_SIZE = 32;
/** So many records are asked for in the ledger at once, at most. */
const LARGEST_SIZE = 600;

/**
 * The same records, the first of them in small groups, each twice as large as the one before: the first request of a run
 * does not wait for hundreds of payloads.
 */
export async function* smallFirst(groups: AsyncIterable<PayloadGroup>): AsyncGenerator<PayloadGroup> {
  let size = FIRST_SIZE;
  for await (const group of groups) {
    for (let first = group.first; first <= group.last;) {
      const last = Math.min(group.last, first + size - 1);
      yield { ...group, first, last };
      if (last < group.last) size = Math.min(2 * size, LARGEST_SIZE);
      first = last + 1;
    }
  }
}
