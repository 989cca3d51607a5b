/** Secrets come from the environment (or from private files) and never from the command line: they have no flag. */
export const CREDENTIAL_VARIABLES = {
  MIGRATE_API_KEY: "API key of the organisation",
  MIGRATE_TOKEN: "a token, in place of the key",
  MIGRATE_PROXY_CREDENTIALS: "user:password for the proxy",
} as const;

export const STORE_CREDENTIAL_VARIABLES = {
  AWS_ACCESS_KEY_ID: "access key of the document store",
  AWS_SECRET_ACCESS_KEY: "its secret key",
  AWS_SESSION_TOKEN: "the session's token, for keys that are lent for a while",
  AWS_PROFILE: "in their place, a profile of ~/.aws/config",
} as const;
