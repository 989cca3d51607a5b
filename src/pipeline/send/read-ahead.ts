/** Yields the batches and requests each one while the previous one is being processed. */
export async function* readAhead<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
  const iterator = batches[Symbol.asyncIterator]();
  const ask = (): Promise<Asked<Batch>> =>
    iterator.next().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
  let next = ask();
  try {
    for (;;) {
      const asked = await next;
      if ("error" in asked) throw asked.error;
      if (asked.result.done === true) return;
      next = ask();
      yield asked.result.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** The result of a request. An error is thrown only after all earlier batches. */
type Asked<Batch> = { readonly result: IteratorResult<Batch> } | { readonly error: unknown };
