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
