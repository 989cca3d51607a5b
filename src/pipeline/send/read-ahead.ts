/** Yields the batches. Requests the next batch while the current one is being processed. */
export async function* readAhead<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const iterator = batches[Symbol.asyncIterator]();
  const ask = (): Promise<Requested<Batch>> =>
    iterator.next().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
  let next = ask();
  try {
    for (;;) {
      const requested = await next;
      if ("error" in requested) throw requested.error;
      if (requested.result.done === true) return;
      next = ask();
      yield requested.result.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The result of requesting a batch. An error is thrown only after all earlier batches have been yielded. */
type Requested<Batch> = { readonly result: IteratorResult<Batch> } | { readonly error: unknown };
