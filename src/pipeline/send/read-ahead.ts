/** Passes batches on. Requests each batch while the previous one is being processed. */
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

/** A failure is kept until its turn. */
type Asked<Batch> = { readonly result: IteratorResult<Batch> } | { readonly error: unknown };
