/** Provides the `Authorization` header of every request; shared by all workers. */
export interface Authorisation {
  /**
   * The header's value. Obtains the token if there is none yet; concurrent callers share one request.
   * @throws Failure `authentication`, permanently; TransportError (phase `unsent`) if no token is available at the
   * moment
   */
  readonly header: () => Promise<string>;
  /** Reports that the platform accepted `header`. */
  readonly accepted: (header: string) => void;
  /**
   * Reports that the platform rejected `header` (HTTP 401), and resolves when `header()` returns a newer one.
   * @throws as `header()` does
   */
  readonly refused: (header: string) => Promise<void>;
}

/**
 * Sends with the `Authorization` header, and once more with a newer one if the platform rejects it. The second result
 * is final.
 * @throws the error of `send`; Failure `authentication` if there is no newer header; TransportError (phase `unsent`)
 * if no token is available at the moment
 */
export async function sendAuthorised<Result>(
  authorisation: Authorisation,
  send: (header: string) => Promise<Result>,
  isRefused: (result: Result) => boolean,
): Promise<Result> {
  const header = await authorisation.header();
  const result = await send(header);
  if (!isRefused(result)) {
    authorisation.accepted(header);
    return result;
  }
  await authorisation.refused(header);
  const newer = await authorisation.header();
  const second = await send(newer);
  if (!isRefused(second)) authorisation.accepted(newer);
  return second;
}
