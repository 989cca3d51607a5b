import { settled } from "../../time/settled.ts";

/**
 * Yields the batches. Requests the next batch while the current one is being processed. Throws an error only after all
 * earlier batches have been yielded.
 */
export async function* readAhead<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const iterator = batches[Symbol.asyncIterator]();
  let next = settled(iterator.next());
  try {
    for (;;) {
      const requested = await next;
      if ("error" in requested) throw requested.error;
      if (requested.value.done === true) return;
      next = settled(iterator.next());
      yield requested.value.value;
    }
  } finally {
    await iterator.return?.();
  }
}
