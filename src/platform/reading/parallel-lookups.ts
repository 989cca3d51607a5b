import type { ReadClient } from "./read-client.ts";

/** Maximum number of records that are looked up at the same time. */
export const MAX_PARALLEL_LOOKUPS = 8;

/**
 * Looks up every record: first one record, which shows whether the platform can be reached, and then several records at
 * the same time. If the client had to wait before it repeated a request, continues with one record at a time. Starts no
 * lookup after a failure.
 * @throws the first failure, after all lookups in flight have ended
 */
export async function lookUpEach<Item>(
  records: readonly Item[],
  { isThrottled }: Pick<ReadClient, "isThrottled">,
  lookUp: (record: Item) => Promise<void>,
): Promise<void> {
  const queue = records.values();
  const failures: unknown[] = [];
  /** Returns false if there is nothing left to look up. */
  const lookUpNext = async (): Promise<boolean> => {
    const next = failures.length > 0 ? undefined : queue.next();
    if (next === undefined || next.done === true) return false;
    await lookUp(next.value).catch((error: unknown) => failures.push(error));
    return true;
  };
  await lookUpNext();
  const lookUpWhile = async (mayContinue: () => boolean): Promise<void> => {
    while (mayContinue() && (await lookUpNext()));
  };
  const helpers = Array.from({ length: MAX_PARALLEL_LOOKUPS - 1 }, () => lookUpWhile(() => isThrottled?.() !== true));
  await Promise.all([lookUpWhile(() => true), ...helpers]);
  if (failures.length > 0) throw failures[0];
}
