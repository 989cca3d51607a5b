import type { RecordRange } from "../../ledger/runs/shared-run.ts";
import type { InputPosition } from "../../model/record.ts";
import { isFar } from "../send/noted-places.ts";

/** Reads the records of one range after the other. */
export interface RangeReader<Item> {
  readonly records: (range: RecordRange) => AsyncGenerator<readonly Item[]>;
  readonly close: () => Promise<void>;
}

interface RangeReaderParts<Item> {
  /** The input from a place on; without one, from its beginning. */
  readonly open: (from?: InputPosition) => AsyncGenerator<readonly Item[]>;
  /** The last place that is known before a record, or at it. */
  readonly placeBefore: (record: number) => Promise<InputPosition | undefined>;
}

/**
 * Goes through the input forward, once for all ranges that come in order. For a range that lies behind, and for one that lies far
 * ahead, it begins anew at the last place that anybody has noted before it.
 */
export function createRangeReader<Item extends { readonly number: number }>({
  open,
  placeBefore,
}: RangeReaderParts<Item>): RangeReader<Item> {
  let input: AsyncGenerator<readonly Item[]> | undefined;
  let ahead: readonly Item[] = [];
  /** The last record that was given, or passed over. */
  let position = 0;

  const close = async (): Promise<void> => {
    await input?.return(undefined);
    input = undefined;
    ahead = [];
    position = 0;
  };

  const goTo = async (first: number): Promise<AsyncGenerator<readonly Item[]>> => {
    if (first <= position) await close();
    const place = await placeBefore(first);
    if (isFar(place, position)) {
      await close();
      input = open(place);
      position = place.record - 1;
    }
    input ??= open();
    return input;
  };

  return {
    close,
    async *records({ first, last }) {
      const from = await goTo(first);
      while (position < last) {
        if (ahead.length === 0) {
          const next = await from.next();
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
