/**
 * Secrets come from the environment or from private files. They have no flags, so they never appear on a command line.
 */
export const CREDENTIAL_VARIABLES = {
  MIGRATE_API_KEY: "API key of the organisation",
  MIGRATE_TOKEN: "token, used instead of the API key",
  MIGRATE_PROXY_CREDENTIALS: "user:password of the proxy",
} as const;

/** The variable that names the user who runs the command, for example in a shared account or in CI. */
export const OPERATOR_VARIABLE = "MIGRATE_OPERATOR";

export const STORE_CREDENTIAL_VARIABLES = {
  AWS_ACCESS_KEY_ID: "access key of the document store",
  AWS_SECRET_ACCESS_KEY: "secret key of the document store",
  AWS_SESSION_TOKEN: "session token for temporary keys",
  AWS_PROFILE: "profile in ~/.aws/config, if no other key is set",
} as const;
