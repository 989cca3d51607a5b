/** The body of every reply that reports an error. */
export interface ErrorReply {
  readonly error: ErrorDetails;
}

export interface ErrorDetails {
  /** The code of a `Failure` or a `RefusedRequest`; or `bug`, or `server_stopped`, which the client adds. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** The place in a file, such as `migrate.yaml:3:5`. */
  readonly place?: string;
}
