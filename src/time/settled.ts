export type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** Converts a rejection into a value, because the rejection of a promise that is not awaited would end the process. */
export function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}
