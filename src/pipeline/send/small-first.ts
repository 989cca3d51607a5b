const FIRST_SIZE = 32;

/**
 * The same records, the first of them in small batches, each twice as large as the one before: the first request of a run
 * does not wait for hundreds of payloads.
 */
export async function* smallFirst<Item>(batches: AsyncIterable<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  let size = FIRST_SIZE;
  for await (const batch of batches) {
    let begin = 0;
    for (; begin + size < batch.length; size *= 2) {
      yield batch.slice(begin, begin + size);
      begin += size;
    }
    yield begin === 0 ? batch : batch.slice(begin);
  }
}
