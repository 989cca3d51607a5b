/** Secrets come from the environment (or from private files) and never from the command line: they have no flag. */
export const CREDENTIAL_VARIABLES = {
  MIGRATE_API_KEY: "API key of the organisation",
  MIGRATE_TOKEN: "a token, in place of the key",
  MIGRATE_PROXY_CREDENTIALS: "user:password for the proxy",
} as const;
