import type { ReadClient } from "./read-client.ts";

/** Maximum number of records that are looked up at the same time. */
export const MAX_PARALLEL_LOOKUPS = 8;

/**
 * Looks up every record: first one record, which shows whether the platform can be reached, then two at the same time,
 * and so on up to `MAX_PARALLEL_LOOKUPS`. If the client had to wait before it repeated a request, continues with one
 * record at a time. The number of concurrent lookups grows gradually, because requests that a platform refuses at the
 * same time would also be repeated at the same time. Starts no lookup after a failure.
 * @throws the first failure, after all lookups in flight have ended
 */
export async function lookUpEach<Item>(
  records: readonly Item[],
  { isThrottled = () => false }: Pick<ReadClient, "isThrottled">,
  lookUp: (record: Item) => Promise<void>,
): Promise<void> {
  const queue = records.values();
  const failures: unknown[] = [];
  const workers: Promise<void>[] = [];
  const work = async (isFirst: boolean): Promise<void> => {
    for (;;) {
      // Another worker may still be repeating a request. This worker must not send one at the same time.
      if (isFirst && isThrottled()) await Promise.all(workers.slice(1));
      if (failures.length > 0 || (!isFirst && isThrottled())) return;
      const next = queue.next();
      if (next.done === true) return;
      await lookUp(next.value).catch((error: unknown) => failures.push(error));
      if (workers.length < MAX_PARALLEL_LOOKUPS && failures.length === 0 && !isThrottled()) workers.push(work(false));
    }
  };
  workers.push(work(true));
  // The list grows while its workers are awaited.
  for (const worker of workers) await worker;
  if (failures.length > 0) throw failures[0];
}
