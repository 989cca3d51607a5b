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
 * Sends with the `Authorization` header; where the platform refuses it, once more with a newer one. The second answer
 * stands, whatever it is.
 * @throws what `send` throws; Failure `authentication` where there is nothing newer; TransportError (phase `unsent`)
 *   when there is no token for now
 */
export async function sendAuthorised<Answer>(
  authorisation: Authorisation,
  send: (header: string) => Promise<Answer>,
  isRefused: (answer: Answer) => boolean,
): Promise<Answer> {
  const header = await authorisation.header();
  const answer = await send(header);
  if (!isRefused(answer)) {
    authorisation.accepted(header);
    return answer;
  }
  await authorisation.refused(header);
  const newer = await authorisation.header();
  const second = await send(newer);
  if (!isRefused(second)) authorisation.accepted(newer);
  return second;
}

const NOT_AUTHENTICATED: ReadonlySet<unknown> = new Set(["not_authenticated", "authentication_failed"]);

/** The Django REST framework's codes for credentials that are missing or wrong; some instances send them with 403. */
export function isNotAuthenticated(code: unknown): boolean {
  return NOT_AUTHENTICATED.has(code);
}
