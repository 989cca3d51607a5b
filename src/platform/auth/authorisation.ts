/** Where the `Authorization` header of every request comes from; shared by all workers. */
export interface Authorisation {
  /**
   * The header's value. Obtains the token when there is none yet; many callers, one request.
   * @throws Failure `authentication`, for good; TransportError (phase `unsent`) when there is no token for now
   */
  readonly header: () => Promise<string>;
  /** Says that the platform took `header`. */
  readonly accepted: (header: string) => void;
  /**
   * Says that the platform refused `header` (HTTP 401), and resolves when `header()` has something newer.
   * @throws as `header()` does
   */
  readonly refused: (header: string) => Promise<void>;
}

/**
 * Sends with the `Authorization` header; where the platform refuses it, once more with a newer one. The second result
 * stands, whatever it is.
 * @throws what `send` throws; Failure `authentication` where there is nothing newer; TransportError (phase `unsent`)
 *   when there is no token for now
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
