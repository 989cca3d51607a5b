import type { Authorisation } from "./authorisation.ts";

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
