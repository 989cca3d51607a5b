import type { RecordRange } from "../../ledger/runs/shared-run.ts";

/** Reads the records of one range after the other. */
export interface RangeReader<Item> {
  readonly records: (range: RecordRange) => AsyncGenerator<readonly Item[]>;
  readonly close: () => Promise<void>;
}

/**
 * Goes through the input forward, once for all ranges that come in order; for one that lies behind, from the beginning again.
 * @param open the whole input, from its beginning
 */
export function createRangeReader<Item extends { readonly number: number }>(
  open: () => AsyncGenerator<readonly Item[]>,
): RangeReader<Item> {
  let input: AsyncGenerator<readonly Item[]> | undefined;
  let ahead: readonly Item[] = [];
  let position = 0;

  const close = async (): Promise<void> => {
    await input?.return(undefined);
    input = undefined;
    ahead = [];
    position = 0;
  };

  return {
    close,
    async *records({ first, last }) {
      if (first <= position) await close();
      input ??= open();
      while (position < last) {
        if (ahead.length === 0) {
          const next = await input.next();
          if (next.done === true) return;
          ahead = next.value;
        }
        const batch = ahead;
        ahead = batch.filter(({ number }) => number > last);
        position = Math.min(last, batch.at(-1)?.number ?? position);
        const wanted = batch.filter(({ number }) => number >= first && number <= last);
        if (wanted.length > 0) yield wanted;
      }
    },
  };
}
