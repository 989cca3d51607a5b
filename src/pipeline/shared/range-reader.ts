import type { RecordRange } from "../../ledger/runs/shared-run.ts";
import type { InputPosition } from "../../model/record.ts";
import { isFarAhead } from "../send/noted-places.ts";

/** Reads the records of one range after another. Each group contains records of a single range. */
export interface RangeReader<Group extends RecordRange> {
  readonly groups: (range: RecordRange) => AsyncGenerator<Group>;
  readonly close: () => Promise<void>;
}

interface RangeReaderParts<Group> {
  /** Opens the input at a position. By default, opens it at the beginning. */
  readonly open: (from?: InputPosition) => AsyncGenerator<Group>;
  /** Returns the last saved position at or before a record. */
  readonly placeBefore: (record: number) => Promise<InputPosition | undefined>;
}

/**
 * Creates a reader that reads the input only once for ranges in ascending order. For an earlier range, or a range far
 * ahead, the reader opens the input again at the last saved position before the range.
 */
export function createRangeReader<Group extends RecordRange>({
  open,
  placeBefore,
}: RangeReaderParts<Group>): RangeReader<Group> {
  let input: AsyncGenerator<Group> | undefined;
  let ahead: Group | undefined;
  /** The number of the last record that was returned or skipped. */
  let position = 0;

  const close = async (): Promise<void> => {
    await input?.return(undefined);
    input = undefined;
    ahead = undefined;
    position = 0;
  };

  const groupsFrom = async (first: number): Promise<AsyncGenerator<Group>> => {
    if (first <= position) await close();
    const place = await placeBefore(first);
    if (isFarAhead(place, position)) {
      await close();
      input = open(place);
      position = place.record - 1;
    }
    input ??= open();
    return input;
  };

  return {
    close,
    async *groups({ first, last }) {
      const from = await groupsFrom(first);
      while (position < last) {
        let group = ahead;
        if (group === undefined) {
          const next = await from.next();
          if (next.done === true) return;
          group = next.value;
        }
        ahead = group.last > last ? group : undefined;
        position = Math.min(last, group.last);
        const wanted = { ...group, first: Math.max(first, group.first), last: position };
        if (wanted.first <= wanted.last) yield wanted;
      }
    },
  };
}
