/**
 * Finds records by number. Keeps only the batch that contains the highest number requested so far, so it does not find
 * records in earlier batches.
 */
export interface OrderedRecords<Found> {
  /** Returns undefined if there is no such record. */
  readonly at: (record: number) => Promise<Found | undefined>;
  readonly close: () => Promise<void>;
}

/** @param batches records in ascending order of their numbers */
export function orderedRecords<Found extends { readonly number: number }>(
  batches: AsyncGenerator<readonly Found[]>,
): OrderedRecords<Found> {
  let batch: readonly Found[] = [];
  let isEnd = false;
  return {
    async at(record) {
      while (!isEnd && (batch.at(-1)?.number ?? 0) < record) {
        const next = await batches.next();
        if (next.done === true) isEnd = true;
        else batch = next.value;
      }
      const near = batch[record - (batch[0]?.number ?? 0)];
      return near?.number === record ? near : batch.find(({ number }) => number === record);
    },
    async close() {
      await batches.return(undefined);
    },
  };
}
